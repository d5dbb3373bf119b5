/** Files as they are meant to be seen: pictures, tables, Markdown. */

import { useEffect, useMemo, useState } from "react";
import { readFile } from "../../../api/files.ts";
import { useAsk } from "../../../api/use_ask.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty, Failure, Loading } from "../../../parts/notice.tsx";
import { describeSize } from "../../../parts/when.ts";
import { readTable } from "../../../outputs/table/delimited.ts";
import { LARGEST_PICTURE, pictureType } from "./kinds.ts";
import { nameOf } from "./paths.ts";
import type { OpenFile } from "./workspace.ts";

/** Rows of a table that are shown at first, and are added then. */
const ROWS = 200;

export function Picture({ sid, path, file }: { sid: string; path: string; file: OpenFile }) {
  const large = file.size > LARGEST_PICTURE;
  const answer = useAsk(
    `${sid} ${path} ${file.modified} ${file.size}`,
    async (signal) => (large ? undefined : (await readFile(sid, path, signal)).data),
  );
  if (large) return <Empty title="It is too large to be shown">{describeSize(file.size)}: download it.</Empty>;
  if (answer.problem) return <Failure problem={answer.problem} again={answer.again} />;
  return answer.value ? <PictureOf data={answer.value} path={path} /> : <Loading />;
}

export function PictureOf({ data, path }: { data: BlobPart; path: string }) {
  const [address, setAddress] = useState("");
  const [size, setSize] = useState("");
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([data], { type: pictureType(path) ?? "" }));
    setAddress(made);
    setFailed(false);
    return () => URL.revokeObjectURL(made);
  }, [data, path]);
  if (failed) return <Empty title="It is no picture">The browser cannot show what is in {nameOf(path)}.</Empty>;
  return (
    <figure className="file-picture">
      {address && (
        <img
          src={address}
          alt={nameOf(path)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
          onError={() => setFailed(true)}
        />
      )}
      <figcaption className="small faint">{size}</figcaption>
    </figure>
  );
}

export function TableOf({ text, path }: { text: string; path: string }) {
  const [most, setMost] = useState(ROWS);
  const { rows: [head = [], ...rows], more } = useMemo(() => readTable(text, most + 1), [text, most]);
  if (head.length === 0) return <Empty title="The table is empty" />;
  return (
    <div className="file-table" tabIndex={0} role="region" aria-label={`Table of ${nameOf(path)}`}>
      <table className="small">
        <thead>
          <tr>
            <th aria-label="Row" />
            {head.map((field, at) => <th key={at} scope="col">{field}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              <td className="faint">{at + 1}</td>
              {row.map((field, column) => <td key={column} className={isNumber(field) ? "number" : ""}>{field}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
      {more && <Button look="quiet" onClick={() => setMost(most * 5)}>Show more rows</Button>}
    </div>
  );
}

function isNumber(field: string): boolean {
  return field.trim() !== "" && Number.isFinite(Number(field));
}
