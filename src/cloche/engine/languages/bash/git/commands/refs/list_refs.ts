/** git show-ref, for-each-ref, update-ref and check-ref-format. */
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { globToRegExp } from "../../repository/glob.ts";
import { parsePerson, type Person } from "../../repository/objects.ts";
import { byBytes } from "../../repository/paths.ts";
import { NOTHING } from "../../repository/reflog.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, findRevision, peelObject, upstreamOf } from "../../repository/revision.ts";
import { countBetween, findAncestors } from "../../repository/history_walk.ts";
import { dateText, subjectOf } from "../../text/commit_format.ts";

export async function runShowRef(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "head heads tags dereference,d hash,s=? verify quiet,q abbrev=? exclude-existing=?");
  const repo = await Repo.find(call);
  if (given.has("verify")) return await verifyRefs(repo, given);
  const names = (await repo.refs("refs")).map((name) => `refs/${name}`);
  const all = given.has("head") ? ["HEAD", ...names] : names;
  const kinds = ["heads", "tags"].filter((name) => given.has(name));
  let found = false;
  for (const ref of all) {
    if (kinds.length > 0 && ref !== "HEAD" && !kinds.some((kind) => ref.startsWith(`refs/${kind}/`))) continue;
    const patterns = given.everything;
    const fits = ref === "HEAD" || patterns.length === 0 ||
      patterns.some((each) => ref === each || ref.endsWith(`/${each}`));
    const oid = fits ? await repo.ref(ref) : undefined;
    if (oid === undefined) continue;
    found = true;
    await printRef(repo, given, ref, oid);
  }
  return found ? 0 : 1;
}

async function verifyRefs(repo: Repo, given: Args): Promise<number> {
  for (const ref of given.everything) {
    const oid = ref === "HEAD" || ref.startsWith("refs/") ? await repo.ref(ref) : undefined;
    if (oid === undefined && given.has("quiet")) return 1;
    if (oid === undefined) throw new GitError(`'${ref}' - not a valid ref`);
    await printRef(repo, given, ref, oid);
  }
  return 0;
}

async function printRef(repo: Repo, given: Args, ref: string, oid: string): Promise<void> {
  if (given.has("quiet")) return;
  const digits = Number(given.get("hash") || given.get("abbrev") || 40);
  const line = (id: string, name: string) => given.has("hash") ? id.slice(0, digits) : `${id.slice(0, digits)} ${name}`;
  repo.call.out(`${line(oid, ref)}\n`);
  if (!given.has("dereference")) return;
  const target = await peelObject(repo, oid);
  if (target !== undefined && target !== oid) repo.call.out(`${line(target, `${ref}^{}`)}\n`);
}

const LISTING =
  "format= sort= count= shell,s perl,p python tcl points-at= merged=~ no-merged=~ contains=~ no-contains=~ " +
  "ignore-case color=?";

export async function runForEachRef(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, LISTING);
  for (const name of ["perl", "python", "tcl"]) {
    if (given.has(name)) throw new GitError(`for-each-ref --${name} is not supported here`);
  }
  const repo = await Repo.find(call);
  const rows = await listRows(repo, given, given.everything);
  const format = given.get("format") ?? "%(objectname) %(objecttype)\t%(refname)";
  for (const row of rows.slice(0, given.number("count", Infinity))) {
    call.out(`${await fillFields(row, format, given.has("shell"))}\n`);
  }
  return 0;
}

/** The refs that were asked for, in the order that was asked for. */
export async function listRows(repo: Repo, given: Args, patterns: string[]): Promise<RefRow[]> {
  const rows: RefRow[] = [];
  for (const short of await repo.refs("refs")) {
    const ref = `refs/${short}`;
    const fits = patterns.length === 0 || patterns.some((each) => {
      const plain = each.replace(/\/$/, "");
      return ref === plain || ref.startsWith(plain + "/") || /[*?[]/.test(each) && globToRegExp(each).test(ref);
    });
    const oid = fits ? await repo.ref(ref) : undefined;
    if (oid !== undefined) rows.push(new RefRow(repo, ref, oid));
  }
  const kept = await filterRows(repo, given, rows);
  for (const key of given.all("sort")) {
    const [, down, name] = key.match(/^(-?)(.*)$/) ?? ["", "", key];
    const values = new Map<RefRow, string>();
    for (const row of kept) {
      values.set(row, await row.field(/date$/.test(name) ? `${name}:unix` : name.replace(/^(version|v):/, "")));
    }
    const numeric = /date$|^objectsize$|^(version|v):/.test(name);
    const order = (a: string, b: string) => numeric ? compareVersions(a, b) : byBytes(a, b);
    kept.sort((a, b) => (down ? -1 : 1) * order(values.get(a) ?? "", values.get(b) ?? ""));
  }
  return kept;
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.match(/\d+|\D+/g) ?? [], b.match(/\d+|\D+/g) ?? []];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x = "", y = ""] = [left[i], right[i]];
    if (x === y) continue;
    return /^\d/.test(x) && /^\d/.test(y) ? Number(x) - Number(y) : byBytes(x, y);
  }
  return 0;
}

async function filterRows(repo: Repo, given: Args, rows: RefRow[]): Promise<RefRow[]> {
  let kept = rows;
  const at = given.get("points-at");
  if (at !== undefined) {
    const oid = await findRevision(repo, at);
    const hits = await Promise.all(kept.map(async (row) => row.oid === oid || await peelObject(repo, row.oid) === oid));
    kept = kept.filter((_, i) => hits[i]);
  }
  for (const [name, wanted] of [["merged", true], ["no-merged", false]] as const) {
    if (!given.has(name)) continue;
    const reached = await findAncestors(repo, [(await commitOf(repo, given.get(name) || "HEAD")).oid]);
    const hits = await Promise.all(
      kept.map(async (row) => reached.has(await peelObject(repo, row.oid, "commit") ?? "")),
    );
    kept = kept.filter((_, i) => hits[i] === wanted);
  }
  for (const [name, wanted] of [["contains", true], ["no-contains", false]] as const) {
    if (!given.has(name)) continue;
    const { oid } = await commitOf(repo, given.get(name) || "HEAD");
    const hits: boolean[] = [];
    for (const row of kept) {
      const target = await peelObject(repo, row.oid, "commit");
      hits.push(target !== undefined && (await findAncestors(repo, [target])).has(oid));
    }
    kept = kept.filter((_, i) => hits[i] === wanted);
  }
  return kept;
}

/** A ref whose fields can be asked for by name. */
export class RefRow {
  constructor(readonly repo: Repo, readonly ref: string, readonly oid: string) {}

  async field(text: string): Promise<string> {
    const [name, ...options] = text.split(":");
    const option = options.join(":");
    const starred = name.startsWith("*");
    const oid = starred ? await peelObject(this.repo, this.oid) ?? "" : this.oid;
    if (starred && oid === this.oid) return "";
    const plain = name.replace(/^\*/, "");
    switch (plain) {
      case "refname":
        return shortenRef(this.ref, option);
      case "objectname":
        return option.startsWith("short") ? oid.slice(0, Number(option.split("=")[1] ?? 7)) : oid;
      case "objecttype":
        return (await this.repo.objects.read(oid)).kind;
      case "objectsize":
        return String((await this.repo.objects.read(oid)).data.length);
      case "HEAD":
        return await this.repo.branch() === this.ref ? "*" : " ";
      case "upstream":
      case "push":
        return await this.#upstream(option);
      case "symref":
        return "";
      default:
        return await this.#ofObject(oid, plain, option);
    }
  }

  async #upstream(option: string): Promise<string> {
    if (!this.ref.startsWith("refs/heads/")) return "";
    const upstream = await upstreamOf(this.repo, this.ref.slice(11));
    if (upstream === undefined) return "";
    if (!option.startsWith("track")) return shortenRef(upstream, option);
    const theirs = await this.repo.ref(upstream);
    if (theirs === undefined) return "[gone]";
    const { ahead, behind } = await countBetween(this.repo, this.oid, theirs);
    if (option === "trackshort") return ahead > 0 ? behind > 0 ? "<>" : ">" : behind > 0 ? "<" : "=";
    const parts = [ahead > 0 ? `ahead ${ahead}` : "", behind > 0 ? `behind ${behind}` : ""].filter(Boolean);
    const words = parts.join(", ");
    return words === "" || option.includes("nobracket") ? words : `[${words}]`;
  }

  async #ofObject(oid: string, name: string, option: string): Promise<string> {
    const { kind, data } = await this.repo.objects.read(oid);
    const text = kind === "blob" || kind === "tree" ? "" : decodeText(fromArray(data));
    const gap = text.indexOf("\n\n");
    const head = text.slice(0, gap < 0 ? undefined : gap);
    const message = gap < 0 ? "" : text.slice(gap + 2);
    const value = (key: string) => head.match(new RegExp(`^${key} (.*)$`, "m"))?.[1] ?? "";
    const [, role, part] = name.match(/^(author|committer|tagger|creator)(name|email|date)?$/) ?? [];
    if (role !== undefined) {
      const raw = role === "creator" ? value("tagger") || value("committer") : value(role);
      return raw === "" ? "" : personField(parsePerson(raw), part, option, raw);
    }
    if (name === "subject") return subjectOf(message);
    if (name === "body") return message.replace(/^[\s\S]*?\n\n/, "");
    if (name === "contents") {
      return option === "subject" ? subjectOf(message) : option === "body" ? message.replace(/^.*\n\n?/, "") : message;
    }
    if (["tree", "object", "type", "tag"].includes(name)) return value(name);
    if (name === "parent") return [...head.matchAll(/^parent (.*)$/gm)].map(([, each]) => each).join(" ");
    if (name === "numparent") return String([...head.matchAll(/^parent /gm)].length);
    throw new GitError(`unknown field name: ${name}`);
  }
}

function personField(person: Person, part: string | undefined, option: string, raw: string): string {
  if (part === "name") return person.name;
  if (part === "email") {
    return option === "trim" ? person.email : option === "localpart" ? person.email.split("@")[0] : `<${person.email}>`;
  }
  if (part === "date") return dateText(person, option === "" ? "default" : option);
  return raw;
}

/** `refname:short`, `refname:lstrip=2` and the like. */
function shortenRef(ref: string, option: string): string {
  if (option === "short") return ref.replace(/^refs\/(heads|tags|remotes)\//, "").replace(/^refs\//, "");
  const [, side, count] = option.match(/^(lstrip|rstrip|strip)=(-?\d+)$/) ?? [];
  if (side === undefined) return ref;
  const parts = ref.split("/");
  const number = Number(count);
  if (side === "rstrip") {
    return (number < 0 ? parts.slice(0, -number) : parts.slice(0, parts.length - number)).join("/");
  }
  return (number < 0 ? parts.slice(number) : parts.slice(number)).join("/");
}

/** Fills `%(field)`, `%%`, `%xx` and `%(if)…%(then)…%(else)…%(end)`. */
export async function fillFields(row: RefRow, format: string, shell = false): Promise<string> {
  let text = format;
  const branch =
    /%\(if(?::(?:equals|notequals)=([^)]*))?\)((?:(?!%\(if)[\s\S])*?)%\(then\)((?:(?!%\(if)[\s\S])*?)(?:%\(else\)((?:(?!%\(if)[\s\S])*?))?%\(end\)/;
  for (let match = text.match(branch); match; match = text.match(branch)) {
    const value = (await fillFields(row, match[2])).trim();
    const holds = match[1] === undefined
      ? value !== ""
      : (value === match[1]) !== match[0].startsWith("%(if:notequals");
    text = text.replace(branch, () => holds ? match?.[3] ?? "" : match?.[4] ?? "");
  }
  let out = "";
  for (const piece of text.split(/(%\([^)]*\)|%%|%[0-9a-fA-F]{2})/)) {
    const field = piece.match(/^%\((.*)\)$/)?.[1];
    if (field !== undefined && /^(color|align|end)\b/.test(field)) continue;
    const quoted = (value: string) => shell ? `'${value.replaceAll("'", "'\\''")}'` : value;
    if (field !== undefined) out += quoted(await row.field(field));
    else if (piece === "%%") out += "%";
    else out += /^%[0-9a-fA-F]{2}$/.test(piece) ? String.fromCharCode(parseInt(piece.slice(1), 16)) : piece;
  }
  return out;
}

export async function runUpdateRef(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "m= delete,d no-deref create-reflog stdin z");
  if (given.has("stdin")) throw new GitError("update-ref --stdin is not supported here: one call a ref");
  const repo = await Repo.find(call);
  const [ref, ...values] = given.everything;
  if (ref === undefined) {
    throw new GitError("usage: git update-ref [<options>] <refname> <new-oid> [<old-oid>]", 129, "");
  }
  if (ref !== "HEAD" && !isRefName(ref)) {
    throw new GitError(`update_ref failed for ref '${ref}': refusing to update ref with bad name '${ref}'`);
  }
  const target = ref === "HEAD" && !given.has("no-deref") ? await repo.branch() ?? "HEAD" : ref;
  const old = given.has("delete") ? values[0] : values[1];
  await checkOld(repo, target, old);
  if (given.has("delete")) {
    await repo.deleteRef(target);
    return 0;
  }
  const oid = values[0] === undefined ? undefined : await findRevision(repo, values[0]);
  if (oid === undefined) throw new GitError(`${values[0] ?? ""}: not a valid SHA1`);
  if (target === "HEAD") await repo.detachHead(oid, given.get("m") ?? "");
  else await repo.updateRef(target, oid, given.get("m") ?? "");
  return 0;
}

async function checkOld(repo: Repo, ref: string, old: string | undefined): Promise<void> {
  if (old === undefined) return;
  const now = await repo.ref(ref) ?? NOTHING;
  const wanted = old === "" ? NOTHING : /^0+$/.test(old) ? NOTHING : await findRevision(repo, old);
  if (now === wanted) return;
  const reason = now === NOTHING
    ? `unable to resolve reference '${ref}'`
    : wanted === NOTHING
    ? "reference already exists"
    : `is at ${now} but expected ${wanted}`;
  throw new GitError(`update_ref failed for ref '${ref}': cannot lock ref '${ref}': ${reason}`);
}

function isRefName(ref: string): boolean {
  return !/[\s~^:?*[\\\x7f]|\.\.|@\{|\/\/|^[-/.]|\/\.|[/.]$|\.lock(\/|$)/.test(ref) && ref.includes("/");
}

export function runCheckRefFormat(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "branch= allow-onelevel no-allow-onelevel normalize print refspec-pattern");
  const branch = given.get("branch");
  if (branch !== undefined) {
    if (!isRefName(`refs/heads/${branch}`) || branch.startsWith("-")) {
      throw new GitError(`'${branch}' is not a valid branch name`);
    }
    call.out(`${branch}\n`);
    return Promise.resolve(0);
  }
  const [name = ""] = given.everything;
  const plain = given.has("normalize") || given.has("print") ? name.replace(/\/+/g, "/").replace(/^\//, "") : name;
  const whole = given.has("allow-onelevel") && !plain.includes("/") ? `x/${plain}` : plain;
  const good = isRefName(given.has("refspec-pattern") ? whole.replace("*", "x") : whole);
  if (good && (given.has("normalize") || given.has("print"))) call.out(`${plain}\n`);
  return Promise.resolve(good ? 0 : 1);
}
