/** `system { PROGRAM } LIST` and `exec { PROGRAM } LIST`: Perl cannot parse them where these functions are replaced. */

import { type OpenFile, readOnly } from "../../fs/files.ts";
import type { Tree } from "../../fs/tree.ts";
import { type Token, tokenizePerl } from "./tokens.ts";

const MAYBE = /\b(?:system|exec)\s*[{$]/;
const CODE_NEXT = /^-[A-Za-z0-9]*[eE]$/;
const LARGEST = 4 << 20;

/** The source with functions of Cloche.pm in their place, which take a block; lines stay as they are. */
export function nameIndirect(source: string): string {
  if (!MAYBE.test(source)) return source;
  const { tokens } = tokenizePerl(source);
  let done = "";
  let at = 0;
  for (const [index, { text, start }] of tokens.entries()) {
    const length = isCall(tokens, index) ? indirectLength(tokens, index) : 0;
    if (length === 0) continue;
    const program = tokens[index + 1];
    const end = length === 1 ? program.start + program.text.length : start + text.length;
    const object = length === 1 ? ` { ${program.text} }` : "";
    done += `${source.slice(at, start)}Cloche::${text}_as${object}`;
    at = end;
  }
  return done + source.slice(at);
}

/** The same in the code that arguments of perl have. */
export function nameIndirectArguments(args: string[]): string[] {
  return args.map((arg, index) => index > 0 && CODE_NEXT.test(args[index - 1]) ? nameIndirect(arg) : arg);
}

/** The same in the script that arguments of perl name: files with another text in its place. */
export function nameIndirectScript(
  tree: Tree,
  cwd: string,
  args: string[],
): Tree {
  const script = args.find((arg) => !arg.startsWith("-"));
  if (script === undefined || args.some((arg) => CODE_NEXT.test(arg))) {
    return tree;
  }
  const path = script.startsWith("/") ? script : `${cwd}/${script}`;
  try {
    if (tree.stat(path).size > LARGEST) return tree;
    const before = new TextDecoder("latin1").decode(tree.readFile(path));
    const after = nameIndirect(before);
    return after === before ? tree : withText(tree, tree.realPath(path), after);
  } catch {
    // Perl says what is wrong with it.
    return tree;
  }
}

function isCall(tokens: Token[], index: number): boolean {
  const { kind, text } = tokens[index];
  if (kind !== "word" || text !== "system" && text !== "exec") return false;
  return !["sub", "->", "&", "::"].includes(tokens[index - 1]?.text ?? "");
}

/** 2 if a block names the program, 1 if a variable does, 0 if nothing does. */
function indirectLength(tokens: Token[], index: number): number {
  const [next, after] = [tokens[index + 1], tokens[index + 2]];
  if (next?.kind === "variable" && next.text.startsWith("$")) {
    return after && (after.kind === "quote" || /^[@$]\w/.test(after.text)) ? 1 : 0;
  }
  if (next?.text !== "{") return 0;
  const isEnd = ({ text, parent }: Token, at: number) => at > index + 1 && text === "}" && parent === next.parent;
  const end = tokens.findIndex(isEnd);
  const argument = tokens[end + 1];
  return end > 0 && argument &&
      (argument.kind !== "sign" || argument.text === "(" ||
        argument.text === "@")
    ? 2
    : 0;
}

function withText(tree: Tree, path: string, text: string): Tree {
  const data = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const open = (
    ...[wanted, mode, permissions]: Parameters<Tree["open"]>
  ): OpenFile => {
    const file = tree.open(wanted, mode, permissions);
    if (mode.write || tree.realPath(wanted) !== path) return file;
    return readOnly(path, {
      stat: () => ({ ...file.stat(), size: data.length }),
      read(into, position) {
        const part = data.subarray(position, position + into.length);
        into.set(part);
        return part.length;
      },
      close: () => file.close(),
    });
  };
  return new Proxy(tree, {
    get(target, name: keyof Tree) {
      if (name === "open") return open;
      const value = target[name] as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
