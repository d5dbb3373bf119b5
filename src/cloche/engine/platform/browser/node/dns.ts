import { refuseInBrowser } from "./missing.ts";

export const lookup = refuseInBrowser("dns.lookup");
