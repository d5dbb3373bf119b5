/** A picture with its size; a click shows it whole. */

import { useMemo, useState } from "react";
import { valueAt } from "../events/wire.ts";
import { Dialog } from "../parts/dialog.tsx";
import { asText, type Bundle } from "./bundle.ts";
import { describeSize, readBase64 } from "./contents.ts";
import { Broken } from "./output_guard.tsx";
import "./picture.css";

interface PictureProps {
  type: string;
  bundle: Bundle;
  metadata?: unknown;
}

export function Picture({ type, bundle, metadata }: PictureProps) {
  const content = asText(bundle[type]);
  const read = useMemo(() => readBase64(content), [content]);
  if (!read) return <Broken what={`the data of this picture (${type}) is not base64`} bundle={bundle} />;
  return <PictureAt address={`data:${type};base64,${read.text}`} bytes={read.bytes} type={type} metadata={metadata} />;
}

/** The picture at an address of data. */
export function PictureAt(
  { address, bytes, type, metadata }: { address: string; bytes: number; type: string; metadata?: unknown },
) {
  const [whole, setWhole] = useState(false);
  const [size, setSize] = useState<{ width: number; height: number }>();
  const [broken, setBroken] = useState(false);
  if (broken) return <Broken what={`the data is not a picture of the type ${type}`} />;
  const words = [type, size && `${size.width} × ${size.height}`, describeSize(bytes)].filter(Boolean).join(", ");
  const width = Number(valueAt(metadata, "width")) || undefined;
  return (
    <figure className="picture">
      <button type="button" onClick={() => setWhole(true)} aria-label={`Show the picture whole (${words})`}>
        <img
          src={address}
          alt=""
          width={width}
          onError={() => setBroken(true)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize({ width: naturalWidth, height: naturalHeight })}
        />
      </button>
      <figcaption className="faint small">{words}</figcaption>
      {whole && (
        <Dialog title={words} close={() => setWhole(false)}>
          <div className="picture-whole">
            <img src={address} alt={`The picture whole, ${words}`} />
          </div>
        </Dialog>
      )}
    </figure>
  );
}
