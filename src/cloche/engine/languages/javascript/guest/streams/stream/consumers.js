// stream/consumers: reads a whole stream.
const { Buffer } = require("buffer");

async function buffer(stream) {
  const parts = [];
  for await (const part of stream) parts.push(typeof part === "string" ? Buffer.from(part) : Buffer.from(part));
  return Buffer.concat(parts);
}

Object.assign(exports, {
  buffer,
  text: async (stream) => (await buffer(stream)).toString(),
  json: async (stream) => JSON.parse((await buffer(stream)).toString()),
  arrayBuffer: async (stream) => {
    const all = await buffer(stream);
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
  },
  blob: async (stream) => new Blob([await buffer(stream)]),
});
