/** What Node has and a page does not. */

export function refuseInBrowser(what: string): () => never {
  return () => {
    throw new Error(`${what} is not available in a browser`);
  };
}
