/** Refuses functions of Node that a page does not have. */

export function refuseInBrowser(what: string): () => never {
  return () => {
    throw new Error(`${what} is not available in a browser`);
  };
}
