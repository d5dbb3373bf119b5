/** The expression of find: operators, tests, options and actions. */
import { quote } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { encodeText, toArray } from "../../../../text/byte_strings.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import { type Entry, type Search, SearchStopped, type Test } from "./entry.ts";
import { makeExec } from "./exec.ts";
import { compileFormat, listLine } from "./printf.ts";
import { ARGUMENT_TESTS, isRegexType, newer, PLAIN_TESTS } from "./tests.ts";

const IGNORED = new Set(["-noleaf", "-warn", "-nowarn", "-ignore_readdir_race", "-noignore_readdir_race"]);
const NEWER = /^-newer([aBcm])([aBcmt])$/;

export function parseExpression(search: Search, words: string[]): Test {
  return new ExpressionReader(search, words).read();
}

class ExpressionReader {
  #at = 0;

  constructor(private readonly search: Search, private readonly words: string[]) {}

  read(): Test {
    const { search, words } = this;
    if (words.length === 0) return this.#print();
    const test = this.#readList();
    if (this.#at < words.length) {
      throw new CommandError("invalid expression; you have too many ')'");
    }
    return search.acts ? test : and(test, this.#print());
  }

  #print(): Test {
    return (entry) => (this.search.tool.print(`${entry.path}\n`), true);
  }

  #readList(): Test {
    let test = this.#readOr();
    while (this.words[this.#at] === ",") {
      this.#at++;
      const [first, second] = [test, this.#readOr()];
      test = async (entry) => (await first(entry), await second(entry));
    }
    return test;
  }

  #readOr(): Test {
    let test = this.#readAnd();
    while (["-o", "-or"].includes(this.words[this.#at])) {
      const operator = this.words[this.#at++];
      this.#expectMore(operator);
      test = or(test, this.#readAnd());
    }
    return test;
  }

  #readAnd(): Test {
    let test = this.#readNot();
    for (;;) {
      const word = this.words[this.#at];
      if (word === undefined || [")", "-o", "-or", ","].includes(word)) return test;
      if (word === "-a" || word === "-and") {
        this.#at++;
        this.#expectMore(word);
      }
      test = and(test, this.#readNot());
    }
  }

  #expectMore(operator: string): void {
    if (this.#at < this.words.length) return;
    throw new CommandError(`expected an expression after '${operator}'`);
  }

  #readNot(): Test {
    const word = this.words[this.#at++];
    if (word === "!" || word === "-not") {
      if (this.#at >= this.words.length) throw new CommandError(`expected an expression after '${word}'`);
      const test = this.#readNot();
      return (entry) => {
        const value = test(entry);
        return value instanceof Promise ? value.then((is) => !is) : !value;
      };
    }
    if (word === "(") return this.#readGroup();
    if (word === ")") {
      throw new CommandError(
        "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('",
      );
    }
    if (["-o", "-or", "-a", "-and", ","].includes(word)) {
      throw new CommandError(
        `invalid expression; you have used a binary operator '${word}' with nothing before it.`,
      );
    }
    return this.#readPrimary(word);
  }

  #readGroup(): Test {
    if (this.words[this.#at] === ")") throw new CommandError("invalid expression; empty parentheses are not allowed.");
    if (this.#at >= this.words.length) {
      throw new CommandError("invalid expression; I was expecting to find a ')' somewhere but did not see one.");
    }
    const test = this.#readList();
    if (this.words[this.#at++] !== ")") {
      throw new CommandError("invalid expression; I was expecting to find a ')' somewhere but did not see one.");
    }
    return test;
  }

  #argument(name: string): string {
    if (this.#at >= this.words.length) throw new CommandError(`missing argument to \`${name}'`);
    return this.words[this.#at++];
  }

  #readPrimary(word: string): Test {
    const { search } = this;
    const plain = PLAIN_TESTS[word];
    if (plain) return plain(search);
    const test = ARGUMENT_TESTS[word];
    if (test) return test(search, this.#argument(word), word);
    const times = NEWER.exec(word);
    if (times) return newer(search, times[1] + times[2], this.#argument(word));
    if (this.#readOption(word)) return () => true;
    const action = this.#readAction(word);
    if (action) return action;
    if (!word.startsWith("-")) {
      throw new CommandError(`paths must precede expression: \`${word}'`);
    }
    throw new CommandError(`unknown predicate \`${word}'`);
  }

  #readOption(word: string): boolean {
    const { search } = this;
    if (word === "-maxdepth") search.most = this.#depth(word);
    else if (word === "-mindepth") search.least = this.#depth(word);
    else if (word === "-depth" || word === "-d") search.depthFirst = true;
    else if (word === "-xdev" || word === "-mount") search.sameDevice = true;
    else if (word === "-follow") search.links = "always";
    else if (word === "-daystart") search.dayStart = true;
    else if (word === "-regextype") {
      search.regexType = this.#argument(word);
      if (!isRegexType(search.regexType)) {
        throw new CommandError(`Unknown regular expression type ${quote(search.regexType)}`);
      }
    } else return IGNORED.has(word);
    return true;
  }

  #depth(name: string): number {
    const value = this.#argument(name);
    if (!/^\d+$/.test(value)) {
      throw new CommandError(`Expected a positive decimal integer argument to ${name}, but got ${quote(value)}`);
    }
    return Number(value);
  }

  #readAction(word: string): Test | undefined {
    const { search } = this;
    const { tool } = search;
    switch (word) {
      case "-prune":
        return (entry) => (entry.pruned = true);
      case "-quit":
        return () => {
          throw new SearchStopped();
        };
      case "-print":
        search.acts = true;
        return this.#print();
      case "-print0":
        return this.#output((entry) => `${entry.path}\0`);
      case "-printf":
        return this.#output(compileFormat(this.#argument(word), search));
      case "-ls":
        return this.#output((entry) => listLine(entry, search));
      case "-fprint":
        return this.#toFile((entry) => `${entry.path}\n`);
      case "-fprint0":
        return this.#toFile((entry) => `${entry.path}\0`);
      case "-fls":
        return this.#toFile((entry) => listLine(entry, search));
      case "-fprintf": {
        const file = this.#argument(word);
        return this.#toFile(compileFormat(this.#argument(word), search), file);
      }
      case "-delete":
        search.acts = true;
        search.depthFirst = true;
        return (entry) => {
          if (entry.path === ".") return true;
          return tool.try(`cannot delete ${quote(entry.path)}`, () => {
            if (entry.stat.kind === "directory") tool.files.removeDirectory(entry.whole);
            else tool.files.removeFile(entry.whole);
          });
        };
      case "-exec":
      case "-execdir":
      case "-ok":
      case "-okdir":
        search.acts = true;
        return this.#readExec(word);
      default:
        return undefined;
    }
  }

  #readExec(kind: string): Test {
    const words: string[] = [];
    for (; this.#at < this.words.length; this.#at++) {
      const word = this.words[this.#at];
      const many = word === "+" && words.at(-1) === "{}" && kind.startsWith("-exec");
      if (word === ";" || many) {
        this.#at++;
        if (words.length === 0) break;
        if (many && words.filter((each) => each.includes("{}")).length > 1) {
          throw new CommandError(`Only one instance of {} is supported with ${kind} ... +`);
        }
        return makeExec(this.search, kind, words, many);
      }
      words.push(word);
    }
    throw new CommandError(`missing argument to \`${kind}'`);
  }

  #output(text: (entry: Entry) => string): Test {
    const { search } = this;
    search.acts = true;
    return (entry) => (search.tool.print(text(entry)), true);
  }

  #toFile(text: (entry: Entry) => string, file = this.#argument("-fprint")): Test {
    const { search } = this;
    search.acts = true;
    try {
      const stream = search.tool.context.open(file, { read: false, write: true, create: true, truncate: true });
      search.finish.push(() => stream.close());
      return async (entry) => {
        await stream.write(toArray(encodeText(text(entry))));
        return true;
      };
    } catch (error) {
      throw new CommandError(`${quote(file)}: ${reasonOf(error)}`);
    }
  }
}

function and(first: Test, second: Test): Test {
  return (entry) => {
    const value = first(entry);
    if (value instanceof Promise) return value.then((is) => is && second(entry));
    return value && second(entry);
  };
}

function or(first: Test, second: Test): Test {
  return (entry) => {
    const value = first(entry);
    if (value instanceof Promise) return value.then((is) => is || second(entry));
    return value || second(entry);
  };
}
