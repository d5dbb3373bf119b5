import { missing } from "./missing.ts";

export const constants = {};
export const gunzipSync = missing("gzip");
export const gzipSync = missing("gzip");
