/** Runs awk: options, program, input. */
import { type CompiledProgram, compileProgram } from "./compiler/program.ts";
import { Input } from "./data/values.ts";
import { AwkError, BrokenPipe, ExitProgram } from "./errors.ts";
import { type AwkHost, OpenError } from "./host.ts";
import { InPlace } from "./machine/in_place.ts";
import { Machine } from "./machine/machine.ts";
import { encodeBytes, splitBytes, TextDecoding } from "./machine/text_coding.ts";
import { type AwkOptions, readOptions, USAGE } from "./options.ts";
import { unescapeValue } from "./program/escapes.ts";
import { parseProgram, type SourceText } from "./program/parser.ts";
import { resolveNames } from "./program/resolver.ts";

const FATAL = 2;
const BROKEN_PIPE = 141;
const VERSION = "awk of Cloche, a POSIX awk with gawk's everyday extensions\n";

/** Runs awk with the arguments behind its name; returns its exit code. */
export async function runAwk(args: string[], host: AwkHost): Promise<number> {
  let machine: Machine | undefined;
  let source = "";
  try {
    const options = readOptions(args);
    host.bytes ||= options.bytes;
    if (options.showsVersion || options.showsHelp) {
      await host.stdout.write(encodeBytes(options.showsVersion ? VERSION : `${USAGE}\n`));
      return 0;
    }
    const sources = await readSources(options, host);
    source = sources.length === 1 ? `${sources[0].name}:` : "";
    const { program, warnings } = await parseProgram(sources, (name) => readSource(name, host));
    if (warnings.length > 0) await host.stderr.write(encodeBytes([...new Set(warnings)].join("")));
    const names = resolveNames(program);
    machine = new Machine(host, names);
    prepare(machine, options);
    return await runProgram(machine, compileProgram(program, names, machine));
  } catch (error) {
    if (error instanceof BrokenPipe) return BROKEN_PIPE;
    if (!(error instanceof AwkError)) throw error;
    await closeQuietly(machine);
    await host.stderr.write(encodeBytes(explain(error, source, machine)));
    return error.message === USAGE ? 1 : FATAL;
  }
}

/** The message of an error, with its place in the program and in the input. */
function explain(error: AwkError, source: string, machine: Machine | undefined): string {
  if (error.syntax) return `${error.message}\n`;
  const { line, message } = error;
  const place = line > 0 ? `${source}${line}: ` : "";
  const count = machine?.state.fileRecordCount ?? 0;
  const file = count > 0 ? machine?.state.textOf(machine.state.cell("FILENAME").value) || "-" : "";
  return `awk: ${place}${count > 0 ? `(FILENAME=${file} FNR=${count}) ` : ""}fatal: ${message}\n`;
}

async function closeQuietly(machine: Machine | undefined): Promise<void> {
  try {
    await machine?.streams.closeAll();
  } catch (error) {
    if (!(error instanceof BrokenPipe || error instanceof AwkError)) throw error;
  }
}

async function readSources({ sources }: AwkOptions, host: AwkHost): Promise<SourceText[]> {
  const texts: SourceText[] = [];
  for (const source of sources) {
    if (source.kind === "file") texts.push(await readSource(source.name, host));
    else texts.push({ name: "cmd. line", text: host.bytes ? splitBytes(source.text) : source.text });
  }
  return texts;
}

async function readSource(name: string, host: AwkHost): Promise<SourceText> {
  const decoding = new TextDecoding(host.bytes);
  try {
    const reader = name === "-" || name === "/dev/stdin" ? host.stdin : await host.openInput(name);
    let text = "";
    for (let data = await reader.read(); data !== undefined; data = await reader.read()) text += decoding.decode(data);
    return { name: name === "-" ? "stdin" : name, text: (text + decoding.end()).replace(/^#!/, "#") };
  } catch (error) {
    if (!(error instanceof OpenError)) throw error;
    throw new AwkError(`cannot open source file \`${name}' for reading: ${error.message}`);
  }
}

function prepare(machine: Machine, options: AwkOptions): void {
  const { operands, assignments, separator, inPlace, inPlaceSuffix } = options;
  const { state, host } = machine;
  const given = (word: string) => host.bytes ? splitBytes(word) : word;
  const argv = state.array("ARGV").map;
  ["awk", ...operands].forEach((word, i) => argv.set(String(i), new Input(given(word))));
  state.cell("ARGC").value = operands.length + 1;
  const environment = state.array("ENVIRON").map;
  for (const [name, value] of Object.entries(host.environment)) environment.set(name, new Input(given(value)));
  const info = state.array("PROCINFO").map;
  info.set("version", "5.2.1");
  info.set("strftime", "%a %b %e %H:%M:%S %Z %Y");
  info.set("FS", "FS");
  for (const word of assignments) state.assign(given(word), unescapeValue);
  if (inPlace) {
    const suffix = () => inPlaceSuffix ?? state.textOf(state.cell("INPLACE_SUFFIX").value);
    machine.input.inPlace = new InPlace(host, machine.streams.stdout, suffix);
  }
  if (separator !== undefined) state.cell("FS").value = new Input(given(separator));
}

async function runProgram(machine: Machine, program: CompiledProgram): Promise<number> {
  const { begin, end } = program;
  machine.input.beginFile = program.beginFile;
  machine.input.endFile = program.endFile;
  try {
    if (begin) await machine.run(begin);
    machine.readsRecords = true;
    if (machine.left !== "exit") await readRecords(machine, program);
  } catch (error) {
    if (!(error instanceof ExitProgram)) throw error;
  }
  machine.readsRecords = false;
  await machine.input.inPlace?.end();
  if (end) await machine.run(end);
  await machine.streams.closeAll();
  return machine.exitCode;
}

/** Runs the rules for each record. */
async function readRecords(machine: Machine, { main, end, beginFile, endFile }: CompiledProgram): Promise<void> {
  if (!main && !end && !beginFile && !endFile) return;
  const { input, state, streams } = machine;
  const { record } = state;
  let fuel = 0;
  for (;;) {
    let text = input.next();
    if (text instanceof Promise) {
      await streams.stdout.flush();
      text = await text;
    }
    if (text === undefined) return;
    record.text = text;
    if (++fuel === 1024) {
      fuel = 0;
      await machine.host.attend();
    }
    if (!main) continue;
    const waiting = machine.run(main);
    if (waiting) await waiting;
    if (machine.left === "") continue;
    if (machine.left === "exit") return;
    await input.skipFile();
  }
}
