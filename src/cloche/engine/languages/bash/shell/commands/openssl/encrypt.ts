/** openssl enc: AES in CBC, CTR and ECB mode, with a key from a password. */
import { CommandError } from "../tool/errors.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { joinBytes, requireDigest } from "./hashes.ts";
import type { OpensslCall } from "./openssl.ts";

const MAGIC = new TextEncoder().encode("Salted__");
const ITERATIONS = 10_000;
const WARNING = "*** WARNING : deprecated key derivation used.\nUsing -iter or -pbkdf2 would be better.";
const BLOCK = 16;

interface Cipher {
  bytes: number;
  mode: string;
}

export function parseCipher(name: string): Cipher | undefined {
  const [, bits, mode] = /^-?aes-?(128|192|256)(?:-(cbc|ctr|ecb))?$/i.exec(name) ?? [];
  return bits === undefined ? undefined : { bytes: Number(bits) / 8, mode: (mode ?? "cbc").toLowerCase() };
}

function fromHex(call: OpensslCall, text: string, size: number): Uint8Array {
  if (!/^[0-9a-fA-F]*$/.test(text)) throw new CommandError("invalid hex character in input");
  if (text.length < size * 2) call.complain("hex string is too short, padding with zero bytes to length");
  if (text.length > size * 2) call.complain("hex string is too long, ignoring excess");
  const whole = text.padEnd(size * 2, "0");
  return Uint8Array.from({ length: size }, (_, i) => parseInt(whole.slice(i * 2, i * 2 + 2), 16));
}

export async function runEncryption(call: OpensslCall, cipher: Cipher | undefined): Promise<number> {
  const decode = call.has("d");
  const text = call.has("a") || call.has("base64");
  let data = await call.readInput();
  if (text && decode) data = decodeBase64(new TextDecoder().decode(data));
  if (!cipher) {
    if (!text) throw new CommandError("enc: a cipher is needed: -aes-128-cbc, -aes-256-cbc or -aes-256-ctr");
    return await call.write(decode ? data : encodeBase64(data, call.has("A")));
  }
  const { key, iv, header, body } = await deriveKey(call, cipher, data, decode);
  if (call.has("P") || call.has("p")) await call.write(describeKey(key, iv, header));
  if (call.has("P")) return 0;
  if (cipher.mode === "ecb") return await runBlocks(call, key, body, header, decode, text);
  const algorithm = cipher.mode === "ctr" ? { name: "AES-CTR", counter: iv, length: 128 } : { name: "AES-CBC", iv };
  const imported = await crypto.subtle.importKey("raw", key, algorithm.name, false, ["encrypt", "decrypt"]);
  if (!decode) {
    const coded = new Uint8Array(await crypto.subtle.encrypt(algorithm, imported, body));
    const whole = joinBytes(header ?? new Uint8Array(), coded);
    return await call.write(text ? encodeBase64(whole, call.has("A")) : whole);
  }
  try {
    return await call.write(new Uint8Array(await crypto.subtle.decrypt(algorithm, imported, body)));
  } catch {
    call.complain("bad decrypt");
    return 1;
  }
}

/** ECB: every block for itself. The platform has only CBC, which does the same with one block and an empty vector. */
async function runBlocks(
  call: OpensslCall,
  key: Uint8Array<ArrayBuffer>,
  body: Uint8Array<ArrayBuffer>,
  header: Uint8Array | undefined,
  decode: boolean,
  text: boolean,
): Promise<number> {
  const imported = await crypto.subtle.importKey("raw", key, "AES-CBC", false, ["encrypt", "decrypt"]);
  const encrypt = async (iv: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(await crypto.subtle.encrypt({ name: "AES-CBC", iv }, imported, data));
  const empty = new Uint8Array(BLOCK);
  const out: Uint8Array[] = [];
  if (!decode) {
    for (let at = 0; at + BLOCK <= body.length; at += BLOCK) {
      out.push((await encrypt(empty, body.slice(at, at + BLOCK))).subarray(0, BLOCK));
    }
    // What is left is padded as CBC pads it.
    out.push(await encrypt(empty, body.slice(body.length - body.length % BLOCK)));
    const whole = joinBytes(header ?? new Uint8Array(), ...out);
    return await call.write(text ? encodeBase64(whole, call.has("A")) : whole);
  }
  for (let at = 0; at + BLOCK <= body.length; at += BLOCK) {
    const block = body.slice(at, at + BLOCK);
    // A block of padding after it, so that all of it is given back.
    const end = (await encrypt(block, new Uint8Array())).subarray(0, BLOCK);
    const both = Uint8Array.from(joinBytes(block, end));
    out.push(new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CBC", iv: empty }, imported, both)));
  }
  const plain = joinBytes(...out);
  const padding = plain.at(-1) ?? 0;
  if (body.length === 0 || body.length % BLOCK !== 0 || padding < 1 || padding > BLOCK) {
    call.complain("bad decrypt");
    return 1;
  }
  return await call.write(plain.subarray(0, plain.length - padding));
}

function describeKey(key: Uint8Array, iv: Uint8Array, header: Uint8Array | undefined): string {
  const hex = (bytes: Uint8Array) =>
    Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
  const salt = header ? `salt=${hex(header.subarray(8))}\n` : "";
  return `${salt}key=${hex(key)}\niv =${hex(iv)}\n`;
}

interface Derived {
  key: Uint8Array<ArrayBuffer>;
  iv: Uint8Array<ArrayBuffer>;
  header?: Uint8Array;
  body: Uint8Array<ArrayBuffer>;
}

async function deriveKey(call: OpensslCall, cipher: Cipher, data: Uint8Array, decode: boolean): Promise<Derived> {
  const own = (bytes: Uint8Array) => Uint8Array.from(bytes);
  const given = call.get("K");
  if (given !== undefined) {
    const iv = call.get("iv");
    if (iv === undefined && cipher.mode !== "ecb") throw new CommandError("iv undefined");
    return {
      key: own(fromHex(call, given, cipher.bytes)),
      iv: own(fromHex(call, iv ?? "", iv ? BLOCK : 0)),
      body: own(data),
    };
  }
  const password = await call.readPassword();
  const stored = data.length >= BLOCK && MAGIC.every((byte, i) => data[i] === byte);
  const fixed = call.get("S");
  let salt = fixed === undefined ? crypto.getRandomValues(new Uint8Array(8)) : fromHex(call, fixed, 8);
  if (call.has("nosalt")) salt = new Uint8Array();
  else if (decode && stored) salt = data.slice(8, BLOCK);
  else if (decode && fixed === undefined) throw new CommandError("bad magic number");
  const body = decode && stored ? data.subarray(BLOCK) : data;
  const bytes = await stretchPassword(call, password, salt, cipher.bytes + BLOCK);
  const iv = call.get("iv");
  const header = decode || call.has("nosalt") || fixed !== undefined ? undefined : joinBytes(MAGIC, salt);
  return {
    key: own(bytes.subarray(0, cipher.bytes)),
    iv: own(iv === undefined ? bytes.subarray(cipher.bytes) : fromHex(call, iv, BLOCK)),
    header,
    body: own(body),
  };
}

async function stretchPassword(call: OpensslCall, password: Uint8Array, salt: Uint8Array, size: number) {
  const name = call.get("md") ?? "sha256";
  const digest = requireDigest(name);
  if (!call.has("pbkdf2") && !call.has("iter")) {
    call.complain(WARNING);
    let [all, last] = [new Uint8Array() as Uint8Array, new Uint8Array() as Uint8Array];
    while (all.length < size) {
      last = await digest.hash(joinBytes(last, password, salt));
      all = joinBytes(all, last);
    }
    return all.subarray(0, size);
  }
  const hash = digest.title.replace(/^SHA2-/, "SHA-").replace(/^SHA1$/, "SHA-1");
  if (!/^SHA-(1|256|384|512)$/.test(hash)) {
    throw new CommandError(`-pbkdf2 needs sha1, sha256, sha384 or sha512, not ${name}`);
  }
  const iterations = Number(call.get("iter") ?? ITERATIONS);
  if (!(iterations >= 1)) throw new CommandError(`Non-positive number "${call.get("iter")}" for option -iter`);
  const source = await crypto.subtle.importKey("raw", Uint8Array.from(password), "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash, salt: Uint8Array.from(salt), iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, source, size * 8));
}
