/** break, continue, return, exit, and those that do nothing. */
import { type Builtin, ExitShell, type Interpreter } from "../interpreter.ts";
import { discardLine, readCount } from "./options.ts";

function loopFlow(kind: "break" | "continue"): Builtin {
  return (shell, args) => {
    const { loops } = shell.state;
    if (loops === 0) {
      if (!shell.state.options.has("posix")) {
        shell.complain(`${kind}: only meaningful in a \`for', \`while', or \`until' loop`);
      }
      return 0;
    }
    const levels = readCount(shell, kind, args);
    if (levels === undefined) throw new ExitShell(shell.state.status | 128);
    if (levels < 1) {
      shell.complain(`${kind}: ${args[0]}: loop count out of range`);
      shell.flow = { kind: "break", levels: loops };
      return 1;
    }
    shell.flow = { kind, levels: Math.min(levels, loops) };
    return 0;
  };
}

/** The code that `exit` and `return` are given; without one that of the last command before a trap. */
function codeOf(shell: Interpreter, name: string, args: string[]): number {
  const [word, ...more] = args[0] === "--" ? args.slice(1) : args;
  if (word === undefined) return shell.state.trapStatus ?? shell.state.status;
  if (!/^\s*[-+]?\d+\s*$/.test(word)) {
    shell.complain(`${name}: ${word}: numeric argument required`);
    return 2;
  }
  if (more.length > 0) throw discardLine(shell, `${name}: too many arguments`);
  return Number(BigInt(word.trim()) & 255n);
}

const exit: Builtin = (shell, args) => {
  throw new ExitShell(codeOf(shell, "exit", args));
};

const logout: Builtin = (shell, args) => {
  if (shell.state.shopt.has("login_shell")) return exit(shell, args);
  shell.complain("logout: not login shell: use `exit'");
  return 1;
};

const leave: Builtin = (shell, args) => {
  const code = codeOf(shell, "return", args);
  if (!shell.state.frames.some(({ kind }) => kind !== "main")) {
    shell.complain("return: can only `return' from a function or sourced script");
    shell.state.specialFailed = true;
    return 2;
  }
  shell.flow = { kind: "return", code };
  return code;
};

export const flowBuiltins: Record<string, Builtin> = {
  break: loopFlow("break"),
  continue: loopFlow("continue"),
  exit,
  logout,
  return: leave,
  ":": () => 0,
  true: () => 0,
  false: () => 1,
};
