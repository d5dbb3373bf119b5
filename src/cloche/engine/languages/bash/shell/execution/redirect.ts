/** Redirections: they change the shell's own descriptors, and are undone after the command. */
import { FileError } from "../../../../fs/files.ts";
import { encodeText, toArray } from "../../text/byte_strings.ts";
import { reasonOf } from "../../text/file_errors.ts";
import { TextStream } from "../descriptors/devices.ts";
import { descriptorPath } from "../descriptors/paths.ts";
import type { OpenStream } from "../descriptors/stream.ts";
import type { Description } from "../descriptors/table.ts";
import { expandHereDocument, expandTarget, expandWord } from "../expansion/words.ts";
import { ExpansionError, type Interpreter } from "../interpreter.ts";
import type { OpenFlags } from "../processes/system_files.ts";
import { assignElement, assignVariable, parseElement, readElement, readVariable } from "../state/assign.ts";
import type { RedirectionNode } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";

const READ: OpenFlags = { read: true, write: false };
const WRITE: OpenFlags = { read: false, write: true, create: true, truncate: true };
const APPEND: OpenFlags = { read: false, write: true, create: true, append: true };
const BOTH: OpenFlags = { read: true, write: true, create: true };
/** Files are made with this, less the umask. */
const MODE = 0o666;

/** What descriptors were before. */
type Saved = [fd: number, before: Description | undefined][];

/** Redirections that were done, so that they can be undone. */
export class Redirected {
  readonly #saved: Saved = [];

  constructor(private readonly shell: Interpreter) {}

  /** To be called before a descriptor changes. */
  keep(fd: number): void {
    if (!this.#saved.some(([each]) => each === fd)) this.#saved.push([fd, this.shell.fds.save(fd)]);
  }

  undo(): void {
    for (const [fd, before] of this.#saved.splice(0).reverse()) this.shell.fds.restore(fd, before);
  }

  /** Lets them stay, as `exec` does. */
  commit(): void {
    for (const [, before] of this.#saved.splice(0)) before?.release();
  }
}

/** Does redirections in order; if one fails it says why, undoes them and returns undefined. */
export function* redirect(shell: Interpreter, nodes: RedirectionNode[]): Task<Redirected | undefined> {
  const done = new Redirected(shell);
  try {
    for (const node of nodes) yield* redirectOne(shell, node, done);
    return done;
  } catch (error) {
    // It is said where those before it have sent messages.
    if (error instanceof RedirectionError) shell.complain(error.message);
    done.undo();
    if (!(error instanceof RedirectionError)) throw error;
    return undefined;
  }
}

/** Whether any of them gives input; of those that copy a descriptor, or open one for both, only to standard input. */
export function givesInput(nodes: RedirectionNode[]): boolean {
  return nodes.some(({ operator, fd = 0 }) => operator[0] === "<" && (fd === 0 || !/^<[&>]$/.test(operator)));
}

/** A redirection that cannot be done; the command then is not run. */
class RedirectionError extends Error {}

function* redirectOne(shell: Interpreter, node: RedirectionNode, done: Redirected): Task<void> {
  const { operator } = node;
  if (operator === "<<" || operator === "<<-" || operator === "<<<") return yield* redirectText(shell, node, done);
  if (operator === ">&" || operator === "<&") {
    const target = yield* targetOf(shell, node);
    if (
      operator === "<&" || node.fd !== undefined && node.fd !== 1 || node.variable !== undefined ||
      /^(\d+-?|-)$/.test(target)
    ) {
      return duplicate(shell, node, target, done);
    }
    return yield* openBoth(shell, target, WRITE, done);
  }
  const target = yield* targetOf(shell, node);
  if (operator === "&>") return yield* openBoth(shell, target, WRITE, done);
  if (operator === "&>>") return yield* openBoth(shell, target, APPEND, done);
  const fd = descriptorOf(shell, node, operator === "<" || operator === "<>" ? 0 : 1);
  keep(shell, node, fd, done);
  const flags = operator === "<" ? READ : operator === ">>" ? APPEND : operator === "<>" ? BOTH : WRITE;
  openInto(shell, fd, target, flags, operator === ">");
  yield* untilOpened(shell, fd);
}

function* targetOf(shell: Interpreter, { target }: RedirectionNode): Task<string> {
  const text = target.plain ?? (yield* expandTarget(shell, target));
  if (text === undefined) throw new RedirectionError(`${target.text}: ambiguous redirect`);
  return text;
}

/** A named pipe is open when its other end is. */
function* untilOpened(shell: Interpreter, fd: number): Task<void> {
  const opened = shell.fds.find(fd)?.opened?.();
  if (opened instanceof Promise) yield opened;
}

/** What `{name}>file` opens stays open, unless varredir_close says otherwise. */
function keep(shell: Interpreter, node: RedirectionNode, fd: number, done: Redirected): void {
  if (node.variable === undefined || shell.state.shopt.has("varredir_close")) done.keep(fd);
}

/** The number of a descriptor; `{name}` gets a free one, which stays open. */
function descriptorOf(shell: Interpreter, node: RedirectionNode, otherwise: number): number {
  if (node.variable === undefined) return node.fd ?? otherwise;
  const fd = shell.fds.free();
  try {
    const { name, subscript } = parseElement(shell, node.variable);
    if (subscript === undefined) assignVariable(shell, name, String(fd));
    else assignElement(shell, name, subscript, String(fd));
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.said) throw error;
    shell.complain(error.message);
    throw new RedirectionError(`${node.variable}: cannot assign fd to variable`);
  }
  return fd;
}

/** The descriptor that `{name}>&-` closes. */
function variableDescriptor(shell: Interpreter, variable: string): number {
  const { name, subscript } = parseElement(shell, variable);
  const text = subscript === undefined ? readVariable(shell, name) : readElement(shell, name, subscript);
  if (text === undefined || !/^\d+$/.test(text)) throw new RedirectionError(`${variable}: ambiguous redirect`);
  return Number(text);
}

function* openBoth(shell: Interpreter, target: string, flags: OpenFlags, done: Redirected): Task<void> {
  done.keep(1);
  done.keep(2);
  openInto(shell, 1, target, flags, flags === WRITE);
  shell.fds.duplicate(1, 2);
  yield* untilOpened(shell, 1);
}

/** Opens a file as a descriptor; /dev/stdin and its like are copies of others. */
function openInto(shell: Interpreter, fd: number, target: string, flags: OpenFlags, clobbers: boolean): void {
  const from = target === "" ? undefined : descriptorPath(shell.resolve(target));
  if (from === undefined) return shell.fds.set(fd, open(shell, target, flags, clobbers));
  if (!shell.fds.has(from)) throw new RedirectionError(`${target}: No such file or directory`);
  shell.fds.duplicate(from, fd);
}

function open(shell: Interpreter, target: string, flags: OpenFlags, clobbers: boolean): OpenStream {
  const path = target === "" ? "" : shell.resolve(target);
  try {
    if (target === "") throw new FileError("ENOENT");
    if (target.endsWith("/") && flags.write) throw new FileError("EISDIR");
    if (clobbers && shell.state.options.has("noclobber") && isFile(shell, path)) {
      throw new RedirectionError(`${target}: cannot overwrite existing file`);
    }
    return shell.files.open(path, flags, MODE & ~shell.state.umask);
  } catch (error) {
    if (error instanceof RedirectionError) throw error;
    throw new RedirectionError(`${target}: ${reasonOf(error)}`);
  }
}

function isFile(shell: Interpreter, path: string): boolean {
  try {
    return shell.files.stat(path).kind === "file";
  } catch {
    return false;
  }
}

function duplicate(shell: Interpreter, node: RedirectionNode, target: string, done: Redirected): void {
  const otherwise = node.operator === "<&" ? 0 : 1;
  if (target === "-") {
    const fd = node.variable === undefined ? node.fd ?? otherwise : variableDescriptor(shell, node.variable);
    done.keep(fd);
    return shell.fds.close(fd);
  }
  const [, digits, move] = /^(\d+)(-?)$/.exec(target) ?? [];
  if (digits === undefined) throw new RedirectionError(`${node.target.text}: ambiguous redirect`);
  const from = Number(digits);
  if (!shell.fds.has(from)) {
    throw new RedirectionError(`${node.target.plain === undefined ? node.target.text : digits}: Bad file descriptor`);
  }
  const fd = descriptorOf(shell, node, otherwise);
  keep(shell, node, fd, done);
  shell.fds.duplicate(from, fd);
  if (move === "-" && from !== fd) shell.fds.close(from);
}

function* redirectText(shell: Interpreter, node: RedirectionNode, done: Redirected): Task<void> {
  const text = node.operator === "<<<"
    ? (node.target.plain ?? (yield* expandWord(shell, node.target))) + "\n"
    : yield* expandHereDocument(shell, node.target);
  const fd = descriptorOf(shell, node, 0);
  keep(shell, node, fd, done);
  shell.fds.set(fd, new TextStream(toArray(encodeText(text))));
}

/** Whether an error says only that an expansion failed. */
export function isExpansionError(error: unknown): error is ExpansionError {
  return error instanceof ExpansionError;
}
