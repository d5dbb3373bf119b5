import { missing } from "./missing.ts";

export const existsSync = () => false;
export const readFileSync = missing("fs.readFileSync");
export const constants = {};
export const promises = {};
