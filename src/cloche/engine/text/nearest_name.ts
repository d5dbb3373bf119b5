/** Finds the name that was probably meant. */

const MOST = 2;

/** The most similar name, if it differs little. */
export function findNearestName(name: string, names: Iterable<string>): string | undefined {
  const word = name.toLowerCase();
  return [...names]
    .map((other) => ({ other, distance: distance(word, other.toLowerCase()) }))
    .filter(({ other, distance }) => other !== name && distance <= allowed(Math.min(name.length, other.length)))
    .sort((a, b) => a.distance - b.distance)[0]?.other;
}

/** Short names are similar too easily. */
function allowed(length: number): number {
  return length < 2 ? 0 : length < 6 ? 1 : MOST;
}

/** How many letters must be changed; two swapped neighbours count as one. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST) return MOST + 1;
  let [older, old] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(old[j] + 1, row[j - 1] + 1, old[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], older[j - 2] + 1);
    }
    [older, old] = [old, row];
  }
  return old[b.length];
}
