/** The author and committer of a commit, and its dates. */
import { GitError } from "./options.ts";
import type { Call } from "./call.ts";
import type { Config } from "./repository/configuration.ts";
import { parsePerson, type Person } from "./repository/objects.ts";

const UNKNOWN = `%s identity unknown

*** Please tell me who you are.

Run

  git config --global user.email "you@example.com"
  git config --global user.name "Your Name"

to set your account's default identity.
Omit --global to set the identity only in this repository.

`;

export function personFor(call: Call, config: Config, role: "AUTHOR" | "COMMITTER"): Person {
  const section = role.toLowerCase();
  const name = call.env(`GIT_${role}_NAME`) ?? config.get(`${section}.name`) ?? config.get("user.name");
  const email = call.env(`GIT_${role}_EMAIL`) ?? config.get(`${section}.email`) ?? config.get("user.email") ??
    call.env("EMAIL");
  if (name === undefined || email === undefined) {
    const title = role === "AUTHOR" ? "Author" : "Committer";
    const missing = email === undefined ? "email address (got 'user@sandbox.(none)')" : "name (got '')";
    throw new GitError(`unable to auto-detect ${missing}`, 128, `${UNKNOWN.replace("%s", title)}fatal: `);
  }
  const clean = (text: string) => text.replace(/[<>\n]/g, "").replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, "");
  if (clean(name) === "") throw new GitError(`empty ident name (for <${email}>) not allowed`);
  return { name: clean(name), email: clean(email), ...whenOf(call.env(`GIT_${role}_DATE`)) };
}

/** `Name <email>` as --author takes it. */
export function authorOf(text: string, when: Person): Person {
  if (!/^.*<[^<>]*>/.test(text)) {
    throw new GitError(`--author '${text}' is not 'Name <email>' and matches no existing author`);
  }
  const { name, email } = parsePerson(text);
  return { name, email, time: when.time, zone: when.zone };
}

/** A date as git takes it: `SECONDS ZONE`, ISO 8601, RFC 2822, or now. */
export function whenOf(text?: string): { time: number; zone: string } {
  if (text === undefined || text === "now" || text === "") {
    const now = new Date();
    return { time: Math.floor(now.getTime() / 1000), zone: zoneText(-now.getTimezoneOffset()) };
  }
  const raw = text.match(/^@?(\d+)(?: ([-+]\d{4}))?$/);
  if (raw) return { time: Number(raw[1]), zone: raw[2] ?? "+0000" };
  const zone = text.match(/([-+]\d{2}):?(\d{2})\s*$/);
  const date = new Date(/\d{1,2}:\d{2}/.test(text) && !zone && !/Z|GMT|UTC/.test(text) ? `${text} UTC` : text);
  const spaced = Number.isNaN(date.getTime()) ? new Date(text.replace(" ", "T").replace(/ (?=[-+]\d)/, "")) : date;
  if (Number.isNaN(spaced.getTime())) throw new GitError(`invalid date format: ${text}`);
  return { time: Math.floor(spaced.getTime() / 1000), zone: zone ? zone[1] + zone[2] : "+0000" };
}

function zoneText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(rest).padStart(2, "0")}`;
}

const UNITS: Record<string, number> = {
  ...{ second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 },
  ...{ month: 2_629_800, year: 31_557_600 },
};

/** A time such as "2 weeks ago", "yesterday" or a date. */
export function approximateTime(text: string): number {
  const now = Math.floor(Date.now() / 1000);
  const ago = text.match(/^(\d+)[ .](second|minute|hour|day|week|month|year)s?(?:[ .]ago)?$/);
  if (ago) return now - Number(ago[1]) * UNITS[ago[2]];
  if (text === "yesterday") return now - UNITS.day;
  return whenOf(text).time;
}
