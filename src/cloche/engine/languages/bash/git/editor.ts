/** Editors: commands of the sandbox that change a file, named by the environment and never by a repository. */
import type { Call } from "./call.ts";
import { usageError } from "./options.ts";

/** The command that edits messages, or the lists of a rebase; undefined if there is none. */
export async function findEditor(call: Call, sequence = false): Promise<string | undefined> {
  // The settings of a repository are left out: whoever made it must not choose what runs here.
  const config = await call.config();
  const lists = sequence ? [call.env("GIT_SEQUENCE_EDITOR"), config.get("sequence.editor")] : [];
  const names = [...lists, call.env("GIT_EDITOR"), config.get("core.editor"), call.env("VISUAL"), call.env("EDITOR")];
  return names.find((name) => name !== undefined && name !== "");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Runs a command line of the sandbox and passes on what it prints; returns its exit code. */
export async function runScript(call: Call, script: string, cwd: string): Promise<number> {
  if (!call.ctx.exec) throw usageError("no command can be started here");
  call.flush();
  const { stdout, stderr, exitCode } = await call.ctx.exec(script, { cwd, env: call.ctx.exportedEnv });
  call.bytes(stdout);
  if (stderr !== "") call.err(stderr);
  call.flush();
  return exitCode;
}

/** Lets an editor change a file; throws git's complaint if it fails. */
export async function editFile(call: Call, editor: string, path: string, cwd: string): Promise<void> {
  if (editor === ":" || editor === "true") return;
  if (await runScript(call, `${editor} ${quote(path)}`, cwd) !== 0) {
    throw usageError(`There was a problem with the editor '${editor}'.`);
  }
}
