/** Folders and files that are made, moved, removed, listed, brought in. */

import { textAt, valueAt } from "../../../events/wire.ts";
import { describeSize } from "../../../parts/when.ts";
import type { PartProps } from "./part.ts";
import { shortenPath } from "./paths.ts";

/** Names that are shown while a list is folded. */
const SHOWN = 24;

export function FolderPath({ event }: PartProps) {
  const recursive = valueAt(event.args, "recursive") === true;
  return (
    <p className="card-part mono">
      {shortenPath(textAt(event.args, "path")) || "/"}
      {recursive && <span className="faint">, with all that is in it</span>}
    </p>
  );
}

export function MovedPaths({ event }: PartProps) {
  return (
    <p className="card-part mono">
      {shortenPath(textAt(event.args, "path"))} <span className="faint">→</span>{" "}
      {shortenPath(textAt(event.args, "destination"))}
    </p>
  );
}

export function Uploads(props: PartProps) {
  const { event } = props;
  const files = Object.entries((valueAt(event.args, "files") ?? {}) as Record<string, number>);
  const more = Number(valueAt(event.args, "more") ?? 0);
  return (
    <Names
      {...props}
      names={files.map(([name, size]) => `${shortenPath(name)} (${describeSize(Number(size))})`)}
      more={more}
      empty="no files"
    />
  );
}

export function FileList(props: PartProps) {
  const files = valueAt(props.event.extras, "files");
  return <Names {...props} names={Array.isArray(files) ? files.map(String) : []} more={0} empty="an empty folder" />;
}

function Names(
  { names, more, empty, open, setOpen }: Pick<PartProps, "open" | "setOpen"> & {
    names: string[];
    more: number;
    empty: string;
  },
) {
  if (names.length + more === 0) return <p className="card-part faint">{empty}</p>;
  const shown = open ? names : names.slice(0, SHOWN);
  return (
    <div className="card-part">
      <ul className="names mono">{shown.map((name, at) => <li key={at}>{name}</li>)}</ul>
      {shown.length < names.length && (
        <button type="button" className="fold" onClick={() => setOpen(true)}>
          show {(names.length - shown.length).toLocaleString("en")} more
        </button>
      )}
      {more > 0 && <span className="faint">and {more.toLocaleString("en")} more</span>}
    </div>
  );
}
