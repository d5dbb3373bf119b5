/** Content as bytes: base64, sizes. */

const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

/** Base64 without white space, and how many bytes it stands for; undefined if it is something else. */
export function readBase64(content: string): { text: string; bytes: number } | undefined {
  const text = /\s/.test(content) ? content.replace(/\s+/g, "") : content;
  if (!text || !ALPHABET.test(text)) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return { text, bytes: Math.floor((text.length * 3) / 4) - padding };
}

/** A size in the words that people use: 12 bytes, 3.4 KB. */
export function describeSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = bytes < 1e6 ? 1 : bytes < 1e9 ? 2 : 3;
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${["", "KB", "MB", "GB"][power]}`;
}
