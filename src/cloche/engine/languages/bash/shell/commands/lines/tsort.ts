/** tsort: an order in which what is named before comes before. */
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";

const tsort = defineTool("tsort", { synopsis: "[OPTION] [FILE]" }, async (tool) => {
  const [name = "-", more] = tool.given.operands;
  if (more !== undefined) throw new UsageError(`extra operand '${more}'`);
  const words = (await tool.readText(name)).split(/[ \t\n]+/).filter((word) => word !== "");
  if (words.length % 2 !== 0) throw new CommandError(`${name}: input contains an odd number of tokens`);
  const after = new Map<string, string[]>();
  const before = new Map<string, number>();
  for (const word of words) {
    if (!after.has(word)) after.set(word, []);
    if (!before.has(word)) before.set(word, 0);
  }
  for (let i = 0; i < words.length; i += 2) {
    if (words[i] === words[i + 1]) continue;
    after.get(words[i])?.push(words[i + 1]);
    before.set(words[i + 1], (before.get(words[i + 1]) ?? 0) + 1);
  }
  const names = [...before.keys()].sort();
  const queue = names.filter((word) => before.get(word) === 0);
  const done = new Set<string>();
  const take = (word: string) => {
    done.add(word);
    tool.out.write(`${word}\n`);
    for (const next of (after.get(word) ?? []).toReversed()) {
      const left = (before.get(next) ?? 0) - 1;
      before.set(next, left);
      if (left === 0 && !done.has(next)) queue.push(next);
    }
  };
  for (;;) {
    for (let word = queue.shift(); word !== undefined; word = queue.shift()) if (!done.has(word)) take(word);
    const start = names.find((word) => !done.has(word));
    if (start === undefined) break;
    const loop = findLoop(start, after, done);
    tool.report(`${name}: input contains a loop:`);
    for (const word of loop) tool.complain(word);
    take(loop[0]);
  }
  return tool.code;
});

function findLoop(start: string, after: Map<string, string[]>, done: Set<string>): string[] {
  const path: string[] = [];
  // What is left has something before it, so going backwards ends in a loop.
  const previous = (word: string) => [...after].find(([key, list]) => !done.has(key) && list.includes(word))?.[0];
  for (let word: string | undefined = start; word !== undefined; word = previous(word)) {
    const at = path.indexOf(word);
    if (at >= 0) return [path[at], ...path.slice(at + 1).reverse()];
    path.push(word);
  }
  return path.reverse();
}

export const commands = [tsort];
