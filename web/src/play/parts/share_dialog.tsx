/** An address with the code in it, and a piece of HTML that shows it in another page. */

import { useEffect, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { describeSize } from "../../parts/when.ts";
import type { EngineFiles } from "../engine/engine_types.ts";
import { addressOf } from "../engine/site.ts";
import { LONGEST, packShared } from "../share.ts";

const ROOT = "/workspace/";

export interface ShareProps {
  language: string;
  code: string;
  files?: EngineFiles;
  close(): void;
}

export default function ShareDialog({ language, code, files, close }: ShareProps) {
  const [withFiles, setWithFiles] = useState(false);
  const [packed, setPacked] = useState("");
  const known = files?.sizes() ?? {};
  const count = Object.keys(known).length;
  const bytes = Object.values(known).reduce((sum, each) => sum + each, 0);
  useEffect(() => {
    const taken = withFiles && files ? Object.entries(files.exportFiles()) : [];
    const shared = Object.fromEntries(taken.map(([path, data]) => [path.slice(ROOT.length), data]));
    void packShared({ language, code, files: shared }).then(setPacked);
  }, [withFiles, language, code, files]);
  const place = `?lang=${language}#${packed}`;
  const embedded = addressOf("embed").replace(/embed$/, document.documentElement.dataset["embed"] ?? "embed") + place;
  const link = `${location.origin}${location.pathname}${place}`;
  const frame = `<iframe src="${embedded}" width="100%" height="420" title="${language} code"></iframe>`;
  const long = link.length > LONGEST;
  return (
    <Dialog title="Share" close={close}>
      <div className="play-share">
        <p className="small">
          The code is in the part of the address that browsers send to nobody: who has the address has the code.
        </p>
        {count > 0 && (
          <label className="row">
            <input type="checkbox" checked={withFiles} onChange={() => setWithFiles(!withFiles)} />
            with {count === 1 ? "the file" : `the ${count} files`} ({describeSize(bytes)})
          </label>
        )}
        {long && (
          <p className="failure" role="alert">
            The address has {link.length.toLocaleString("en")}{" "}
            characters: many programs cut that off. Leave out the files, or shorten the code.
          </p>
        )}
        <Copied label="Link" text={link} />
        <Copied label="Embed: HTML for another page" text={frame} />
      </div>
    </Dialog>
  );
}

function Copied({ label, text }: { label: string; text: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(() => setDone(true), () => setDone(false));
  };
  return (
    <div className="field">
      <span>{label}</span>
      <div className="row">
        <input
          className="grow mono"
          readOnly
          value={text}
          aria-label={label}
          onFocus={({ target }) => target.select()}
        />
        <Button onClick={() => void copy()}>{done ? "Copied" : "Copy"}</Button>
      </div>
    </div>
  );
}
