/** A command of the shell, and what it printed. */

import { textAt, valueAt } from "../../../events/wire.ts";
import { Given } from "./given.tsx";
import type { PartProps } from "./part.ts";
import { shortenPath } from "./paths.ts";
import { ResultText } from "./result_text.tsx";

export function GivenCommand({ event, card, open, setOpen }: PartProps) {
  const command = textAt(event.args, "command");
  const isInput = valueAt(event.args, "is_input") === true;
  if (!command && !isInput) return <p className="card-part faint">waits for more output</p>;
  if (isInput) {
    const key = /^C-[a-z]$/.test(command) ? `Ctrl+${command.slice(2).toUpperCase()}` : "";
    return (
      <p className="card-part mono">
        <span className="prompt" aria-hidden="true">›</span>{" "}
        {key ? <kbd>{key}</kbd> : command || <span className="faint">an empty line</span>}
      </p>
    );
  }
  const folder = textAt(event.args, "cwd") || card.folder || "";
  const shown = folder && folder !== "/workspace" ? shortenPath(folder) : "";
  return (
    <Given
      text={command}
      language="bash"
      open={open}
      setOpen={setOpen}
      what="the command"
      prompt={
        <span className="prompt mono" aria-hidden="true">
          {shown && <span className="faint">{shown}</span>}$
        </span>
      }
    />
  );
}

export function CommandOutput(props: PartProps) {
  const metadata = props.event.extras?.["metadata"];
  const before = bare(textAt(metadata, "prefix"));
  const isRunning = valueAt(metadata, "exit_code") === -1;
  return (
    <>
      {before && <p className="card-part note">{before}</p>}
      <ResultText {...props} />
      {isRunning && <p className="card-part note">{firstSentence(bare(textAt(metadata, "suffix")))}</p>}
    </>
  );
}

/** A remark of the runtime without its brackets. */
function bare(text: string): string {
  return text.trim().replace(/^\[|\]$/g, "").replace(/\]\n\[/g, "\n");
}

/** What follows is advice for agents. */
function firstSentence(text: string): string {
  return `${text.split(/[.:] /, 1)[0]?.replace(/\.$/, "")}.`;
}
