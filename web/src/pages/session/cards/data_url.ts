/** Data addresses, as events have pictures. */

export interface Data {
  type: string;
  /** In base64, or as text where the type is one of text. */
  content: string;
}

/** What a data address has; undefined if it is none. */
export function readDataUrl(address: string): Data | undefined {
  const comma = address.indexOf(",");
  const head = /^data:([\w.+-]+\/[\w.+-]+)((?:;[^,]*)?)$/i.exec(address.slice(0, comma));
  if (comma < 0 || !head) return undefined;
  const type = head[1]?.toLowerCase() ?? "";
  const given = address.slice(comma + 1);
  try {
    const isBase64 = /;base64$/i.test(head[2] ?? "");
    if (!/^text\/|xml$|json$/.test(type)) return { type, content: isBase64 ? given : btoa(decodeURIComponent(given)) };
    return { type, content: isBase64 ? decode(given) : decodeURIComponent(given) };
  } catch {
    return undefined;
  }
}

function decode(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}
