import { refuseInBrowser } from "./missing.ts";

export const createRequire = () => refuseInBrowser("require");
