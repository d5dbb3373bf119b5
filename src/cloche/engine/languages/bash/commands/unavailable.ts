/** sqlite3, through Python. */
import { quoteWord } from "../programs/quote.ts";
import { CommandError, defineCommand } from "./command.ts";

const sqlite3 = defineCommand("sqlite3", async (args, ctx) => {
  if (!ctx.exec || !ctx.getRegisteredCommands?.().includes("python3")) {
    throw new CommandError("not available; there is no python3 to run it", 127);
  }
  const [database = ":memory:", ...statements] = args.filter((arg) => !/^-/.test(arg));
  const script = statements.length > 0
    ? statements.join(" ")
    : new TextDecoder().decode(Uint8Array.from(ctx.stdin as unknown as string, (char) => char.charCodeAt(0)));
  const header = args.includes("-header") ? "1" : "";
  const separator = args.includes("-csv") ? "," : args.includes("-tabs") ? "\t" : "|";
  const words = ["python3", "-c", PROGRAM, database, script, header, separator];
  return await ctx.exec(words.map(quoteWord).join(" "), { cwd: ctx.cwd, signal: ctx.signal });
});

const PROGRAM = `
import sqlite3, sys
database, script, header, separator = sys.argv[1:5]
connection = sqlite3.connect(database, isolation_level=None)
pending = ""
def show(value):
    return "" if value is None else str(value)
def run(statement):
    cursor = connection.execute(statement)
    if cursor.description is None:
        return
    if header:
        print(separator.join(column[0] for column in cursor.description))
    for row in cursor:
        print(separator.join(map(show, row)))
SPECIAL = {
    ".tables": "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY 1",
    ".schema": "SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL",
}
status = 0
for line in (script + "\\n;").splitlines():
    if not pending.strip() and line.strip().startswith("."):
        word = line.split()[0]
        if word in SPECIAL:
            run(SPECIAL[word])
        elif word in (".quit", ".exit"):
            break
        elif word == ".headers":
            header = line.split()[-1] == "on"
        elif word != ".mode":
            print("Error: unknown command " + word, file=sys.stderr)
            status = 1
        continue
    for piece in line.replace(";", ";\\0").split("\\0"):
        pending += piece
        if sqlite3.complete_statement(pending):
            try:
                run(pending)
            except sqlite3.Error as error:
                print("Error: " + str(error), file=sys.stderr)
                sys.exit(1)
            pending = ""
    pending += "\\n"
sys.exit(status)
`;

export const commands = [sqlite3];
