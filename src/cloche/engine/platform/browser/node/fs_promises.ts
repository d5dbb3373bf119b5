import { missing } from "./missing.ts";

export const open = missing("fs.open");
