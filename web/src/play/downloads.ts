/** Saves a file to the computer. */

/** Milliseconds after which a browser has begun a download. */
const BEGUN = 10_000;

export function saveToComputer(path: string, data: Uint8Array<ArrayBuffer>): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data]));
  link.download = path.slice(path.lastIndexOf("/") + 1);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), BEGUN);
}
