/** What came of an action, as text of a terminal: long ones are folded, very long ones fetched when they are wanted. */

import { useMemo } from "react";
import { makeAddress, request } from "../../../api/client.ts";
import { useAsk } from "../../../api/use_ask.ts";
import { valueAt, type WireEvent } from "../../../events/wire.ts";
import { stripAnsi } from "../../../outputs/ansi.ts";
import { AnsiText } from "../../../outputs/ansi_text.tsx";
import { Button } from "../../../parts/button.tsx";
import { CopyButton } from "../../../parts/copy_button.tsx";
import { Failure, Loading } from "../../../parts/notice.tsx";
import { describeSize } from "../../../parts/when.ts";
import { foldText } from "./fold.ts";
import type { PartProps } from "./part.ts";

interface Given extends Pick<PartProps, "event" | "sid" | "open" | "setOpen"> {
  /** Instead of the content of the event. */
  text?: string;
}

export function ResultText({ event, sid, open, setOpen, text = event.content ?? "" }: Given) {
  const size = valueAt(event, "cloche", "spilled", "size");
  const folded = useMemo(() => foldText(text), [text]);
  if (!text.trim()) return null;
  const isCut = typeof size === "number";
  const copy = async () => stripAnsi(isCut ? await loadContent(sid, event.id) : text);
  const isLong = isCut || folded !== undefined;
  return (
    <div className="card-part output with-copy" data-open={isLong && open}>
      {!isLong
        ? <AnsiText text={text} />
        : open && isCut
        ? <Whole sid={sid} event={event} />
        : open
        ? <AnsiText text={text} />
        : (
          <>
            <AnsiText text={(folded?.head ?? text).replace(/\n$/, "")} />
            {folded && (
              <button type="button" className="fold" onClick={() => setOpen(true)}>
                {isCut
                  ? `show all ${describeSize(size)}`
                  : `show ${folded.left.toLocaleString("en")} more ${folded.left === 1 ? "line" : "lines"}`}
              </button>
            )}
            {folded && <AnsiText text={folded.tail} />}
          </>
        )}
      {isLong && open && <Button look="quiet" onClick={() => setOpen(false)}>Show less</Button>}
      <CopyButton text={copy} what="the output" />
    </div>
  );
}

/** A content that is not in the event itself. */
function Whole({ sid, event }: { sid: string; event: WireEvent }) {
  const content = useAsk(`${sid} ${event.id}`, (signal) => loadContent(sid, event.id, signal));
  if (content.problem) return <Failure problem={content.problem} again={content.again} />;
  if (content.value === undefined) return <Loading what="Loading all of it" />;
  return (
    <>
      <a className="small" href={contentAddress(sid, event.id)} download={`event-${event.id}.txt`}>
        Download as a file
      </a>
      <AnsiText text={content.value} />
    </>
  );
}

const contentPath = (sid: string, id: number) => `/sessions/${sid}/events/${id}/content`;
const contentAddress = (sid: string, id: number) => makeAddress(contentPath(sid, id));

async function loadContent(sid: string, id: number, signal?: AbortSignal): Promise<string> {
  return await (await request(contentPath(sid, id), { signal })).text();
}
