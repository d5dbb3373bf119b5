/** The parts of `npm` that use the package.json of the current folder; the host does the rest. */

import type { Command, ExecResult, ResolvedCommandContext } from "just-bash";
import { LIBRARIES } from "../../../fs/packages.ts";
import {
  addDependencies,
  deleteFields,
  getFields,
  initProject,
  makeLock,
  type Project,
  removeDependencies,
  type Section,
  setFields,
  splitSpec,
  writeJson,
} from "./npm_project.ts";
import { isObject } from "./package_programs.ts";
import { quoteWord } from "./quote.ts";

const INSTALLS = ["install", "i", "add", "ci", "clean-install"];
const REMOVES = ["uninstall", "remove", "rm", "un", "r", "unlink"];
const EXECUTES = ["exec", "x"];
/** The npm that comes with the Node whose version the sandbox's node has. */
const VERSION = "10.8.2";
const RUNS = ["run", "run-script", "rum", "urn"];
/** Scripts that have a word of their own. */
const OWN = ["test", "t", "tst", "start", "stop", "restart"];
const LIFECYCLE = ["test", "start", "stop", "restart", "install", "prepare", "publish"];
const LARGEST = 1 << 20;
const MODULES = `${LIBRARIES}/javascript/node_modules`;

/** Options that say where a package is recorded. */
const PLACES: Record<string, Section> = {
  "-D": "devDependencies",
  "--save-dev": "devDependencies",
  "-O": "optionalDependencies",
  "--save-optional": "optionalDependencies",
  "--save-peer": "peerDependencies",
};

type Context = ResolvedCommandContext;

/** `npm` over the host's: `npm init`, `npm pkg`, `npm install` and `npm run NAME` in a project. */
export function npmCommand(host: Command): Command {
  const execute = async (args: string[], ctx: Context) => {
    const words = args.filter((each) => !each.startsWith("-"));
    const [verb = "", name = "", ...rest] = words;
    if (verb === "" && args.some((each) => each === "-v" || each === "--version")) return done(`${VERSION}\n`);
    if (verb === "prefix") return done(`${ctx.cwd}\n`);
    if (verb === "root") return done(`${ctx.fs.resolvePath(ctx.cwd, "node_modules")}\n`);
    if (EXECUTES.includes(verb)) return await runPackage(args.slice(args.indexOf(verb) + 1), ctx);
    if (verb === "init" || verb === "create") return await init(words.slice(1), args, ctx);
    if (verb === "pkg") return await changeProject(name, rest, args.includes("--json"), ctx);
    if (INSTALLS.includes(verb)) {
      if (words.length === 1) return await installAll(host, args, ctx);
      return await installNamed(host, words.slice(1), args, ctx);
    }
    if (REMOVES.includes(verb) && name !== "") return await remove(host, words.slice(1), args, ctx);
    if (RUNS.includes(verb)) return await runScript(name, args.slice(args.indexOf(name) + 1), args, ctx);
    if (OWN.includes(verb)) {
      return await runScript(verb.startsWith("t") ? "test" : verb, args.slice(args.indexOf(verb) + 1), args, ctx);
    }
    return await host.execute(args, ctx);
  };
  return { name: "npm", trusted: true, execute: (args, ctx) => execute(args, ctx as Context) };
}

/** `npm exec` is `npx`; what comes before `--` are npm's own options. */
async function runPackage(args: string[], ctx: Context): Promise<ExecResult> {
  if (!ctx.exec) return failed("commands cannot be run here");
  const end = args.indexOf("--");
  const words = end < 0 ? args : [...args.slice(0, end), ...args.slice(end + 1)];
  return await ctx.exec(["npx", ...words.map(quoteWord)].join(" "), { cwd: ctx.cwd, signal: ctx.signal });
}

async function init(names: string[], args: string[], ctx: Context): Promise<ExecResult> {
  if (names.length > 0) return failed(`create-${names[0]} cannot be run here: write the project's files yourself`);
  if (!args.some((each) => ["-y", "--yes", "-f", "--force"].includes(each))) {
    return failed("questions cannot be asked here: use `npm init -y`, then `npm pkg set KEY=VALUE`");
  }
  const known = await readProject(ctx, "");
  if (typeof known === "string" && await exists(ctx, "package.json")) return failed(known);
  const project = initProject(ctx.cwd, typeof known === "string" ? {} : known);
  const path = await writeFile(ctx, "package.json", project);
  return done(`Wrote to ${path}:\n\n${writeJson(project)}\n\n`);
}

async function changeProject(verb: string, words: string[], json: boolean, ctx: Context): Promise<ExecResult> {
  const project = await readProject(ctx, "make one with `npm init -y`");
  if (typeof project === "string") return failed(project);
  if (verb === "get") return done(writeJson(getFields(project, words)));
  if (verb === "set" && words.length > 0) {
    const problem = setFields(project, words, json);
    if (problem) return failed(problem);
  } else if (verb === "delete" && words.length > 0) deleteFields(project, words);
  else if (verb !== "fix") return failed("usage: npm pkg get [KEY...] | set KEY=VALUE... [--json] | delete KEY...");
  await writeFile(ctx, "package.json", project);
  return done("");
}

async function installAll(host: Command, args: string[], ctx: Context): Promise<ExecResult> {
  const about = await readProject(ctx, "name the packages, as in `npm install NAME`");
  if (typeof about === "string") return failed(about);
  const production = args.some((each) => /^--(production|omit=dev|only=prod(uction)?)$/.test(each));
  const wanted = { ...(production ? {} : entries(about.devDependencies)), ...entries(about.dependencies) };
  const names = Object.entries(wanted).map(([name, versions]) => `${name}@${versions}`);
  if (names.length === 0) return done("package.json names no dependencies\n");
  const result = await host.execute(["install", ...args.filter((each) => each.startsWith("-")), ...names], ctx);
  if (result.exitCode === 0) await writeLock(about, args, ctx);
  return result;
}

/** Installs packages by name, and records them in package.json as npm does. */
async function installNamed(host: Command, specs: string[], args: string[], ctx: Context): Promise<ExecResult> {
  const saved = !args.some((each) => ["--no-save", "-g", "--global"].includes(each));
  const about = await readProject(ctx, "");
  if (saved && typeof about === "string" && await exists(ctx, "package.json")) return failed(about);
  const result = await host.execute(args, ctx);
  if (result.exitCode !== 0 || !saved) return result;
  const project = typeof about === "string" ? {} : about;
  const installed = new Map<string, string>();
  for (const spec of specs) {
    const known = await readJson(ctx, `${MODULES}/${splitSpec(spec)[0]}/package.json`);
    if (typeof known?.version === "string") installed.set(spec, known.version);
  }
  const section = PLACES[args.find((each) => Object.hasOwn(PLACES, each)) ?? ""] ?? "dependencies";
  addDependencies(project, installed, section, args.some((each) => each === "-E" || each === "--save-exact"));
  await writeFile(ctx, "package.json", project);
  await writeLock(project, args, ctx);
  return result;
}

async function remove(host: Command, names: string[], args: string[], ctx: Context): Promise<ExecResult> {
  const result = await host.execute(args, ctx);
  const about = await readProject(ctx, "");
  if (result.exitCode !== 0 || typeof about === "string" || args.includes("--no-save")) return result;
  if (!removeDependencies(about, names)) return result;
  await writeFile(ctx, "package.json", about);
  await writeLock(about, args, ctx);
  return result;
}

async function writeLock(project: Project, args: string[], ctx: Context): Promise<void> {
  if (args.includes("--no-package-lock")) return;
  const known = new Map<string, Project | undefined>();
  const read = (name: string) => known.get(name);
  // What is read decides what else is needed, so this goes on until nothing is new.
  for (let before = -1; before < known.size;) {
    before = known.size;
    const wanted = new Set<string>();
    makeLock(project, (name) => (known.has(name) ? undefined : wanted.add(name), read(name)));
    for (const name of wanted) known.set(name, await readJson(ctx, `${MODULES}/${name}/package.json`));
  }
  await writeFile(ctx, "package-lock.json", makeLock(project, read));
}

async function runScript(name: string, rest: string[], args: string[], ctx: Context): Promise<ExecResult> {
  const about = await readProject(ctx, "go to the folder of a project");
  if (typeof about === "string") return failed(about);
  const scripts = entries(about.scripts);
  if (name === "") return done(listScripts(about, scripts));
  if (scripts[name] === undefined) {
    if (args.includes("--if-present")) return done("");
    const known = Object.keys(scripts).join(", ") || "none";
    return failed(`Missing script: "${name}"\n\nTo see a list of scripts, run:\n  npm run\nThere are: ${known}`);
  }
  if (!ctx.exec) return failed("commands cannot be run here");
  const silent = args.some((each) => ["-s", "--silent", "--loglevel=silent"].includes(each));
  const given = rest[0] === "--"
    ? rest.slice(1)
    : rest.filter((each) => !["-s", "--silent", "--if-present"].includes(each));
  const words = given.filter((each, index) => each !== "--" || given.indexOf("--") !== index).map(quoteWord);
  const steps = [`pre${name}`, name, `post${name}`].filter((each) => scripts[each] !== undefined);
  const lines = steps.map((each) => {
    const line = each === name ? [scripts[each], ...words].join(" ") : scripts[each];
    const head = `\n> ${title(about)}${each}\n> ${line}\n\n`;
    const shown = silent ? "" : `printf %s ${quoteWord(head)}; `;
    return `( ${shown}export npm_lifecycle_event=${quoteWord(each)}\n${line}\n)`;
  });
  const env = { npm_package_name: `${about.name ?? ""}`, npm_package_version: `${about.version ?? ""}` };
  return await ctx.exec(lines.join(" && "), { cwd: ctx.cwd, signal: ctx.signal, env: { ...env, INIT_CWD: ctx.cwd } });
}

function title({ name, version }: Project): string {
  return typeof name === "string" ? `${name}${typeof version === "string" ? `@${version}` : ""} ` : "";
}

function listScripts(about: Project, scripts: Record<string, string>): string {
  const show = (names: string[]) => names.map((each) => `  ${each}\n    ${scripts[each]}\n`).join("");
  const isOwn = (each: string) => LIFECYCLE.includes(each.replace(/^(pre|post)/, "")) || LIFECYCLE.includes(each);
  const own = Object.keys(scripts).filter(isOwn);
  const others = Object.keys(scripts).filter((each) => !isOwn(each));
  const first = own.length > 0
    ? `Lifecycle scripts included in ${title(about).trim() || "this project"}:\n${show(own)}`
    : "";
  return first + (others.length > 0 ? `available via \`npm run\`:\n${show(others)}` : "");
}

/** The folder's package.json, or what is wrong with it. */
async function readProject(ctx: Context, advice: string): Promise<Project | string> {
  const path = ctx.fs.resolvePath(ctx.cwd, "package.json");
  try {
    const { size } = await ctx.fs.stat(path);
    const about: unknown = size > LARGEST ? null : JSON.parse(await ctx.fs.readFile(path));
    return isObject(about) ? about : `${path} is not what npm expects`;
  } catch (error) {
    if (error instanceof SyntaxError) return `${path} cannot be read: ${error.message}`;
    return `there is no package.json in ${ctx.cwd}: ${advice}`;
  }
}

async function readJson(ctx: Context, path: string): Promise<Project | undefined> {
  try {
    const { size } = await ctx.fs.stat(path);
    const about: unknown = size > LARGEST ? undefined : JSON.parse(await ctx.fs.readFile(path));
    return isObject(about) ? about : undefined;
  } catch {
    return undefined;
  }
}

async function exists(ctx: Context, name: string): Promise<boolean> {
  return await ctx.fs.exists(ctx.fs.resolvePath(ctx.cwd, name));
}

async function writeFile(ctx: Context, name: string, value: unknown): Promise<string> {
  const path = ctx.fs.resolvePath(ctx.cwd, name);
  await ctx.fs.writeFile(path, writeJson(value));
  return path;
}

function entries(value: unknown): Record<string, string> {
  const pairs = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}

function done(stdout: string): ExecResult {
  return { stdout, stderr: "", exitCode: 0 };
}

function failed(text: string): ExecResult {
  return {
    stdout: "",
    stderr: text.split("\n").map((line) => `npm error ${line}`.trimEnd() + "\n").join(""),
    exitCode: 1,
  };
}
