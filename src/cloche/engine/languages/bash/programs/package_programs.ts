/** Programs that packages of npm, RubyGems and Composer bring: commands of the shell, run by their languages. */

import { LIBRARIES, type Package } from "../../../fs/packages.ts";
import type { Language } from "../../../protocol.ts";
import type { Command, CommandContext } from "../shell/processes/command.ts";
import { Output } from "../shell/descriptors/input.ts";
import type { StartProgram } from "./language_programs.ts";

export interface Program {
  name: string;
  language: Language;
  file: string;
}

const NAME = /^[A-Za-z0-9_][\w.-]*$/;
/** Packages inside another package are visible only to that one. */
const TOP = /^javascript\/node_modules\/(@[^/]+\/)?[^/]+$/;
const LARGEST = 1 << 20;
/** Packages that run TypeScript by means that are not here; the shell has commands of these names. */
const BUILT_IN = new Set(["tsx", "ts-node"]);

/** A package's own words about itself; they may be anything. */
type About = Record<string, unknown>;

const READERS: Record<string, { file: string; language: Language; command: string; list(about: About): Found[] }> = {
  javascript: { file: "package.json", language: "javascript", command: "node", list: npmPrograms },
  ruby: { file: "cloche.json", language: "ruby", command: "ruby", list: gemPrograms },
  php: { file: "composer.json", language: "php", command: "php", list: composerPrograms },
};

/** A command and its file below the package. */
type Found = [name: string, file: string];

/** The programs of all packages; `read` returns a file's bytes, or null if there is none or it is too large. */
export function programsOf(packages: Package[], read: (path: string, most: number) => Uint8Array | null): Program[] {
  return packages.flatMap(({ language = "", at = "" }) => {
    const reader = READERS[language];
    if (!reader || (language === "javascript" && !TOP.test(at))) return [];
    const found = reader.list(parsed(read(`${LIBRARIES}/${at}/${reader.file}`, LARGEST)));
    return found.filter(([name, file]) => NAME.test(name) && isInside(file)).map(([name, file]) => ({
      name,
      language: reader.language,
      file: `${LIBRARIES}/${at}/${file.replace(/^\.\//, "")}`,
    }));
  });
}

export function programCommands(programs: Program[], start: StartProgram): Command[] {
  return programs.map((program) => ({
    name: program.name,
    run: (context) => run(program, context.argv.slice(1), context, start),
  }));
}

/** `npx NAME`: runs a package's program, and installs the package before if it is not there. */
export function npxCommand(programs: () => Program[], start: StartProgram): Command {
  return { name: "npx", run: (context) => runNpx(programs, start, context) };
}

async function runNpx(programs: () => Program[], start: StartProgram, context: CommandContext): Promise<number> {
  const { packages, words } = readNpx(context.argv.slice(1));
  if (words.length === 0) return await fail(context, "npx: name a package, as in `npx cowsay hello`", 2);
  const [spec, ...rest] = words;
  const name = packages.length > 0 ? spec : plainName(spec);
  if (BUILT_IN.has(name)) return await context.spawn([name, ...rest]).done;
  const known = () => findProgram(programs(), name);
  if (packages.length > 0 || spec !== name || !known()) {
    const argv = ["npm", "install", "--silent", ...packages.length > 0 ? packages : [spec]];
    const code = await context.spawn(argv).done;
    if (code !== 0) return code;
  }
  const program = known();
  return program ? await run(program, rest, context, start) : await fail(context, `npx: ${name} brings no command`, 1);
}

function run({ name, language, file }: Program, args: string[], context: CommandContext, start: StartProgram) {
  const { command } = Object.values(READERS).find((each) => each.language === language) ?? { command: name };
  return start(language, [command, file, ...args], context);
}

/** By the command's name, else the one command of the package of this name. */
function findProgram(programs: Program[], name: string): Program | undefined {
  const own = programs.filter(({ language }) => language === "javascript");
  const short = name.slice(name.lastIndexOf("/") + 1);
  const inside = own.filter(({ file }) => file.startsWith(`${LIBRARIES}/javascript/node_modules/${name}/`));
  return inside.find((each) => each.name === short) ?? (inside.length === 1 ? inside[0] : undefined) ??
    own.find((each) => each.name === name);
}

function readNpx(args: string[]): { packages: string[]; words: string[] } {
  const packages: string[] = [];
  const rest = [...args];
  while (rest[0]?.startsWith("-")) {
    const [option, value] = (rest.shift() ?? "").split("=");
    if (option === "--") break;
    if (option === "-p" || option === "--package") packages.push(value ?? rest.shift() ?? "");
  }
  return { packages, words: rest };
}

/** `@scope/name@1.x` without its version. */
function plainName(spec: string): string {
  const at = spec.indexOf("@", 1);
  return at < 0 ? spec : spec.slice(0, at);
}

function npmPrograms({ name, bin }: About): Found[] {
  if (typeof bin === "string" && typeof name === "string") return [[name.slice(name.lastIndexOf("/") + 1), bin]];
  return isObject(bin) ? texts(Object.entries(bin)) : [];
}

function gemPrograms({ executables, bindir }: About): Found[] {
  return Array.isArray(executables) ? texts(executables.map((name) => [name, `${bindir}/${name}`])) : [];
}

function composerPrograms({ bin }: About): Found[] {
  const files: unknown[] = Array.isArray(bin) ? bin : [bin];
  return texts(files.map((file) => [typeof file === "string" ? file.slice(file.lastIndexOf("/") + 1) : "", file]));
}

function texts(pairs: unknown[][]): Found[] {
  return pairs.filter((pair): pair is Found => pair.every((each) => typeof each === "string"));
}

function isInside(file: string): boolean {
  return file !== "" && !file.startsWith("/") && !file.includes("\0") && !file.split("/").includes("..");
}

export function isObject(value: unknown): value is About {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(data: Uint8Array | null): About {
  try {
    const about: unknown = data && JSON.parse(new TextDecoder().decode(data));
    return isObject(about) ? about : {};
  } catch {
    return {};
  }
}

async function fail(context: CommandContext, text: string, code: number): Promise<number> {
  await new Output(context.fds.get(2)).write(`${text}\n`);
  return code;
}
