/** Everything that a shell knows and that a subshell gets a copy of. */
import type { CommandNode, FunctionNode } from "../syntax/nodes.ts";
import type { ParseOptions } from "../syntax/scanner.ts";
import { History } from "./history.ts";
import { type Variable, Variables } from "./variables.ts";

export interface ShellFunction {
  readonly node: FunctionNode;
  /** Where it was defined, for BASH_SOURCE. */
  readonly source: string;
  readonly exported: boolean;
  readonly traced: boolean;
  readonly readonly: boolean;
}

/** One call of a function, `source` or script; FUNCNAME, BASH_SOURCE and BASH_LINENO list them. */
export interface Frame {
  kind: "main" | "function" | "source";
  /** The function's name, `source` or `main`. */
  name: string;
  /** The file whose text runs in it. */
  source: string;
  /** The line of the caller from which it was called. */
  callLine: number;
  /** After `local -`: the options of `set`, as they will be again when the function returns. */
  options?: ReadonlySet<SetOption>;
}

/** Options of `set`, by their long names. */
export type SetOption =
  | "allexport"
  | "braceexpand"
  | "emacs"
  | "errexit"
  | "errtrace"
  | "functrace"
  | "hashall"
  | "histexpand"
  | "history"
  | "ignoreeof"
  | "interactive-comments"
  | "keyword"
  | "monitor"
  | "noclobber"
  | "noexec"
  | "noglob"
  | "nolog"
  | "notify"
  | "nounset"
  | "onecmd"
  | "physical"
  | "pipefail"
  | "posix"
  | "privileged"
  | "verbose"
  | "vi"
  | "xtrace";

export const SET_OPTIONS: readonly SetOption[] = [
  "allexport",
  "braceexpand",
  "emacs",
  "errexit",
  "errtrace",
  "functrace",
  "hashall",
  "histexpand",
  "history",
  "ignoreeof",
  "interactive-comments",
  "keyword",
  "monitor",
  "noclobber",
  "noexec",
  "noglob",
  "nolog",
  "notify",
  "nounset",
  "onecmd",
  "physical",
  "pipefail",
  "posix",
  "privileged",
  "verbose",
  "vi",
  "xtrace",
];

/** Options of `set` by their letters. */
export const SET_LETTERS: Readonly<Record<string, SetOption>> = {
  a: "allexport",
  b: "notify",
  e: "errexit",
  f: "noglob",
  h: "hashall",
  k: "keyword",
  m: "monitor",
  n: "noexec",
  p: "privileged",
  t: "onecmd",
  u: "nounset",
  v: "verbose",
  x: "xtrace",
  B: "braceexpand",
  C: "noclobber",
  E: "errtrace",
  H: "histexpand",
  P: "physical",
  T: "functrace",
};

/** Options of `shopt`; those with a star are on in a new shell. */
const SHOPT =
  "autocd assoc_expand_once cdable_vars cdspell checkhash checkjobs *checkwinsize *cmdhist compat31 compat32 " +
  "compat40 compat41 compat42 compat43 compat44 *complete_fullquote direxpand dirspell dotglob execfail expand_aliases " +
  "extdebug extglob *extquote failglob *force_fignore *globasciiranges *globskipdots globstar gnu_errfmt histappend " +
  "histreedit histverify *hostcomplete huponexit inherit_errexit *interactive_comments lastpipe lithist " +
  "localvar_inherit localvar_unset login_shell mailwarn no_empty_cmd_completion nocaseglob nocasematch " +
  "noexpand_translation nullglob *patsub_replacement *progcomp progcomp_alias *promptvars restricted_shell " +
  "shift_verbose *sourcepath varredir_close xpg_echo";

export const SHOPT_OPTIONS: readonly string[] = SHOPT.replaceAll("*", "").split(" ");

export class ShellState {
  variables = new Variables();
  functions = new Map<string, ShellFunction>();
  aliases = new Map<string, string>();
  options = new Set<SetOption>(["braceexpand", "hashall", "interactive-comments"]);
  /** Options of `shopt` that are on. */
  shopt = new Set<string>(Array.from(SHOPT.matchAll(/\*(\w+)/g), ([, name]) => name));
  positional: string[] = [];
  /** Whether `set` has given them since a file was sourced: they then stay after it. */
  positionalSet = false;
  /** $$: of a subshell, its shell's. */
  shellPid = 42;
  /** Letters in $- that are no options: `c`, `s`, `i`. */
  startLetters = "";
  /** $0 */
  name = "bash";
  cwd = "/";
  umask = 0o022;
  /** $? */
  status = 0;
  pipeStatus: number[] = [0];
  /** The exit code of the latest `$(…)` of the command being expanded. */
  lastSubstitution: number | undefined;
  /** $_ */
  lastArgument = "";
  /** $!; undefined before the first job. */
  lastJob: number | undefined;
  /** The line that runs, in the file of the innermost frame. */
  line = 1;
  /** Where the whole command ends that was read last: some messages name that line. */
  endLine = 1;
  frames: Frame[] = [];
  directories: string[] = [];
  hashed = new Map<string, { path: string; hits: number }>();
  history = new History();
  limits = new Map<string, { soft: string; hard: string }>();
  completions = new Map<string, string[]>();
  /** Builtins that `enable -n` has turned off. */
  disabled = new Set<string>();
  /** Actions by signal (EXIT, ERR, DEBUG, RETURN, INT...); "" ignores it. */
  traps = new Map<string, string>();
  /** What `trap` lists in a subshell that has set none. */
  listedTraps: ReadonlyMap<string, string> | undefined;
  /** How deep in loops, so that `break` knows. */
  loops = 0;
  /** How many enclosing conditions (if, while, &&, !) keep `set -e` and ERR quiet. */
  conditions = 0;
  /** How deep in `$(…)`, for `set -x`. */
  substitutions = 0;
  /** BASH_SUBSHELL */
  subshell = 0;
  /** Seconds since 1970 from which SECONDS counts. */
  started = Date.now() / 1000;
  /** Where getopts is: OPTIND as it has left it, and the letter in that word. */
  optionRecord: Variable | undefined;
  optionPlace = 1;
  /** Of RANDOM; undefined until it is read. */
  seed: number | undefined;
  /** Computed variables that `unset` has made usual ones. */
  undone = new Set<string>();
  /** Whether a compound command has given its commands their standard input: then jobs in it read that. */
  inputGiven = false;
  /** Whether messages name the line, as those of scripts do. */
  interactive = false;
  /** How deep in `command`, under which mistakes of special builtins do not end a script. */
  commands = 0;
  /** Whether a special builtin could not do what it was to: in POSIX mode that ends a script. */
  specialFailed = false;
  /** The command that runs. */
  command: CommandNode | undefined;
  /** While traps run: the command that was running when the first of them began. */
  trapped: CommandNode | undefined;
  /** While a trap but DEBUG runs: `$?` from before it, which `exit` and `return` without a number give. */
  trapStatus: number | undefined;
  /** For messages of arithmetic, `read`...: 1 + the depth of `eval` and `source`. */
  evals = 0;

  /** A copy that shares nothing that either may change. */
  fork(): ShellState {
    const copy = new ShellState();
    Object.assign(copy, this);
    copy.variables = this.variables.fork();
    copy.functions = new Map(this.functions);
    copy.aliases = new Map(this.aliases);
    copy.options = new Set(this.options);
    copy.shopt = new Set(this.shopt);
    copy.positional = this.positional.slice();
    copy.pipeStatus = this.pipeStatus.slice();
    copy.frames = this.frames.slice();
    copy.directories = this.directories.slice();
    copy.hashed = new Map(this.hashed);
    copy.history = this.history.copy();
    copy.limits = new Map(this.limits);
    copy.completions = new Map(this.completions);
    copy.disabled = new Set(this.disabled);
    copy.traps = new Map(this.traps);
    copy.undone = new Set(this.undone);
    return copy;
  }
}

/** What POSIX mode turns on besides. */
const WITH_POSIX = ["expand_aliases", "inherit_errexit", "interactive_comments", "shift_verbose", "sourcepath"];

export function setPosix(state: ShellState, on: boolean): void {
  if (on) {
    for (const name of WITH_POSIX) state.shopt.add(name);
    return;
  }
  for (const name of ["inherit_errexit", "shift_verbose"]) state.shopt.delete(name);
  if (!state.interactive) state.shopt.delete("expand_aliases");
}

/** What a script's text means in this state, as far as that is known before it runs. */
export function parseOptions({ shopt, aliases }: ShellState): ParseOptions {
  return { aliases: () => shopt.has("expand_aliases") ? aliases : undefined, extglob: shopt.has("extglob") };
}
