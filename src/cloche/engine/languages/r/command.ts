/** Parses the command lines of `Rscript` and `R`. */

export interface Program {
  /** Expressions given on the line, joined; else null. */
  code: string | null;
  /** The file, "-" for standard input, or "-e". */
  file: string;
  args: string[];
}

export const USAGE = `Usage: Rscript [options] file [args]
   or: Rscript [options] -e expr [-e expr2 ...] [args]
   or: R [-f file | -e expr] [--args args]
Without a file or an expression the program is read from the standard input.
`;

/** What is printed instead of running a program. */
export type Word = "version" | "help" | "-e needs an expression";
const WORDS: Record<string, Word> = { "--version": "version", "--help": "help", "-h": "help" };
/** Options whose value is the next word. */
const VALUED = new Set(["-f", "-g", "--gui", "-d", "--debugger", "--encoding", "--args-file"]);

export function readCommand([name, ...words]: string[]): Program | Word {
  const expressions: string[] = [];
  let file: string | null = null;
  let rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    if (word === "-e") {
      if (++i >= words.length) return "-e needs an expression";
      expressions.push(words[i]);
    } else if (word === "--args") {
      rest = words.slice(i + 1);
      break;
    } else if (word === "-f") file = words[++i] ?? "-";
    else if (word.startsWith("--file=")) file = word.slice("--file=".length);
    else if (VALUED.has(word)) i++;
    else if (word.startsWith("-") && word !== "-") continue;
    else if (name === "Rscript") {
      const given = expressions.length > 0;
      if (!given) file = word;
      rest = words.slice(given ? i : i + 1);
      break;
    }
  }
  const code = expressions.length > 0 ? expressions.join("\n") : null;
  const from = code === null ? `--file=${file ?? "-"}` : "-e";
  const args = [
    "/usr/lib/R/bin/exec/R",
    "--no-echo",
    "--no-restore",
    from,
    ...(rest.length > 0 ? ["--args", ...rest] : []),
  ];
  return { code, file: code === null ? file ?? "-" : "-e", args };
}
