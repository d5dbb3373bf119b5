import { refuseInBrowser } from "./missing.ts";

export const constants = {};
export const gunzipSync = refuseInBrowser("gzip");
export const gzipSync = refuseInBrowser("gzip");
