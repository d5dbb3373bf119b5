/** The colours in which ls shows names. */
import { isFifo } from "../modes.ts";
import type { FileTool } from "../file_tool.ts";
import { quote } from "../paths.ts";
import { UsageError } from "../../tool/errors.ts";
import type { Item } from "./render.ts";

/** A name as it is shown. */
export type Paint = (item: Item, name: string) => string;

/** The output of `dircolors` for the kinds that exist here. */
const LS_COLORS = "rs=0:di=01;34:ln=01;36:or=40;31;01:tw=30;42:ow=34;42:st=37;44:ex=01;32:cd=40;33;01:" +
  "*.tar=01;31:*.tgz=01;31:*.zip=01;31:*.gz=01;31:*.bz2=01;31:*.xz=01;31:*.zst=01;31:*.7z=01;31:" +
  "*.jpg=01;35:*.jpeg=01;35:*.gif=01;35:*.png=01;35:*.svg=01;35:*.webp=01;35:*.mp4=01;35:*.mp3=00;36:*.wav=00;36";

/** By `--color`: at a terminal for `auto`, wherever output goes for `always`; none without it. */
export function makePaint({ given, context }: FileTool): Paint {
  const when = given.has("color") ? given.get("color") ?? "always" : "never";
  if (["never", "no", "none"].includes(when)) return (_, name) => name;
  const auto = ["auto", "tty", "if-tty"].includes(when);
  if (!auto && !["always", "yes", "force"].includes(when)) {
    throw new UsageError(`invalid argument ${quote(when)} for '--color'`, 2);
  }
  const plain = ["", "dumb"].includes(context.env.TERM ?? "") || context.fds.find(1)?.kind !== "terminal";
  if (auto && plain) return (_, name) => name;
  const codes = new Map(
    (context.env.LS_COLORS || LS_COLORS).split(":").map((each) => {
      const [key, code = ""] = each.split("=");
      return [key, code];
    }),
  );
  return (item, name) => {
    const code = findCode(item, codes);
    return code ? `\x1b[0m\x1b[${code}m${name}\x1b[0m` : name;
  };
}

function findCode({ name, stat, target }: Item, codes: Map<string, string>): string | undefined {
  if (stat.kind === "link") return target === undefined ? codes.get("or") || codes.get("ln") : codes.get("ln");
  if (stat.kind === "other") return codes.get(isFifo(stat) ? "pi" : "cd");
  if (stat.kind === "directory") {
    const open = stat.mode & 0o002;
    return codes.get(stat.mode & 0o1000 ? open ? "tw" : "st" : open ? "ow" : "di") ?? codes.get("di");
  }
  if (stat.mode & 0o111) return codes.get("ex");
  const dot = name.lastIndexOf(".");
  return dot < 0 ? undefined : codes.get(`*${name.slice(dot).toLowerCase()}`);
}
