/** openssl: dgst, enc, rand, base64, passwd and version. */
import { FileError } from "../../../../../fs/files.ts";
import { CommandError } from "../tool/errors.ts";
import { complain } from "../tool/tool.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import { Input } from "../../descriptors/input.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { parseCipher, runEncryption } from "./encrypt.ts";
import { findDigest, hmac, toHex } from "./hashes.ts";
import { hashMd5, hashSha, makeSalt } from "./passwords.ts";

const VERSION = "OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19 27 Jan 2026)";
const ABSENT =
  "asn1parse ca cms crl ciphers dhparam ec ecparam genpkey genrsa ocsp pkcs12 pkcs7 pkcs8 pkey pkeyutl prime req rsa rsautl " +
  "s_client s_server s_time smime speed storeutl ts verify x509 dsa gendsa list";
const PASSED = "use python3 with the package cryptography instead";

/** Options of one subcommand: those with a value, and those without. */
interface Known {
  values: string[];
  flags: string[];
}

/** A subcommand with its options, input and output. */
export class OpensslCall {
  readonly #options = new Map<string, string>();
  readonly rest: string[] = [];
  /** Options that are names: of digests, of ciphers. */
  readonly names: string[] = [];

  constructor(readonly context: CommandContext, readonly name: string, args: readonly string[], known: Known) {
    for (let i = 0; i < args.length; i++) {
      const word = args[i];
      const option = word.replace(/^--?/, "");
      if (!word.startsWith("-") || word === "-") this.rest.push(...args.slice(i));
      if (!word.startsWith("-") || word === "-") break;
      if (known.values.includes(option)) {
        if (i + 1 >= args.length) throw new CommandError(`${name}: Option -${option} needs a value`);
        this.#options.set(option, args[++i]);
      } else if (known.flags.includes(option)) this.#options.set(option, "");
      else if (findDigest(option) || parseCipher(option)) this.names.push(option);
      else throw new CommandError(`${name}: Unknown option: -${option}\n${name}: Use -help for summary.`);
    }
  }

  has(option: string): boolean {
    return this.#options.has(option);
  }

  get(option: string): string | undefined {
    return this.#options.get(option);
  }

  complain(text: string): void {
    complain(this.context, text);
  }

  async readFile(path: string): Promise<Uint8Array> {
    const stream = this.context.open(path, { read: true, write: false });
    try {
      return await new Input(stream).readAll();
    } finally {
      stream.close();
    }
  }

  async readInput(): Promise<Uint8Array> {
    const path = this.get("in");
    return path === undefined ? await new Input(this.context.fds.get(0)).readAll() : await this.readFile(path);
  }

  /** Writes to -out or standard output; the code is 0. */
  async write(data: Uint8Array | string): Promise<number> {
    const bytes = typeof data === "string" ? toArray(encodeText(data)) : data;
    const path = this.get("out");
    if (path === undefined) await this.context.fds.get(1).write(bytes);
    else {
      const file = this.context.open(path, { read: false, write: true, create: true, truncate: true });
      await file.write(bytes);
      file.close();
    }
    return 0;
  }

  /** -pass pass:x, env:NAME, file:PATH, stdin; -k x; -kfile PATH. */
  async readPassword(): Promise<Uint8Array> {
    const encoder = new TextEncoder();
    const direct = this.get("k");
    if (direct !== undefined) return encoder.encode(direct);
    const file = this.get("kfile");
    const source = this.get("pass") ?? (file === undefined ? undefined : `file:${file}`);
    const [, kind, value] = /^(pass|env|file|stdin)(?::(.*))?$/s.exec(source ?? "") ?? [];
    if (kind === "pass") return encoder.encode(value ?? "");
    if (kind === "env") return encoder.encode(this.context.env[value ?? ""] ?? "");
    if (kind === "file") return firstLine(await this.readFile(value ?? ""));
    if (kind === "stdin") return firstLine(await new Input(this.context.fds.get(0)).readLine() ?? new Uint8Array());
    if (source !== undefined) {
      throw new CommandError(`Invalid password argument, starting with "${source.slice(0, 10)}"`);
    }
    throw new CommandError(`${this.name}: a password is needed: -pass pass:..., env:..., file:... or stdin`);
  }
}

function firstLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(10);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

async function runDigest(call: OpensslCall, preset?: string): Promise<number> {
  const name = call.names.at(-1) ?? preset ?? "sha256";
  const digest = findDigest(name);
  if (!digest) throw new CommandError(`${name}: this digest is not available`);
  const key = call.get("hmac");
  const title = (path: string | undefined) =>
    key === undefined || path === undefined ? digest.title : `HMAC-${digest.title}`;
  const results: Uint8Array[] = [];
  let code = 0;
  for (const path of call.rest.length > 0 ? call.rest : [undefined]) {
    try {
      const data = path === undefined ? await call.readInput() : await call.readFile(path);
      const hash = key === undefined
        ? await digest.hash(data)
        : await hmac(digest, new TextEncoder().encode(key), data);
      const hex = call.has("c") ? toHex(hash).replace(/..(?=.)/g, "$&:") : toHex(hash);
      const line = call.has("r") ? `${hex} *${path ?? "stdin"}\n` : `${title(path)}(${path ?? "stdin"})= ${hex}\n`;
      results.push(call.has("binary") ? hash : toArray(encodeText(line)));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      call.complain(`${path}: ${reasonOf(error)}`);
      code = 1;
    }
  }
  const all = new Uint8Array(results.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of results) {
    all.set(part, at);
    at += part.length;
  }
  await call.write(all);
  return code;
}

async function runRandom(call: OpensslCall): Promise<number> {
  const [, digits, unit] = /^(\d+)([KMG]?)$/.exec(call.rest[0] ?? "") ?? [];
  if (digits === undefined) throw new CommandError("rand: a number of bytes is needed");
  const count = Number(digits) * 1024 ** ["", "K", "M", "G"].indexOf(unit);
  if (count > 2 ** 28) throw new CommandError("rand: more than 256 MiB at once");
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  if (call.has("hex")) return await call.write(`${toHex(bytes)}\n`);
  return await call.write(call.has("base64") ? encodeBase64(bytes, false) : bytes);
}

async function runBase64(call: OpensslCall): Promise<number> {
  const data = await call.readInput();
  if (call.has("d")) return await call.write(decodeBase64(new TextDecoder().decode(data)));
  return await call.write(encodeBase64(data, call.has("A")));
}

async function runPassword(call: OpensslCall): Promise<number> {
  const input = call.has("stdin") || call.get("in") !== undefined;
  if (!input && call.rest.length === 0) throw new CommandError("passwd: a password is needed: an argument, or -stdin");
  const passwords = input ? new TextDecoder().decode(await call.readInput()).replace(/\n$/, "").split("\n") : call.rest;
  const kind = ["6", "5", "apr1", "1"].find((option) => call.has(option)) ?? "1";
  let out = "";
  for (const password of passwords) {
    const salt = call.get("salt") ?? makeSalt(kind === "5" || kind === "6" ? 16 : 8);
    out += kind === "5" || kind === "6"
      ? await hashSha(password, salt, kind)
      : hashMd5(password, salt, kind as "1" | "apr1");
    out += "\n";
  }
  return await call.write(out);
}

const IO = ["in", "out"];
const SUBCOMMANDS: Record<string, Known & { run(call: OpensslCall): Promise<number> }> = {
  dgst: { values: [...IO, "hmac"], flags: ["hex", "binary", "r", "c"], run: (call) => runDigest(call) },
  enc: {
    values: [...IO, "pass", "k", "kfile", "K", "iv", "S", "md", "iter", "bufsize"],
    flags: ["e", "d", "a", "A", "base64", "salt", "nosalt", "pbkdf2", "p", "P", "v"],
    run: (call) => runEncryption(call, call.names.map(parseCipher).find((cipher) => cipher !== undefined)),
  },
  rand: { values: ["out", "writerand", "rand"], flags: ["hex", "base64"], run: runRandom },
  base64: { values: IO, flags: ["d", "e", "a", "A"], run: runBase64 },
  passwd: { values: [...IO, "salt"], flags: ["1", "5", "6", "apr1", "stdin", "noverify", "quiet"], run: runPassword },
  version: { values: [], flags: ["a", "v"], run: (call) => call.write(`${VERSION}\n`) },
};

function runSubcommand(context: CommandContext, name: string, args: readonly string[]): Promise<number> {
  const known = SUBCOMMANDS[name];
  if (known) return known.run(new OpensslCall(context, name, args, known));
  if (findDigest(name)) return runDigest(new OpensslCall(context, name, args, SUBCOMMANDS.dgst), name);
  const cipher = parseCipher(name);
  if (cipher && !name.startsWith("-")) {
    return runEncryption(new OpensslCall(context, name, args, SUBCOMMANDS.enc), cipher);
  }
  if (ABSENT.split(" ").includes(name)) {
    throw new CommandError(`openssl ${name} is not available in this sandbox; ${PASSED}`);
  }
  throw new CommandError(`Invalid command '${name}'; type "help" for a list.`);
}

export const openssl: Command = {
  name: "openssl",
  async run(context) {
    const [, name, ...args] = context.argv;
    try {
      if (name === undefined || name === "help") {
        complain(context, `Commands: ${Object.keys(SUBCOMMANDS).join(" ")} md5 sha1 sha224 sha256 sha384 sha512`);
        return name === undefined ? 1 : 0;
      }
      return await runSubcommand(context, name, args);
    } catch (error) {
      if (error instanceof FileError) complain(context, `Can't open "${error.path}" for reading, ${reasonOf(error)}`);
      else if (error instanceof CommandError) complain(context, error.message);
      else throw error;
      return 1;
    }
  },
};
