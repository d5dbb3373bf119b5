/** A file in parts: a large text, which one can read and not edit here, or bytes in hexadecimal. */

import { useEffect, useState } from "react";
import { readPart } from "../../../api/files.ts";
import { useAsk } from "../../../api/use_ask.ts";
import { Button } from "../../../parts/button.tsx";
import { Failure, Loading } from "../../../parts/notice.tsx";
import { describeSize } from "../../../parts/when.ts";
import { decodePart, decodeText, dumpHex, HEX_PART, TEXT_PART } from "./kinds.ts";
import type { OpenFile } from "./workspace.ts";

export function PartsView({ sid, path, file }: { sid: string; path: string; file: OpenFile }) {
  const [hex, setHex] = useState(file.binary);
  const [start, setStart] = useState(0);
  const size = hex ? HEX_PART : TEXT_PART;
  const last = Math.max(0, Math.ceil(file.size / size) - 1) * size;
  const at = Math.min(start, last);
  const end = Math.min(at + size, file.size);
  const part = useAsk(
    `${sid} ${path} ${file.modified} ${at} ${end}`,
    async (signal) => end > at ? (await readPart(sid, path, at, end, signal)).data : new Uint8Array(),
  );
  const bytes = part.value;
  useEffect(() => {
    // A part cannot say whether it is text where its characters are cut.
    if (bytes && at === 0 && !hex && decodeText(bytes.subarray(0, -4)) === undefined && bytes.includes(0)) setHex(true);
  }, [bytes]);
  return (
    <div className="parts-view">
      <div className="row small">
        <span className="faint">
          {describeSize(file.size)}: {at.toLocaleString("en")} to {end.toLocaleString("en")}
        </span>
        <span className="grow" />
        <Button look="quiet" disabled={at === 0} onClick={() => setStart(0)}>First</Button>
        <Button look="quiet" disabled={at === 0} onClick={() => setStart(at - size)}>Previous</Button>
        <Button look="quiet" disabled={at >= last} onClick={() => setStart(at + size)}>Next</Button>
        <Button look="quiet" disabled={at >= last} onClick={() => setStart(last)}>Last</Button>
        <Button
          look="quiet"
          aria-pressed={hex}
          onClick={() => {
            setHex(!hex);
            setStart(0);
          }}
        >
          Hex
        </Button>
      </div>
      {part.problem && <Failure problem={part.problem} again={part.again} />}
      {!bytes && !part.problem && <Loading />}
      {bytes && (
        <pre className={hex ? "hex" : ""} tabIndex={0} aria-label={`A part of ${path}`}>
          {hex ? dumpHex(bytes, at) : decodePart(bytes)}
        </pre>
      )}
    </div>
  );
}
