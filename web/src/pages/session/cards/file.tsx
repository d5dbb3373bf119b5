/** Files that are read, written and edited. */

import { nameLanguage } from "../../../editor/languages.ts";
import { textAt, valueAt } from "../../../events/wire.ts";
import { Output } from "../../../outputs/output.tsx";
import { PatchView } from "../../../parts/patch_view.tsx";
import { readPicture } from "./code.tsx";
import { Given } from "./given.tsx";
import type { PartProps } from "./part.ts";
import { shortenPath } from "./paths.ts";
import { ResultText } from "./result_text.tsx";

export function GivenFile({ event }: PartProps) {
  const range = valueAt(event.args, "view_range");
  return (
    <p className="card-part mono">
      {shortenPath(textAt(event.args, "path"))}
      {Array.isArray(range) && <span className="faint">, lines {range.join(" to ")}</span>}
    </p>
  );
}

/** The text of a file that was read. */
export function FileText(props: PartProps) {
  const { event, open, setOpen } = props;
  const content = event.content ?? "";
  const picture = content.startsWith("data:") ? readPicture(content) : undefined;
  if (picture) {
    return (
      <div className="card-part displays">
        <Output {...picture} />
      </div>
    );
  }
  // A view has numbers before its lines; a text that is cut has to be fetched.
  const isPlain = textAt(event.extras, "impl_source") !== "oh_aci" && !valueAt(event, "cloche", "spilled");
  if (!isPlain) return <ResultText {...props} />;
  const language = nameLanguage(textAt(event.extras, "path"));
  return content && <Given text={content} language={language} open={open} setOpen={setOpen} what="the text" />;
}

export function GivenText(props: PartProps) {
  const { event, open, setOpen } = props;
  const text = textAt(event.args, "content");
  const language = nameLanguage(textAt(event.args, "path"));
  return (
    <>
      <GivenFile {...props} />
      {text && <Given text={text} language={language} open={open} setOpen={setOpen} what="the text" />}
    </>
  );
}

/** Until an edit is made, what it is to be. */
export function GivenEdit(props: PartProps) {
  const { event, card, open, setOpen } = props;
  const command = textAt(event.args, "command");
  const text = textAt(event.args, "file_text") || textAt(event.args, "new_str") || textAt(event.args, "content");
  const language = nameLanguage(textAt(event.args, "path"));
  return (
    <>
      <div className="row card-part">
        <span className="mono clip">{shortenPath(textAt(event.args, "path"))}</span>
        <span className="faint small">{command.replaceAll("_", " ")}</span>
      </div>
      {!card.answer && text && <Given text={text} language={language} open={open} setOpen={setOpen} what="the text" />}
    </>
  );
}

export function EditResult(props: PartProps) {
  const { event, card } = props;
  const patch = textAt(event.extras, "diff");
  if (patch && !event.content?.startsWith("ERROR:")) {
    return (
      <div className="card-part">
        <PatchView patch={patch} />
      </div>
    );
  }
  // A view is text with numbers; what an edit without a difference says is worth reading.
  return <ResultText {...props} text={event.content || card.event.message || ""} />;
}
