/** Paths as one reads them: those of the workspace from there. */

export function shortenPath(path: string): string {
  return path.replace(/^\/workspace\/(?=.)/, "");
}
