/** getconf and locale. */
import type { Command } from "../../processes/command.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";

const VALUES: Record<string, string> = {
  _NPROCESSORS_ONLN: "1",
  _NPROCESSORS_CONF: "1",
  PAGE_SIZE: "4096",
  PAGESIZE: "4096",
  ARG_MAX: "2097152",
  LINE_MAX: "2048",
  LONG_BIT: "64",
  WORD_BIT: "32",
  CHAR_BIT: "8",
  INT_MAX: "2147483647",
  INT_MIN: "-2147483648",
  OPEN_MAX: "1024",
  CLK_TCK: "100",
  HOST_NAME_MAX: "64",
  LOGIN_NAME_MAX: "256",
  GNU_LIBC_VERSION: "glibc 2.36",
  PATH: "/bin:/usr/bin",
};
const OF_PATHS: Record<string, string> = { NAME_MAX: "255", PATH_MAX: "4096", PIPE_BUF: "4096", LINK_MAX: "127" };

const getconf = defineTool("getconf", { letters: "av:", synopsis: "variable_name [pathname]" }, (tool) => {
  if (tool.given.has("a")) {
    for (const [name, value] of Object.entries(VALUES)) tool.print(`${name.padEnd(35)}${value}\n`);
    return 0;
  }
  const [name, path] = tool.operands;
  if (name === undefined) throw new UsageError("a variable is needed", 2);
  const value = VALUES[name] ?? (path === undefined ? undefined : OF_PATHS[name]);
  if (value === undefined) throw new CommandError(`Unrecognized variable \`${name}'`, 2);
  tool.print(`${value}\n`);
});

const CATEGORIES = ("LC_CTYPE LC_NUMERIC LC_TIME LC_COLLATE LC_MONETARY LC_MESSAGES LC_PAPER LC_NAME LC_ADDRESS " +
  "LC_TELEPHONE LC_MEASUREMENT LC_IDENTIFICATION").split(" ");
const FACTS: Record<string, string> = { charmap: "UTF-8", decimal_point: ".", thousands_sep: "" };

const locale = defineTool("locale", { letters: "amkc", long: { "all-locales": "a", charmaps: "m" } }, (tool) => {
  const { env } = tool.context;
  if (tool.given.has("a")) tool.print("C\nC.UTF-8\nPOSIX\n");
  else if (tool.given.has("m")) tool.print("UTF-8\n");
  else if (tool.operands.length > 0) {
    for (const name of tool.operands) {
      const fact = name === "charmap" && /^(C|POSIX)$/.test(env.LC_ALL ?? env.LANG ?? "")
        ? "ANSI_X3.4-1968"
        : FACTS[name];
      if (fact === undefined) throw new CommandError(`unknown name "${name}"`);
      tool.print(`${fact}\n`);
    }
  } else {
    const lang = env.LANG ?? "";
    tool.print(`LANG=${lang}\nLANGUAGE=${env.LANGUAGE ?? ""}\n`);
    for (const name of CATEGORIES) {
      const set = env.LC_ALL || undefined;
      tool.print(`${name}=${set === undefined && env[name] ? env[name] : `"${set ?? (lang || "POSIX")}"`}\n`);
    }
    tool.print(`LC_ALL=${env.LC_ALL ?? ""}\n`);
  }
});

export const commands: Command[] = [getconf, locale];
