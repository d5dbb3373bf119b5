/** Completes JavaScript: modules, members of the object before the dot, or top-level names. */

import type { Tree } from "../../fs/tree.ts";
import { completeModule, type Completion, completionOf, listFolder } from "../module_completion.ts";
import type { Program } from "./program.ts";
import { foldersAbove, INSTALLED } from "./modules/resolve.ts";
import { endsValue, scanSource, type Token } from "./source/scanner.ts";
import { Thrown } from "./quickjs/vm.ts";

const CHAIN = /((?:[\p{ID_Start}$_][\p{ID_Continue}$]*\.)*)([\p{ID_Start}$_][\p{ID_Continue}$]*)?$/u;
/** Matches the name of a module that is being written. */
const LOADS = /\b(?:require\s*\(|import\s*\(|from|import)\s*(["'])((?:(?!\1)[^\n])*)$/;
const KEYWORDS =
  ("async await break case catch class const continue debugger default delete do else export extends false finally for " +
    "function if import in instanceof let new null return static super switch this throw true try typeof undefined var " +
    "void while with yield").split(" ");
const TYPE_WORDS =
  ("abstract any as asserts bigint boolean declare enum implements infer interface is keyof namespace never number " +
    "object override private protected public readonly satisfies string symbol type unique unknown").split(" ");
const LIMIT = 500;

/** Where completions are looked for. */
export interface CompletionNames {
  program: Program;
  tree: Tree;
  cwd: string;
  builtins: Set<string>;
  /** Whether types may be written. */
  typed: boolean;
}

export function completeAt(code: string, cursor: number, known: CompletionNames): Completion {
  const ahead = code.slice(0, cursor);
  const [, , name] = LOADS.exec(ahead) ?? [];
  if (name !== undefined) return completeName(name, cursor, known);
  const [, chain, prefix = ""] = CHAIN.exec(ahead) ?? ["", ""];
  const start = cursor - prefix.length;
  const nothing = { matches: [], start, end: cursor };
  const { open } = scanSource(ahead);
  if (open.at(-1) === '"' || open.at(-1) === "'" || open.at(-1) === "`") return nothing;
  if (chain === "" && ahead[start - 1] === ".") {
    const kind = literalBefore(scanSource(ahead.slice(0, start - 1)).tokens);
    // The result of a call is not known without running it.
    if (kind === null) return nothing;
    return { ...nothing, matches: membersOf(known.program, `${kind}.prototype`, prefix).sort() };
  }
  const members = membersOf(known.program, chain.slice(0, -1), prefix);
  const words = known.typed ? [...KEYWORDS, ...TYPE_WORDS] : KEYWORDS;
  const keywords = chain === "" ? words.filter((word) => prefix !== "" && word.startsWith(prefix)) : [];
  return { ...nothing, matches: [...new Set([...members, ...keywords])].sort().slice(0, LIMIT) };
}

/** The name of a module: Node's, a package, or a file beside the code. */
function completeName(name: string, cursor: number, { tree, cwd, builtins }: CompletionNames): Completion {
  const files = { tree, roots: [cwd], separator: "/", endings: [] };
  if (/^\.{0,2}\//.test(name)) {
    return completeModule({ ...files, roots: name.startsWith("/") ? [""] : [cwd] }, name, cursor);
  }
  const own = [...builtins].filter((each) => !each.startsWith("internal/") && each !== "boot");
  if (name.startsWith("node:")) return completionOf(own, name.slice("node:".length), cursor);
  const folders = [...foldersAbove(cwd).map((folder) => `${folder === "/" ? "" : folder}/node_modules`), INSTALLED];
  const packages = folders.flatMap((folder) => packagesIn(tree, folder));
  return completionOf([...own, ...packages, "./"], name, cursor);
}

function packagesIn(tree: Tree, folder: string): string[] {
  const names = listFolder(tree, folder).map(({ name }) => name).filter((name) => !name.startsWith("."));
  return names.flatMap((name) =>
    name.startsWith("@") ? listFolder(tree, `${folder}/${name}`).map((each) => `${name}/${each.name}`) : [name]
  );
}

/** The kind of the literal that the code ends with. */
function literalBefore(tokens: Token[]): "String" | "Array" | "RegExp" | null {
  const last = tokens.at(-1);
  if (last?.kind === "string" || last?.kind === "template") return "String";
  if (last?.kind === "regex") return "RegExp";
  if (last?.text !== "]") return null;
  const open = tokens.findLastIndex(({ text, depth }) => text === "[" && depth === last.depth);
  return endsValue(tokens[open - 1]) ? null : "Array";
}

/** The members as the guest reports them; it may report anything. */
function membersOf(program: Program, chain: string, prefix: string): string[] {
  try {
    const found: unknown = JSON.parse(String(program.callGuest("complete", chain, prefix)));
    return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
  } catch (error) {
    if (error instanceof Thrown || error instanceof SyntaxError) return [];
    throw error;
  }
}
