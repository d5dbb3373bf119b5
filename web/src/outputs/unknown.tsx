/** Content of a type that cannot be shown: its name, its size, and a way to have it as a file. */

import { useMemo } from "react";
import { asText } from "./bundle.ts";
import { describeSize, readBase64 } from "./contents.ts";

export function UnknownTypes({ bundle, types }: { bundle: Record<string, unknown>; types: string[] }) {
  return (
    <ul className="unknown-types small faint">
      {types.map((type) => <UnknownType key={type} type={type} content={bundle[type]} />)}
    </ul>
  );
}

function UnknownType({ type, content }: { type: string; content: unknown }) {
  const file = useMemo(() => asFile(type, content), [type, content]);
  const save = () => {
    const address = URL.createObjectURL(file);
    const link = document.createElement("a");
    link.href = address;
    link.download = `output.${extensionOf(type)}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  return (
    <li className="row">
      <code>{type}</code> {describeSize(file.size)}
      <button type="button" className="button quiet" onClick={save} aria-label={`Download ${type}`}>Download</button>
    </li>
  );
}

/** Text as it is, and data of other types from base64. */
function asFile(type: string, content: unknown): Blob {
  const isText = /^text\/|[+/](json|xml)$/.test(type);
  const read = !isText && typeof content === "string" ? readBase64(content) : undefined;
  // Whatever it is, the browser shall not show it as a page.
  const kind = "application/octet-stream";
  if (!read) return new Blob([asText(content)], { type: kind });
  try {
    return new Blob([Uint8Array.from(atob(read.text), (char) => char.charCodeAt(0))], { type: kind });
  } catch {
    return new Blob([asText(content)], { type: kind });
  }
}

function extensionOf(type: string): string {
  const name = type.split(/[/+;]/).at(-1)?.replace(/[^\w-]/g, "") ?? "";
  return name.slice(0, 12) || "bin";
}
