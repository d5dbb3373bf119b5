export function fileURLToPath(url: string | URL): string {
  return decodeURIComponent(new URL(url).pathname);
}
