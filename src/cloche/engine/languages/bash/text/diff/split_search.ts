/** Where two lists differ, by Myers' method from both ends at once: it needs little memory, and meets in the middle. */

/** What both sides of a comparison are: numbers that are equal where the lines are, and flags for what is not common. */
export interface Sides {
  a: Int32Array;
  b: Int32Array;
  changedA: Uint8Array;
  changedB: Uint8Array;
}

interface Split {
  x: number;
  y: number;
  /** Whether the search of the first and of the second part may not give up. */
  exact: [boolean, boolean];
}

/** Steps that a search takes at least before it settles for a way that may not be the shortest. */
const LEAST_COST = 4096;
const FAR = 0x7fffffff;

/** Sets the flags of all lines that are not in the common part. */
export function markEdits(sides: Sides, exact = false): void {
  const { a, b } = sides;
  new Search(sides).compare(0, a.length, 0, b.length, exact);
}

class Search {
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  /** Diagonals are from -#shift upwards. */
  readonly #shift: number;
  readonly #cost: number;

  constructor(private readonly sides: Sides) {
    const diagonals = sides.a.length + sides.b.length + 3;
    this.#forward = new Int32Array(diagonals);
    this.#backward = new Int32Array(diagonals);
    this.#shift = sides.b.length + 1;
    this.#cost = Math.max(LEAST_COST, 2 ** Math.ceil((Math.floor(Math.log2(diagonals)) + 1) / 2));
  }

  compare(left: number, right: number, top: number, bottom: number, exact: boolean): void {
    const { a, b, changedA, changedB } = this.sides;
    for (;;) {
      while (left < right && top < bottom && a[left] === b[top]) left++, top++;
      while (left < right && top < bottom && a[right - 1] === b[bottom - 1]) right--, bottom--;
      if (left === right) return void changedB.fill(1, top, bottom);
      if (top === bottom) return void changedA.fill(1, left, right);
      const { x, y, exact: [first, second] } = this.#split(left, right, top, bottom, exact);
      this.compare(left, x, top, y, first);
      [left, top, exact] = [x, y, second];
    }
  }

  /** A point through which a short way leads; the way from the start and that from the end meet there. */
  #split(left: number, right: number, top: number, bottom: number, exact: boolean): Split {
    const [forward, backward, shift] = [this.#forward, this.#backward, this.#shift];
    const { a, b } = this.sides;
    const [least, most] = [left - bottom + shift, right - top + shift];
    const [start, end] = [left - top + shift, right - bottom + shift];
    const odd = ((start - end) & 1) !== 0;
    let [lowF, highF, lowB, highB] = [start, start, end, end];
    forward[start] = left;
    backward[end] = right;
    for (let cost = 1;; cost++) {
      if (lowF > least) forward[--lowF - 1] = -1;
      else lowF++;
      if (highF < most) forward[++highF + 1] = -1;
      else highF--;
      for (let d = highF; d >= lowF; d -= 2) {
        const [below, above] = [forward[d - 1], forward[d + 1]];
        let x = below < above ? above : below + 1;
        let y = x - d + shift;
        while (x < right && y < bottom && a[x] === b[y]) x++, y++;
        forward[d] = x;
        if (odd && lowB <= d && d <= highB && backward[d] <= x) return { x, y, exact: [true, true] };
      }
      if (lowB > least) backward[--lowB - 1] = FAR;
      else lowB++;
      if (highB < most) backward[++highB + 1] = FAR;
      else highB--;
      for (let d = highB; d >= lowB; d -= 2) {
        const [below, above] = [backward[d - 1], backward[d + 1]];
        let x = below < above ? below : above - 1;
        let y = x - d + shift;
        while (left < x && top < y && a[x - 1] === b[y - 1]) x--, y--;
        backward[d] = x;
        if (!odd && lowF <= d && d <= highF && x <= forward[d]) return { x, y, exact: [true, true] };
      }
      if (!exact && cost >= this.#cost) {
        return this.#settle([left, right, top, bottom], [lowF, highF], [lowB, highB]);
      }
    }
  }

  /** The point that is furthest from where its search began. */
  #settle(
    [left, right, top, bottom]: [number, number, number, number],
    [lowF, highF]: [number, number],
    [lowB, highB]: [number, number],
  ): Split {
    let [furthest, x] = [-1, 0];
    for (let d = highF; d >= lowF; d -= 2) {
      const diagonal = d - this.#shift;
      const at = Math.min(this.#forward[d], right, bottom + diagonal);
      if (2 * at - diagonal > furthest) [furthest, x] = [2 * at - diagonal, at];
    }
    let [nearest, back] = [FAR, 0];
    for (let d = highB; d >= lowB; d -= 2) {
      const diagonal = d - this.#shift;
      const at = Math.max(this.#backward[d], left, top + diagonal);
      if (2 * at - diagonal < nearest) [nearest, back] = [2 * at - diagonal, at];
    }
    if (right + bottom - nearest < furthest - (left + top)) return { x, y: furthest - x, exact: [true, false] };
    return { x: back, y: nearest - back, exact: [false, true] };
  }
}
