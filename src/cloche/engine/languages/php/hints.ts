/** Hints for common errors. */

import type { Context } from "./errors.ts";
import { WITHOUT_NETWORK, WITHOUT_PROCESSES } from "./vm/ini.ts";

interface ErrorFacts {
  type: string;
  message: string;
  line: number | null;
}

export const NETWORK = "PHP has no network here; shell_exec('curl -s ADDRESS') goes through what the sandbox allows";
const COMMANDS = "use shell_exec() or exec(), which run a command in the sandbox's bash";
/** Extensions that this build lacks, by what their functions and classes begin with. */
const EXTENSIONS: [RegExp, string][] = [
  [/^(numfmt_|collator_|intl|datefmt_|normalizer_|transliterator_|grapheme_|idn_|locale_)/i, "intl"],
  [/^(NumberFormatter|Collator|Intl\w+|Normalizer|Transliterator|MessageFormatter|Locale|Spoofchecker)$/i, "intl"],
  [/^(mysqli|mysql_)/i, "mysqli"],
  [/^pg_/i, "pgsql"],
  [/^gmp_|^GMP$/, "gmp"],
  [/^(Imagick|ImagickDraw|ImagickPixel)$/i, "imagick"],
  [/^(Redis|Memcached|MongoDB\\)/i, "redis, memcached or mongodb"],
  [/^(sodium_|apcu_|ldap_|imap_|pcntl_|posix_|ftp_|socket_|xsl|sem_|shm_|shmop_)/i, "of that function"],
];
const ENDS = /[;{}(\[,:&|.=?>+*/-]\s*$/;

export function hintFor(error: ErrorFacts, context: Context): string | null {
  return forSyntax(error, context) ?? forFunction(error) ?? forClass(error, context) ?? forName(error) ??
    forMemory(error);
}

function forSyntax({ type, message, line }: ErrorFacts, { code }: Context): string | null {
  if (type !== "ParseError" || line === null) return null;
  if (/unexpected end of file/.test(message)) return "is a bracket or a quote left open?";
  if (/^Unclosed/.test(message)) return `the bracket opened in line ${line} is not closed`;
  if (!/unexpected (identifier|variable|token|string|double-quoted|integer)/.test(message)) return null;
  const before = code.split("\n").slice(0, line - 1);
  const at = before.findLastIndex((text) => text.trim() !== "");
  const open = at >= 0 && !ENDS.test(before[at]) && !/^\s*(#|\/\/|\/?\*|<\?)/.test(before[at]);
  return open ? `is a ';' missing at the end of line ${at + 1}?` : null;
}

function forFunction({ message }: ErrorFacts): string | null {
  const name = /^Call to undefined function ([\w\\]+)\(\)/.exec(message)?.[1];
  if (!name) return null;
  const plain = name.replace(/^.*\\/, "").toLowerCase();
  if (WITHOUT_NETWORK.includes(plain)) return NETWORK;
  if (WITHOUT_PROCESSES.includes(plain)) return COMMANDS;
  return missingExtension(plain);
}

function forClass({ message }: ErrorFacts, { refusals }: Context): string | null {
  const name = /^(?:Class|Interface|Trait) "([^"]+)" not found/.exec(message)?.[1];
  if (!name) return null;
  if (name === "Fiber") return "this build of PHP has no fibers; generators work";
  const install =
    'if a package has it: composer require VENDOR/NAME in bash, or box.install("VENDOR/NAME", language="php")';
  return refusals.get(name) ?? missingExtension(name) ?? (name.includes("\\") ? install : null);
}

function missingExtension(name: string): string | null {
  const found = EXTENSIONS.find(([pattern]) => pattern.test(name));
  return found ? `the extension ${found[1]} is not in this build of PHP` : null;
}

function forName({ message }: ErrorFacts): string | null {
  const name = /^Undefined constant "([a-z_]\w*)"/.exec(message)?.[1];
  if (name) return `a variable is written $${name}, a text '${name}'`;
  if (/^Cannot redeclare/.test(message)) return "only functions and classes at the top of a cell can be defined anew";
  if (/vendor\/autoload\.php/.test(message)) return "installed packages need no autoload.php: leave the line out";
  return null;
}

function forMemory({ message }: ErrorFacts): string | null {
  return /^Allowed memory size|^Out of memory/.test(message)
    ? "is it an endless recursion, or too much data at once?"
    : null;
}
