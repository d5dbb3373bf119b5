/** declare, typeset, local, export, readonly. */
import { expandAssignment } from "../../expansion/words.ts";
import { ArithmeticError, blame } from "../../arithmetic/evaluate.ts";
import { type DeclarationBuiltin, type DeclarationWord, ExpansionError, type Interpreter } from "../../interpreter.ts";
import { isName, parseElement, resolveName, splitElement } from "../../state/assign.ts";
import { type Declared, declareVariable, type Wanted } from "../../state/declare.ts";
import { CAPITALIZED, EXPORTED, INTEGER, LOWER, NAMEREF, READONLY, TRACED, UPPER } from "../../state/variables.ts";
import { Parser } from "../../syntax/parser.ts";
import type { Task } from "../../task.ts";
import { declareFunctions, printVariables } from "./declarations.ts";
import { showHelp } from "../help.ts";
import { sayUsage } from "../usages.ts";

const BITS: Record<string, number> = {
  i: INTEGER,
  l: LOWER,
  u: UPPER,
  c: CAPITALIZED,
  n: NAMEREF,
  r: READONLY,
  t: TRACED,
  x: EXPORTED,
};

type Command = Wanted["command"];

const LETTERS: Record<Command, string> = {
  declare: "aAcfFgiIlnprtux",
  typeset: "aAcfFgiIlnprtux",
  local: "aAcgiIlnprtux",
  export: "fnp",
  readonly: "aAfnp",
};

function declaring(command: Command, always: number): DeclarationBuiltin {
  return function* (shell, args) {
    if (args[0] === "--help") return yield* showHelp(shell, command);
    const wanted: Wanted = { command, on: always, off: 0, flags: new Set() };
    const rest = readOptions(shell, args, wanted);
    if (!rest) return 2;
    const { depth } = shell.state.variables;
    if (command === "local" && depth === 0) {
      shell.complain("local: can only be used in a function");
      return 1;
    }
    if (wanted.flags.has("f") || wanted.flags.has("F")) {
      return isForFunctions(shell, wanted) ? yield* declareFunctions(shell, rest, wanted) : 1;
    }
    if (rest.length === 0 || wanted.flags.has("p")) return yield* printVariables(shell, rest, wanted);
    const local = depth > 0 && (command === "declare" || command === "typeset" || command === "local");
    let code = 0;
    for (const word of rest) if (!(yield* declareWord(shell, word, wanted, local))) code = 1;
    return code;
  };
}

/** The words after the options; a wrong option is said and gives undefined. */
function readOptions(shell: Interpreter, args: DeclarationWord[], wanted: Wanted): DeclarationWord[] | undefined {
  const { command } = wanted;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    if (word === "--") return args.slice(at + 1);
    if (typeof word !== "string" || !/^[-+]./.test(word)) break;
    for (const letter of word.slice(1)) {
      if (!LETTERS[command].includes(letter)) {
        shell.complain(`${command}: ${word[0]}${letter}: invalid option`);
        sayUsage(shell, command);
        return undefined;
      }
      if (letter === "n" && (command === "export" || command === "readonly")) {
        // What is readonly stays so.
        if (command === "export") wanted.off |= EXPORTED;
      } else if (letter in BITS) {
        if (word[0] === "+") wanted.off |= BITS[letter];
        else wanted.on |= BITS[letter];
      } else wanted.flags.add(word[0] === "+" ? `+${letter}` : letter);
    }
  }
  return args.slice(at);
}

/** Whether nothing is asked of functions that only variables have. */
function isForFunctions(shell: Interpreter, { command, on, flags }: Wanted): boolean {
  const letter = ["a", "A"].find((each) => flags.has(each)) ??
    Object.keys(BITS).find((each) => on & BITS[each] & ~(EXPORTED | READONLY | TRACED));
  if (letter) shell.complain(`${command}: -${letter}: invalid option`);
  return letter === undefined;
}

/** Declares one name; what fails is said. */
function* declareWord(shell: Interpreter, word: DeclarationWord, wanted: Wanted, local: boolean): Task<boolean> {
  if (word === "-" && wanted.command === "local") {
    keepOptions(shell);
    return true;
  }
  try {
    const given = typeof word === "string" ? parseText(shell, word) : word;
    declareVariable(shell, yield* parseList(shell, given, wanted), wanted, local);
    return true;
  } catch (error) {
    blame(error, wanted.command);
    if (!(error instanceof ExpansionError) || error.fatal || error instanceof ArithmeticError) throw error;
    const bare = (wanted.command === "export" || wanted.command === "readonly") && /readonly var/.test(error.message);
    shell.complain(bare ? error.message : `${wanted.command}: ${error.message}`);
    if (/readonly var/.test(error.message)) shell.state.specialFailed = true;
    return false;
  }
}

/** `local -`: what the function does with `set` ends with it. */
function keepOptions({ state: { frames, options } }: Interpreter): void {
  const at = frames.findLastIndex(({ kind }) => kind === "function");
  if (frames[at].options === undefined) frames[at] = { ...frames[at], options: new Set(options) };
}

/** A word that was no assignment as written. */
function parseText(shell: Interpreter, word: string): Declared {
  const [, target, plus, value] = /^([^=]*?)(?:(\+?)=([^]*))?$/.exec(word) ?? [];
  const { name, subscript } = parseElement(shell, target ?? word);
  if (!isName(name)) throw new ExpansionError(`\`${word}': not a valid identifier`, false);
  const declared: Declared = { name, append: plus === "+" };
  if (subscript !== undefined) declared.subscript = subscript;
  return value === undefined ? declared : { ...declared, value };
}

/** A value may be the text of a list in parentheses: with -a and -A, and for what is an array. */
function* parseList(shell: Interpreter, declared: Declared, { flags }: Wanted): Task<Declared> {
  const { name, value, subscript } = declared;
  if (typeof value !== "string" || !/^\([^]*\)$/.test(value)) return declared;
  const flagged = flags.has("a") || flags.has("A");
  const array = typeof shell.state.variables.find(splitElement(resolveName(shell, name)).name)?.value === "object";
  if (!flagged && subscript !== undefined && !array) {
    shell.complain(`warning: ${name}[${subscript}]=${value}: quoted compound array assignment deprecated`);
  }
  if (!flagged && (!array || subscript !== undefined)) return declared;
  const [statement] = new Parser(`x=${value}`).parseLine() ?? [];
  const [command] = statement?.pipelines[0]?.commands ?? [];
  if (command?.type !== "Simple" || command.assignments.length !== 1) return declared;
  return { name, append: declared.append, value: (yield* expandAssignment(shell, command.assignments[0])).value };
}

export const declarationBuiltins: Record<string, DeclarationBuiltin> = {
  declare: declaring("declare", 0),
  typeset: declaring("typeset", 0),
  local: declaring("local", 0),
  export: declaring("export", EXPORTED),
  readonly: declaring("readonly", READONLY),
};
