import { refuseInBrowser } from "./missing.ts";

export const open = refuseInBrowser("fs.open");
