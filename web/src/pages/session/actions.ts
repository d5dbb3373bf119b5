/** Actions that a user makes. */

/** What runs a text: a command of bash, a cell of Python, code of another language. */
export function makeAction(language: string, text: string): object {
  if (language === "bash") return { action: "run", args: { command: text } };
  if (language === "python") return { action: "run_ipython", args: { code: text } };
  return { action: "run_code", args: { language, code: text } };
}
