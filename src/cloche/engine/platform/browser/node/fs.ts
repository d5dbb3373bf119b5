import { refuseInBrowser } from "./missing.ts";

export const existsSync = () => false;
export const readFileSync = refuseInBrowser("fs.readFileSync");
export const constants = {};
export const promises = {};
