/** What Node has and a page does not. */

export function missing(what: string): () => never {
  return () => {
    throw new Error(`${what} is not available in a browser`);
  };
}
