/** The configuration of an engine without a Python host: no packages, and nothing saved. */

import { FIXED_LIMITS, RUN_LIMITS } from "../limits.ts";
import type { Config } from "../protocol.ts";

/** The folders that every sandbox has. */
export const FOLDERS = ["/workspace", "/tmp", "/home/user"];

export function makeConfig(changes: Pick<Config, "folders" | "snapshot"> & Partial<Config>): Config {
  return {
    packages: [],
    autoInstall: false,
    env: {},
    saved: {},
    added: {},
    memory: FIXED_LIMITS.memoryMb << 20,
    limits: RUN_LIMITS,
    preload: [],
    shell: null,
    ...changes,
  };
}
