/** What somebody says: the agent in Markdown, the user as it was typed. */

import { lazy, Suspense } from "react";
import { textAt, valueAt, type WireEvent } from "../../../events/wire.ts";
import { Output } from "../../../outputs/output.tsx";
import { readPicture } from "./code.tsx";
import type { PartProps } from "./part.ts";

const Markdown = lazy(() => import("../../../outputs/markdown.tsx"));

export function Message({ event }: PartProps) {
  const text = textAt(event.args, "content") || event.content || event.message || "";
  return (
    <>
      <div className="card-part">
        {event.source === "user" ? <p className="plain">{text}</p> : <AgentText text={text} />}
      </div>
      <Attached event={event} />
    </>
  );
}

export function AgentText({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="plain">{text}</p>}>
      <Markdown source={text} breaks />
    </Suspense>
  );
}

function Attached({ event }: { event: WireEvent }) {
  const pictures = listTexts(event, "image_urls").map(readPicture).filter((each) => each !== undefined);
  const files = listTexts(event, "file_urls");
  if (pictures.length + files.length === 0) return null;
  return (
    <div className="card-part displays">
      {pictures.map((each, at) => <Output key={at} {...each} />)}
      {files.map((name) => <span key={name} className="mono">{name}</span>)}
    </div>
  );
}

function listTexts(event: WireEvent, key: string): string[] {
  const found = valueAt(event.args, key);
  return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
}
