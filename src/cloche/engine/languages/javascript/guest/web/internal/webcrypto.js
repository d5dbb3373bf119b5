// deno-lint-ignore-file require-await -- what fails at once is to be a rejection
// The web's crypto: random bytes, UUIDs, digests.
const names = (algorithm) => typeof algorithm === "string" ? algorithm : algorithm?.name;

function getRandomValues(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  if (bytes.length > 65536) throw new DOMException("The requested length exceeds 65,536 bytes", "QuotaExceededError");
  bytes.set(host("random", bytes.length));
  return view;
}

function randomUUID() {
  const bytes = host("random", 16);
  bytes[6] = bytes[6] & 0x0f | 0x40;
  bytes[8] = bytes[8] & 0x3f | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const subtle = {
  digest: async (algorithm, data) => {
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    return host("digest", `${names(algorithm)}`, bytes).buffer;
  },
};

Object.assign(exports, { getRandomValues, randomUUID, subtle });
core.hidden(exports, Symbol.toStringTag, "Crypto");
