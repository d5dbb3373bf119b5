import type { Call } from "../../call.ts";
export function runBisect(_call: Call, _args: string[]): Promise<number> {
  return Promise.resolve(1);
}
