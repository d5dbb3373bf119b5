/** The parts of `npm` that use the package.json of the current folder; the host does the rest. */

import type { Command, ExecResult, ResolvedCommandContext } from "just-bash";
import { isObject } from "./package_programs.ts";
import { quoteWord } from "./quote.ts";

const INSTALLS = ["install", "i", "add", "ci", "clean-install"];
const RUNS = ["run", "run-script", "rum", "urn"];
/** Scripts that have a word of their own. */
const OWN = ["test", "t", "tst", "start", "stop", "restart"];
const LARGEST = 1 << 20;

/** `npm` over the host's: `npm install` and `npm run NAME` in a project. */
export function npmCommand(host: Command): Command {
  const execute = async (args: string[], ctx: ResolvedCommandContext) => {
    const words = args.filter((each) => !each.startsWith("-"));
    const [verb = "", name = ""] = words;
    if (INSTALLS.includes(verb) && words.length === 1) return await installAll(host, args, ctx);
    if (RUNS.includes(verb)) return await runScript(name, args.slice(args.indexOf(name) + 1), ctx);
    if (OWN.includes(verb)) {
      return await runScript(verb.startsWith("t") ? "test" : verb, args.slice(args.indexOf(verb) + 1), ctx);
    }
    return await host.execute(args, ctx);
  };
  return { name: "npm", trusted: true, execute: (args, ctx) => execute(args, ctx as ResolvedCommandContext) };
}

async function installAll(host: Command, args: string[], ctx: ResolvedCommandContext): Promise<ExecResult> {
  const about = await readProject(ctx, "name the packages, as in `npm install NAME`");
  if (typeof about === "string") return failed(about);
  const production = args.some((each) => /^--(production|omit=dev|only=prod(uction)?)$/.test(each));
  const wanted = { ...(production ? {} : entries(about.devDependencies)), ...entries(about.dependencies) };
  const names = Object.entries(wanted).map(([name, versions]) => `${name}@${versions}`);
  if (names.length === 0) return { stdout: "package.json names no dependencies\n", stderr: "", exitCode: 0 };
  return await host.execute(["install", ...args.filter((each) => each.startsWith("-")), ...names], ctx);
}

async function runScript(name: string, rest: string[], ctx: ResolvedCommandContext): Promise<ExecResult> {
  const about = await readProject(ctx, "go to the folder of a project");
  if (typeof about === "string") return failed(about);
  const scripts = entries(about.scripts);
  const known = Object.keys(scripts).join(", ") || "none";
  if (name === "") return { stdout: `scripts: ${known}\n`, stderr: "", exitCode: 0 };
  if (scripts[name] === undefined) return failed(`package.json has no script ${name}; there are: ${known}`);
  if (!ctx.exec) return failed("commands cannot be run here");
  const words = (rest[0] === "--" ? rest.slice(1) : rest).map(quoteWord);
  const steps = [`pre${name}`, name, `post${name}`].filter((each) => scripts[each] !== undefined);
  const lines = steps.map((each) => each === name ? [scripts[each], ...words].join(" ") : scripts[each]);
  return await ctx.exec(lines.map((each) => `{ ${each}\n}`).join(" && "), { cwd: ctx.cwd, signal: ctx.signal });
}

/** The folder's package.json, or what is wrong with it. */
async function readProject(ctx: ResolvedCommandContext, advice: string): Promise<Record<string, unknown> | string> {
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

function entries(value: unknown): Record<string, string> {
  const pairs = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}

function failed(text: string): ExecResult {
  return { stdout: "", stderr: `npm: ${text}\n`, exitCode: 1 };
}
