/** How much of a value is given as data: guests get these numbers when they are built or load. */

export const DATA_LIMITS = {
  /** Characters of its JSON. */
  length: 256 << 10,
  /** Lists and objects in each other. */
  depth: 50,
  values: 50_000,
};
