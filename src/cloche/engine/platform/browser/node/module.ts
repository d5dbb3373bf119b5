import { missing } from "./missing.ts";

export const createRequire = () => missing("require");
