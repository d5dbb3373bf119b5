/** factor: the primes of numbers of any size. */
import { defineTool } from "../tool/define.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = { letters: "h", long: { exponents: "h" }, synopsis: "[NUMBER]..." };
const SMALL = 1000;
/** Enough to decide for every number below 3.3e24; beyond, an error is less likely than one of the machine. */
const WITNESSES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n];
const STEPS = 2000;

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = result * square % modulus;
    square = square * square % modulus;
  }
  return result;
}

function isPrime(n: bigint): boolean {
  if (n < 2n) return false;
  for (const prime of WITNESSES) if (n % prime === 0n) return n === prime;
  let odd = n - 1n;
  let twos = 0;
  for (; odd % 2n === 0n; odd /= 2n) twos++;
  return WITNESSES.every((witness) => {
    let value = power(witness, odd, n);
    if (value === 1n || value === n - 1n) return true;
    for (let i = 1; i < twos; i++) {
      value = value * value % n;
      if (value === n - 1n) return true;
    }
    return false;
  });
}

function gcd(a: bigint, b: bigint): bigint {
  while (b > 0n) [a, b] = [b, a % b];
  return a;
}

/** A divisor of a number that is not prime, by Pollard's method. */
async function findDivisor(tool: Tool, n: bigint): Promise<bigint> {
  for (let c = 1n;; c++) {
    let [slow, fast, product, count] = [2n, 2n, 1n, 0];
    const step = (x: bigint) => (x * x + c) % n;
    for (;;) {
      slow = step(slow);
      fast = step(step(fast));
      const distance = slow > fast ? slow - fast : fast - slow;
      if (distance === 0n) break;
      product = product * distance % n;
      if (++count % 64 !== 0 && product !== 0n) continue;
      const divisor = gcd(product === 0n ? distance : product, n);
      if (divisor > 1n && divisor < n) return divisor;
      if (divisor === n) break;
      if (count % STEPS === 0) await tool.attend();
    }
    // Too many steps at once: the divisors came together, so look one by one.
    [slow, fast] = [2n, 2n];
    for (let i = 0; i < 1_000_000; i++) {
      slow = step(slow);
      fast = step(step(fast));
      const divisor = gcd(slow > fast ? slow - fast : fast - slow, n);
      if (divisor > 1n && divisor < n) return divisor;
      if (divisor === n) break;
      if (i % STEPS === 0) await tool.attend();
    }
  }
}

async function primesOf(tool: Tool, n: bigint): Promise<bigint[]> {
  const primes: bigint[] = [];
  let left = n;
  for (let prime = 2n; prime < SMALL && prime * prime <= left; prime += prime === 2n ? 1n : 2n) {
    for (; left % prime === 0n; left /= prime) primes.push(prime);
  }
  const open = left > 1n ? [left] : [];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (isPrime(part)) primes.push(part);
    else {
      const divisor = await findDivisor(tool, part);
      open.push(divisor, part / divisor);
    }
  }
  return primes.sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
}

const factor = defineTool("factor", USAGE, async (tool) => {
  const show = async (given: string) => {
    const word = given.replace(/^\s+/, "");
    if (!/^\+?\d+$/.test(word)) return tool.report(`'${given}' is not a valid positive integer`);
    const n = BigInt(word.replace("+", ""));
    const primes = n < 2n ? [] : await primesOf(tool, n);
    const shown = tool.given.has("h") ? withExponents(primes) : primes.map(String);
    tool.out.write(`${[`${n}:`, ...shown].join(" ")}\n`);
  };
  for (const word of tool.given.operands) await show(word);
  if (tool.given.operands.length > 0) return tool.code;
  for await (const lines of tool.batches(tool.open("-"))) {
    for (const word of lines.flatMap((line) => line.split(/\s+/)).filter((part) => part !== "")) await show(word);
  }
  return tool.code;
});

function withExponents(primes: bigint[]): string[] {
  const counts = new Map<bigint, number>();
  for (const prime of primes) counts.set(prime, (counts.get(prime) ?? 0) + 1);
  return [...counts].map(([prime, count]) => count > 1 ? `${prime}^${count}` : String(prime));
}

export const commands = [factor];
