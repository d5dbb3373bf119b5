/** Completes a command line: commands, variables, files. */
import { quoteWord } from "./programs/quote.ts";

/** The shell that is asked. */
interface CompletionNames {
  exec(script: string): Promise<{ stdout: Uint8Array }>;
  names(): { variables: string[]; functions: string[] };
}

interface Completions {
  matches: string[];
  start: number;
  end: number;
}

const LIMIT = 500;
const WORD = /(?:\\.|[^\s\\;|&<>()='"`])*$/;
const VARIABLE = /\$(\w*)$/;
const COMMAND = /(?:^|[;|&(`\n]|\b(?:then|do|else|if|while|until|time)\s|!\s)\s*$/;
const SPECIAL = /[\s\\;|&<>()='"`$*?[\]{}#!]/g;

export async function completeCommand(code: string, cursor: number, shell: CompletionNames): Promise<Completions> {
  const ahead = code.slice(0, cursor);
  const [, name] = VARIABLE.exec(ahead) ?? [];
  if (name !== undefined) {
    const matches = beginning(shell.names().variables.filter((each) => /^[A-Za-z_]\w*$/.test(each)), name);
    return { matches, start: cursor - name.length, end: cursor };
  }
  const word = WORD.exec(ahead)?.[0] ?? "";
  const start = cursor - word.length;
  const first = COMMAND.test(ahead.slice(0, start)) && !word.includes("/");
  const matches = first ? await commands(shell, word) : await files(shell, word);
  return { matches, start, end: cursor };
}

async function commands(shell: CompletionNames, word: string): Promise<string[]> {
  const found = await look(shell, `compgen -A command -- ${quoteWord(word)}`);
  return beginning([...found, ...shell.names().functions], word);
}

function beginning(names: string[], word: string): string[] {
  return [...new Set(names)].filter((each) => each.startsWith(word)).sort().slice(0, LIMIT);
}

/** Files by what their names begin with; folders end in a slash. */
async function files(shell: CompletionNames, word: string): Promise<string[]> {
  const plain = word.replace(/\\(.)/g, "$1");
  const [tilde, path] = plain.startsWith("~/") ? ["~/", plain.slice(2)] : ["", plain];
  const base = tilde ? '"$HOME"/' : "";
  const mark = 'while IFS= read -r each; do if [ -d "$each" ]; then echo "$each/"; else echo "$each"; fi; done';
  const found = await look(shell, `compgen -f -- ${base}${quoteWord(path)} | head -${LIMIT} | ${mark}; echo "$HOME"`);
  const home = found.pop() ?? "";
  return found.map((each) => {
    const short = tilde && each.startsWith(`${home}/`) ? each.slice(home.length + 1) : each;
    return tilde + short.replace(SPECIAL, "\\$&");
  });
}

async function look(shell: CompletionNames, script: string): Promise<string[]> {
  const { stdout } = await shell.exec(script);
  return new TextDecoder().decode(stdout).split("\n").slice(0, -1);
}
