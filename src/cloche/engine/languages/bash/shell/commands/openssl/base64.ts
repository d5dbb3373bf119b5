/** Base64 in lines, as openssl writes and reads it. */

const LINE = 64;

export function encodeBase64(bytes: Uint8Array, oneLine: boolean): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  const text = btoa(binary);
  if (oneLine) return text;
  return text.replace(new RegExp(`.{1,${LINE}}`, "g"), "$&\n");
}

/** What is not base64 gives nothing, as openssl does. */
export function decodeBase64(text: string): Uint8Array {
  const plain = text.replace(/\s+/g, "");
  try {
    return Uint8Array.from(atob(plain), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
