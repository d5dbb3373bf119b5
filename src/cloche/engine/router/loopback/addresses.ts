/** Addresses and names that mean the sandbox itself. */

const NAMES = /^(localhost|localhost\.localdomain|.+\.localhost)$/;
const ADDRESSES = /^(127(\.\d{1,3}){3}|0\.0\.0\.0|::1?|::ffff:127(\.\d{1,3}){3}|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})$/;

export function isLoopback(host: unknown): boolean {
  if (typeof host !== "string") return false;
  const plain = host.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return NAMES.test(plain) || ADDRESSES.test(plain);
}
