/** Pages that are opened in a browser. */

import { textAt } from "../../../events/wire.ts";
import { Output } from "../../../outputs/output.tsx";
import { readPicture } from "./code.tsx";
import { Given } from "./given.tsx";
import type { PartProps } from "./part.ts";
import { ResultText } from "./result_text.tsx";

export function PageAddress({ event }: PartProps) {
  return <p className="card-part mono">{textAt(event.args, "url")}</p>;
}

export function BrowserActions({ event, open, setOpen }: PartProps) {
  return <Given text={textAt(event.args, "browser_actions")} language="python" open={open} setOpen={setOpen} />;
}

export function OpenedPage(props: PartProps) {
  const { extras } = props.event;
  const given = textAt(extras, "screenshot");
  const picture = given && (readPicture(given) ?? readPicture(`data:image/png;base64,${given}`));
  const failure = textAt(extras, "last_browser_action_error");
  return (
    <>
      <p className="card-part mono faint">{textAt(extras, "url")}</p>
      {failure && <p className="card-part note">{failure}</p>}
      {picture && (
        <div className="card-part displays">
          <Output {...picture} />
        </div>
      )}
      <ResultText {...props} />
    </>
  );
}
