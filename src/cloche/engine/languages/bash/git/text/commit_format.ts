/** Commits as text: the usual forms, formats with placeholders, dates. */
import { strftime } from "../../text/strftime.ts";
import { GitError } from "../options.ts";
import type { Commit, Person } from "../repository/objects.ts";

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const UNITS: [seconds: number, name: string][] = [
  [31_536_000, "year"],
  [2_592_000, "month"],
  [604_800, "week"],
  [
    86_400,
    "day",
  ],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** What the placeholders of a commit may need beside it. */
export interface Shown {
  commit: Commit;
  /** Names of refs that lead to it, as in `HEAD -> main, tag: v1`. */
  refs: string;
  date: string;
  abbreviate: boolean;
}

export function subjectOf(message: string): string {
  return (message.replace(/^\n+/, "").split(/\n\s*\n/)[0] ?? "").trimEnd().replace(/\s*\n/g, " ");
}

export function bodyOf(message: string): string {
  const text = message.replace(/^\n+/, "");
  const gap = text.match(/\n\s*\n/);
  return gap?.index === undefined ? "" : text.slice(gap.index + gap[0].length);
}

/** A date in one of git's forms. */
export function dateText({ time, zone }: Person, form: string): string {
  const minutes = Number(zone.slice(0, 3)) * 60 + Number(zone[0] + zone.slice(3));
  const local = new Date((time + minutes * 60) * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}`;
  const day = `${local.getUTCFullYear()}-${two(local.getUTCMonth() + 1)}-${two(local.getUTCDate())}`;
  const [week, month] = [DAYS[local.getUTCDay()], MONTHS[local.getUTCMonth()]];
  switch (form.replace(/-local$/, "")) {
    case "iso":
    case "iso8601":
      return `${day} ${clock} ${zone}`;
    case "iso-strict":
    case "iso8601-strict":
      return `${day}T${clock}${zone === "+0000" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3)}`}`;
    case "short":
      return day;
    case "unix":
      return String(time);
    case "raw":
      return `${time} ${zone}`;
    case "rfc":
    case "rfc2822":
      return `${week}, ${local.getUTCDate()} ${month} ${local.getUTCFullYear()} ${clock} ${zone}`;
    case "relative":
      return relative(time);
    case "default":
    case "local":
      return `${week} ${month} ${local.getUTCDate()} ${clock} ${local.getUTCFullYear()} ${zone}`;
    default:
      if (form.startsWith("format:")) return strftime(form.slice(7), local);
      throw new GitError(`unknown date format ${form}`);
  }
}

function relative(time: number): string {
  const ago = Math.max(0, Math.floor(Date.now() / 1000) - time);
  const [size, name] = UNITS.find(([seconds]) => ago >= seconds * (seconds > 1 && seconds < 604_800 ? 1.5 : 2)) ??
    [1, "second"];
  const count = Math.round(ago / size);
  return `${count} ${name}${count === 1 ? "" : "s"} ago`;
}

const PEOPLE = { a: "author", c: "committer" } as const;

/** Fills the placeholders of a format. */
function fillFormat(format: string, shown: Shown): string {
  return format.replace(
    /%(x[0-9a-fA-F]{2}|C\([^)]*\)|C(?:red|green|blue|reset)|[ac][nNeEdDtriIsl]|[\s\S])/g,
    (all, code) => {
      if (code[0] === "x") return String.fromCharCode(parseInt(code.slice(1), 16));
      if (code[0] === "C" && code.length > 1) return "";
      if (/^[ac]/.test(code) && code.length === 2) return personPart(shown, code);
      return plainPart(shown, code) ?? all;
    },
  );
}

function personPart({ commit, date }: Shown, code: string): string {
  const person = commit[PEOPLE[code[0] as "a" | "c"]];
  const forms: Record<string, string> = {
    d: date,
    D: "rfc",
    t: "unix",
    r: "relative",
    i: "iso",
    I: "iso-strict",
    s: "short",
  };
  const letter = code[1];
  if (letter === "n" || letter === "N") return person.name;
  if (letter === "e" || letter === "E") return person.email;
  if (letter === "l") return person.email.split("@")[0];
  return dateText(person, forms[letter]);
}

function plainPart({ commit, refs }: Shown, code: string): string | undefined {
  const { oid, tree, parents, message } = commit;
  const brief = (text: string) => text.slice(0, 7);
  switch (code) {
    case "H":
      return oid;
    case "h":
      return brief(oid);
    case "T":
      return tree;
    case "t":
      return brief(tree);
    case "P":
      return parents.join(" ");
    case "p":
      return parents.map(brief).join(" ");
    case "s":
      return subjectOf(message);
    case "f":
      return subjectOf(message).replace(/[^\w.]+/g, "-").replace(/^-+|[-.]+$/g, "").slice(0, 52);
    case "b":
      return bodyOf(message);
    case "B":
      return message;
    default:
      return smallPart(refs, code);
  }
}

function smallPart(refs: string, code: string): string | undefined {
  const parts: Record<string, string> = {
    n: "\n",
    "%": "%",
    D: refs,
    d: refs === "" ? "" : ` (${refs})`,
    m: ">",
    e: "",
  };
  return parts[code];
}

const NAMED: Record<string, string> = {
  oneline: "%H%d %s",
  reference: "%h (%s, %as)",
};

/** A commit in a form such as `medium`, `oneline`, `format:%h %s`; and whether a line end belongs after it. */
export function renderCommit(form: string, shown: Shown): string {
  const custom = form.match(/^(?:format|tformat):([\s\S]*)$/)?.[1] ?? (form.includes("%") ? form : undefined);
  if (custom !== undefined) return fillFormat(custom, shown);
  if (form === "oneline") return fillFormat(shown.abbreviate ? "%h%d %s" : NAMED.oneline, shown);
  if (form === "reference") return fillFormat(NAMED.reference, shown);
  return renderLong(form, shown);
}

function renderLong(form: string, shown: Shown): string {
  const { commit, refs, date } = shown;
  const lines = [`commit ${shown.abbreviate ? commit.oid.slice(0, 7) : commit.oid}${refs === "" ? "" : ` (${refs})`}`];
  const who = ({ name, email }: Person) => `${name} <${email}>`;
  if (commit.parents.length > 1) lines.push(`Merge: ${commit.parents.map((oid) => oid.slice(0, 7)).join(" ")}`);
  const forms: Record<string, string[]> = {
    short: [`Author: ${who(commit.author)}`],
    medium: [`Author: ${who(commit.author)}`, `Date:   ${dateText(commit.author, date)}`],
    full: [`Author: ${who(commit.author)}`, `Commit: ${who(commit.committer)}`],
    fuller: [
      `Author:     ${who(commit.author)}`,
      `AuthorDate: ${dateText(commit.author, date)}`,
      `Commit:     ${who(commit.committer)}`,
      `CommitDate: ${dateText(commit.committer, date)}`,
    ],
  };
  if (!Object.hasOwn(forms, form)) throw new GitError(`invalid --pretty format: ${form}`);
  const text = form === "short" ? subjectOf(commit.message) : commit.message.replace(/^\n+|\n+$/g, "");
  const message = text === "" ? "" : text.split("\n").map((line) => `    ${line}`).join("\n") + "\n";
  return `${[...lines, ...forms[form]].join("\n")}\n\n${message}`;
}
