import { missing } from "./missing.ts";

export const lookup = missing("dns.lookup");
