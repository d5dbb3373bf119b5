/** Reading and writing on ports, and files. */

import { raiseFailure, wrongType } from "../vm/errors.ts";
import type { Vm } from "../vm/vm.ts";
import { displayValue, writeValue } from "../syntax/printer.ts";
import { ByteInput, ByteOutput, type Files, Port, TextInput, TextOutput } from "../vm/ports.ts";
import { Parameter } from "../vm/procedures.ts";
import { Char, EOF, Text, type Value } from "../vm/values.ts";
import { asByte, asBytevector, asChar, asRange, asSize, asText, type Registry } from "./registry.ts";

/** The ports a program starts with. */
export interface Console {
  input: Parameter;
  output: Parameter;
  error: Parameter;
}

interface Context {
  r: Registry;
  m: Vm;
  files: Files;
  console: Console;
  /** Files that are written, to be flushed when the program ends. */
  opened: Set<Port>;
}

type Kind<T> = abstract new (...args: never[]) => T;

function portOf<T extends Port>({ m }: Context, value: Value, standard: Parameter, kind: Kind<T>, who: string): T {
  const port = value === undefined ? m.parameter(standard) : value;
  if (!(port instanceof kind)) throw wrongType(who, "another kind of port", port);
  if (!port.open) throw raiseFailure("PortClosed", `${who}: the port is closed`);
  return port;
}

const found = (code: number | null) => code === null ? EOF : Char.of(code);
const foundText = (text: string | null) => text === null ? EOF : new Text(text);

function addTextInput(context: Context): void {
  const { r, console } = context;
  const reads = (name: string, get: (port: TextInput) => Value) =>
    r.fn(name, [0, 1], (port: Value) => get(portOf(context, port, console.input, TextInput, name)));
  reads("read-char", (port) => found(port.next()));
  reads("peek-char", (port) => found(port.peek()));
  reads("read-line", (port) => foundText(port.line()));
  reads("char-ready?", () => true);
  reads("read", (port) => port.datum());
  r.fn("read-string", [1, 2], (a: Value, b: Value) => {
    const [count, port] = typeof a === "number" ? [a, b] : [b, a];
    return foundText(
      portOf(context, port, console.input, TextInput, "read-string").chars(asSize(count, "read-string")),
    );
  });
  reads("%read-all", (port) => new Text(port.all()));
}

function addByteInput(context: Context): void {
  const { r, console } = context;
  const port = (value: Value, who: string) => portOf(context, value, console.input, ByteInput, who);
  r.fn("read-u8", [0, 1], (p: Value) => port(p, "read-u8").next());
  r.fn("peek-u8", [0, 1], (p: Value) => port(p, "peek-u8").peek());
  r.fn("u8-ready?", [0, 1], (p: Value) => port(p, "u8-ready?").open);
  r.fn(
    "read-bytevector",
    [1, 2],
    (k: Value, p: Value) => port(p, "read-bytevector").bytes(asSize(k, "read-bytevector")) ?? EOF,
  );
  r.fn("read-bytevector!", [1, 4], (v: Value, p: Value, start: Value, end: Value) => {
    const data = asBytevector(v, "read-bytevector!");
    const [from, to] = asRange(start, end, data.length, "read-bytevector!");
    const part = port(p, "read-bytevector!").bytes(to - from);
    if (!part) return EOF;
    data.set(part, from);
    return part.length;
  });
}

function addOutput(context: Context): void {
  const { r, console } = context;
  const port = (value: Value, who: string) => portOf(context, value, console.output, TextOutput, who);
  const prints = (name: string, print: (value: Value) => string) =>
    r.fn(name, [1, 2], (x: Value, p: Value) => port(p, name).write(print(x)));
  prints("write", (x) => writeValue(x));
  prints("display", displayValue);
  prints("write-shared", (x) => writeValue(x, "shared"));
  prints("write-simple", (x) => writeValue(x, "none"));
  prints("write-char", (x) => asChar(x, "write-char").toString());
  prints("write-line", (x) => writeValue(x) + "\n");
  r.fn("newline", [0, 1], (p: Value) => port(p, "newline").write("\n"));
  r.fn("write-string", [1, 4], (s: Value, p: Value, start: Value, end: Value) => {
    const string = asText(s, "write-string");
    port(p, "write-string").write(string.slice(...asRange(start, end, string.length, "write-string")));
  });
  const bytes = (value: Value, who: string) => portOf(context, value, console.output, ByteOutput, who);
  r.fn("write-u8", [1, 2], (x: Value, p: Value) => bytes(p, "write-u8").write(Uint8Array.of(asByte(x, "write-u8"))));
  r.fn("write-bytevector", [1, 4], (v: Value, p: Value, start: Value, end: Value) => {
    const data = asBytevector(v, "write-bytevector");
    bytes(p, "write-bytevector").write(data.slice(...asRange(start, end, data.length, "write-bytevector")));
  });
  r.fn("flush-output-port", [0, 1], (p: Value) => {
    const target = portOf(context, p, console.output, Port, "flush-output-port");
    if (target instanceof TextOutput || target instanceof ByteOutput) target.flush();
  });
}

function addPorts(context: Context): void {
  const { r } = context;
  const isInput = (x: Value) => x instanceof TextInput || x instanceof ByteInput;
  const isOutput = (x: Value) => x instanceof TextOutput || x instanceof ByteOutput;
  r.fn("port?", 1, (x: Value) => x instanceof Port);
  r.fn("input-port?", 1, isInput);
  r.fn("output-port?", 1, isOutput);
  r.fn("textual-port?", 1, (x: Value) => x instanceof Port && !x.binary);
  r.fn("binary-port?", 1, (x: Value) => x instanceof Port && x.binary);
  r.fn("input-port-open?", 1, (x: Value) => isInput(x) && (x as Port).open);
  r.fn("output-port-open?", 1, (x: Value) => isOutput(x) && (x as Port).open);
  for (const name of ["close-port", "close-input-port", "close-output-port"]) {
    r.fn(name, 1, (x: Value) => {
      if (!(x instanceof Port)) throw wrongType(name, "a port", x);
      context.opened.delete(x);
      x.close();
    });
  }
  r.fn("open-input-string", 1, (s: Value) => TextInput.of(asText(s, "open-input-string").toString()));
  r.fn("open-output-string", 0, () => new TextOutput(null));
  r.fn("get-output-string", 1, (p: Value) => {
    if (p instanceof TextOutput) return new Text(p.text());
    throw wrongType("get-output-string", "a string port", p);
  });
  r.fn("open-input-bytevector", 1, (v: Value) => new ByteInput(asBytevector(v, "open-input-bytevector").slice()));
  r.fn("open-output-bytevector", 0, () => new ByteOutput(null));
  r.fn("get-output-bytevector", 1, (p: Value) => {
    if (p instanceof ByteOutput) return p.bytes();
    throw wrongType("get-output-bytevector", "a bytevector port", p);
  });
  r.fn("eof-object", 0, () => EOF);
  r.fn("eof-object?", 1, (x: Value) => x === EOF);
}

/** Errors of the file system as errors of the program. */
export function fileWork<T>(who: string, path: Value, work: (path: string) => T): T {
  const name = asText(path, who).toString();
  try {
    return work(name);
  } catch (error) {
    throw raiseFailure("FileError", `${who}: ${error instanceof Error ? error.message : String(error)}`, path);
  }
}

function addFiles({ r, files, opened }: Context): void {
  const opens = (name: string, open: (path: string) => Port) =>
    r.fn(name, 1, (path: Value) => {
      const port = fileWork(name, path, open);
      if (port.kind === "output-port") opened.add(port);
      return port;
    });
  const output = (append: boolean) => (path: string) => {
    const sink = files.open(path, append);
    const encoder = new TextEncoder();
    return new TextOutput((text) => sink.write(encoder.encode(text)), () => sink.close());
  };
  opens("open-input-file", (path) => TextInput.of(new TextDecoder().decode(files.read(path))));
  opens("open-binary-input-file", (path) => new ByteInput(files.read(path)));
  opens("open-output-file", output(false));
  opens("open-append-file", output(true));
  opens("open-binary-output-file", (path) => new ByteOutput(files.open(path, false)));
  r.fn("file-exists?", 1, (path: Value) => fileWork("file-exists?", path, (path) => files.exists(path)));
  r.fn("delete-file", 1, (path: Value) => fileWork("delete-file", path, (path) => files.remove(path)));
}

export function addInputAndOutput(context: Context): void {
  for (const add of [addTextInput, addByteInput, addOutput, addPorts, addFiles]) add(context);
}
