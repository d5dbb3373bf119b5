/** Lengths of Huffman codes, none longer than a limit. */

/** Halves the differences between frequencies until the longest code is short enough. */
export function limitedLengths(frequencies: number[], longest: number): number[] {
  for (let counts = frequencies;; counts = counts.map((count) => count === 0 ? 0 : (count >> 1) + 1)) {
    const lengths = codeLengths(counts);
    if (Math.max(...lengths) <= longest) return lengths;
  }
}

function codeLengths(counts: number[]): number[] {
  const lengths = new Array<number>(counts.length).fill(0);
  const leaves = counts.map((count, symbol) => ({ count, symbol })).filter(({ count }) => count > 0);
  if (leaves.length === 1) lengths[leaves[0].symbol] = 1;
  if (leaves.length < 2) return lengths;
  leaves.sort((a, b) => a.count - b.count || a.symbol - b.symbol);
  const size = leaves.length;
  const weights = leaves.map(({ count }) => count);
  const parents = new Array<number>(size * 2 - 1).fill(0);
  let [leaf, inner] = [0, size];
  const takeSmallest = () =>
    leaf < size && (inner >= weights.length || weights[leaf] <= weights[inner]) ? leaf++ : inner++;
  for (let node = size; node < size * 2 - 1; node++) {
    const [a, b] = [takeSmallest(), takeSmallest()];
    weights.push(weights[a] + weights[b]);
    parents[a] = parents[b] = node;
  }
  const depths = new Array<number>(size * 2 - 1).fill(0);
  for (let node = size * 2 - 3; node >= 0; node--) depths[node] = depths[parents[node]] + 1;
  leaves.forEach(({ symbol }, i) => lengths[symbol] = depths[i]);
  return lengths;
}
