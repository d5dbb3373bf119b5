/** Comparing values in tests. */

/** Throws unless both are the same in JSON, where undefined counts as null. */
export function expect(actual: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(wanted)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}
