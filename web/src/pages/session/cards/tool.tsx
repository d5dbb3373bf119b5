/** Tools of MCP servers, and what clients do with the sandbox themselves. */

import { textAt, valueAt } from "../../../events/wire.ts";
import { Output } from "../../../outputs/output.tsx";
import { Json, JsonText } from "./json.tsx";
import type { PartProps } from "./part.ts";
import { ResultText } from "./result_text.tsx";

export function ToolCall({ event }: PartProps) {
  const given = valueAt(event.args, "arguments");
  const isEmpty = typeof given !== "object" || given === null || Object.keys(given).length === 0;
  return (
    <div className="card-part">
      <p className="mono">{textAt(event.args, "name")}</p>
      {!isEmpty && <JsonText value={given} />}
    </div>
  );
}

export function SandboxCall({ event }: PartProps) {
  const given = valueAt(event.args, "arguments");
  return (
    <div className="card-part">
      <p className="mono">{textAt(event.args, "verb")}</p>
      <Json label="Arguments" value={given} />
    </div>
  );
}

/** What a tool answered: its texts and pictures, or whatever it is. */
export function ToolResult(props: PartProps) {
  const answer = readJson(props.event.content ?? "");
  const contents = valueAt(answer, "content");
  if (!Array.isArray(contents)) {
    return answer === undefined ? <ResultText {...props} /> : <Answer value={answer} />;
  }
  const failed = valueAt(answer, "isError") === true;
  const text = contents.map((each) => textAt(each, "text")).filter(Boolean).join("\n");
  return (
    <>
      {failed && <p className="card-part note">The tool says that it failed.</p>}
      <ResultText {...props} text={text} />
      {contents.map((each, at) => <Content key={at} content={each} />)}
    </>
  );
}

function Content({ content }: { content: unknown }) {
  const [type, data] = [textAt(content, "mimeType"), textAt(content, "data")];
  if (textAt(content, "type") === "text") return null;
  return (
    <div className="card-part">
      {type.startsWith("image/") && data
        ? <Output bundle={{ [type]: data }} />
        : <Json label={textAt(content, "type") || "Content"} value={content} />}
    </div>
  );
}

function Answer({ value }: { value: unknown }) {
  return (
    <div className="card-part output">
      <JsonText value={value} />
    </div>
  );
}

function readJson(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
