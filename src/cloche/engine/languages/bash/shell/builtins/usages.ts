/** How builtins and keywords are written, and what they do: for messages and `help`. */
import type { Interpreter } from "../interpreter.ts";

const COMPLETION = "[-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] " +
  "[-X filterpat] [-P prefix] [-S suffix]";
const DECLARED = "[-aAfFgiIlnrtux]";
const DECLARED_AGAIN = "-p [-aAfFilnrtux] [name ...]";
const LINES = "[-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]";

/** By name: how it is written, then what it does. */
export const BUILTIN_USAGES: Readonly<Record<string, readonly [synopsis: string, summary: string]>> = {
  ".": [". filename [arguments]", "Runs the commands of a file in this shell."],
  ":": [":", "Does nothing, and succeeds."],
  "[": ["[ arg... ]", "Is `test` with a closing bracket at its end."],
  alias: ["alias [-p] [name[=value] ... ]", "Sets or shows aliases."],
  bg: ["bg [job_spec ...]", "Lets jobs go on in the background."],
  bind: [
    "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] " +
    "[keyseq:readline-function or readline-command]",
    "Sets keys of the prompt; here it changes nothing.",
  ],
  break: ["break [n]", "Leaves n loops."],
  builtin: ["builtin [shell-builtin [arg ...]]", "Runs a builtin, whatever functions there are."],
  caller: ["caller [expr]", "Says from where a function was called."],
  cd: ["cd [-L|[-P [-e]] [-@]] [dir]", "Changes the current folder."],
  command: ["command [-pVv] command [arg ...]", "Runs a command that is no function, or says what a name means."],
  compgen: [`compgen ${COMPLETION} [word]`, "Lists what a word can be completed to."],
  complete: [
    `complete ${COMPLETION.replace(" ", " [-pr] [-DEI] ")} [name ...]`,
    "Says how the arguments of commands are completed.",
  ],
  compopt: ["compopt [-o|+o option] [-DEI] [name ...]", "Changes options of completions."],
  continue: ["continue [n]", "Goes on with the next round of the n-th loop around it."],
  declare: [`declare ${DECLARED} [name[=value] ...] or declare ${DECLARED_AGAIN}`, "Sets variables and what they are."],
  dirs: ["dirs [-clpv] [+N] [-N]", "Shows the stack of folders."],
  disown: ["disown [-h] [-ar] [jobspec ... | pid ...]", "Takes jobs from the shell's list."],
  echo: ["echo [-neE] [arg ...]", "Prints its arguments."],
  enable: ["enable [-a] [-dnps] [-f filename] [name ...]", "Turns builtins on and off."],
  eval: ["eval [arg ...]", "Runs its arguments as a command."],
  exec: ["exec [-cl] [-a name] [command [argument ...]] [redirection ...]", "Puts a program in the shell's place."],
  exit: ["exit [n]", "Ends the shell."],
  export: ["export [-fn] [name[=value] ...] or export -p", "Hands variables to programs."],
  false: ["false", "Does nothing, and fails."],
  fc: ["fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]", "Shows or repeats commands of the history."],
  fg: ["fg [job_spec]", "Brings a job to the foreground."],
  getopts: ["getopts optstring name [arg ...]", "Reads the options of a script."],
  hash: ["hash [-lr] [-p pathname] [-dt] [name ...]", "Remembers where programs are."],
  help: ["help [-dms] [pattern ...]", "Says how builtins are used."],
  history: [
    "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
    "Shows or changes the history.",
  ],
  jobs: ["jobs [-lnprs] [jobspec ...] or jobs -x command [args]", "Lists jobs."],
  kill: [
    "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
    "Sends a signal to processes.",
  ],
  let: ["let arg [arg ...]", "Computes."],
  local: ["local [option] name[=value] ...", "Makes variables a function's own."],
  logout: ["logout [n]", "Ends a shell of a login."],
  mapfile: [`mapfile ${LINES}`, "Reads lines into an array."],
  popd: ["popd [-n] [+N | -N]", "Takes a folder from the stack."],
  printf: ["printf [-v var] format [arguments]", "Prints its arguments by a format."],
  pushd: ["pushd [-n] [+N | -N | dir]", "Puts a folder on the stack."],
  pwd: ["pwd [-LP]", "Prints the current folder."],
  read: [
    "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
    "Reads a line into variables.",
  ],
  readarray: [`readarray ${LINES}`, "Reads lines into an array."],
  readonly: ["readonly [-aAf] [name[=value] ...] or readonly -p", "Makes variables unchangeable."],
  return: ["return [n]", "Leaves a function or a sourced file."],
  set: ["set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]", "Sets options and positional parameters."],
  shift: ["shift [n]", "Drops the first n positional parameters."],
  shopt: ["shopt [-pqsu] [-o] [optname ...]", "Sets options of the shell."],
  source: ["source filename [arguments]", "Runs the commands of a file in this shell."],
  suspend: ["suspend [-f]", "Stops the shell; here it does nothing."],
  test: ["test [expr]", "Answers questions about files, texts and numbers."],
  times: ["times", "Shows how much time has passed."],
  trap: ["trap [-lp] [[arg] signal_spec ...]", "Says what is run on signals."],
  true: ["true", "Does nothing, and succeeds."],
  type: ["type [-afptP] name [name ...]", "Says what names mean as commands."],
  typeset: [`typeset ${DECLARED} name[=value] ... or typeset ${DECLARED_AGAIN}`, "Is another name of `declare`."],
  ulimit: ["ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]", "Shows or sets limits."],
  umask: ["umask [-p] [-S] [mode]", "Shows or sets which rights new files do not get."],
  unalias: ["unalias [-a] name [name ...]", "Removes aliases."],
  unset: ["unset [-f] [-v] [-n] [name ...]", "Removes variables and functions."],
  wait: ["wait [-fn] [-p var] [id ...]", "Waits for jobs."],
};

/** Other things that `help` knows. */
export const KEYWORD_USAGES: typeof BUILTIN_USAGES = {
  "%": ["job_spec [&]", "Brings a job to the foreground, or with & lets it go on."],
  "(( ... ))": ["(( expression ))", "Computes; succeeds unless the result is 0."],
  "[[ ... ]]": ["[[ expression ]]", "Answers questions about files, texts and numbers."],
  "{ ... }": ["{ COMMANDS ; }", "Groups commands."],
  case: [
    "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
    "Runs the commands of the pattern that matches.",
  ],
  coproc: ["coproc [NAME] command [redirections]", "Starts a job with pipes to and from it."],
  for: ["for NAME [in WORDS ... ] ; do COMMANDS; done", "Runs commands for each word."],
  "for ((": ["for (( exp1; exp2; exp3 )); do COMMANDS; done", "Repeats commands while a number is not 0."],
  function: ["function name { COMMANDS ; } or name () { COMMANDS ; }", "Defines a function."],
  if: [
    "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
    "Runs commands if others succeed.",
  ],
  select: ["select NAME [in WORDS ... ;] do COMMANDS; done", "Lets one choose from words."],
  time: ["time [-p] pipeline", "Measures how long commands take."],
  until: ["until COMMANDS; do COMMANDS-2; done", "Repeats commands until others succeed."],
  variables: ["variables - Names and meanings of some shell variables", "Lists variables that the shell uses."],
  while: ["while COMMANDS; do COMMANDS-2; done", "Repeats commands while others succeed."],
};

/** All that `help` knows. */
export const TOPICS = [...Object.keys(BUILTIN_USAGES), ...Object.keys(KEYWORD_USAGES)].sort();

/** Says how a builtin is used: it cannot do what it was to. */
export function sayUsage(shell: Interpreter, name: string): void {
  shell.state.specialFailed = true;
  shell.say(`${name}: usage: ${BUILTIN_USAGES[name][0]}`);
}
