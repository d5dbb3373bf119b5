/** What curl says about a request: exit codes and -w. */
import { type Reply, WebError } from "./web.ts";

/** What is known about a finished request. */
export interface TransferFacts {
  method: string;
  url: string;
  reply?: Reply;
  file?: string;
  redirects: number;
  uploaded: number;
  downloaded: number;
  started: number;
  answered?: number;
  headers: number;
  code: number;
  message: string;
}

const CODES: Record<string, number> = {
  NameNotFound: 6,
  NotAllowed: 7,
  PrivateAddress: 7,
  ConnectFailed: 7,
  Timeout: 28,
  TooManyRedirects: 47,
  TooLarge: 63,
  BadRequest: 3,
};

/** The exit code for an error, according to curl's manual. */
export function codeOf(error: WebError, reply: Reply | undefined): number {
  if (error.type === "TLSFailed") return error.message.includes("certificate") ? 60 : 35;
  if (error.type === "ConnectionLost") return !error.answered ? 52 : reply?.length === undefined ? 56 : 18;
  return CODES[error.type] ?? 7;
}

/** Fills in a text of -w. */
export function writeOut(format: string, facts: TransferFacts): string {
  const values = variables(facts);
  const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r" };
  return format.replace(/%\{([^}]*)\}|%%|\\([ntr])/g, (whole, name?: string, escape?: string) => {
    if (escape) return escapes[escape];
    if (whole === "%%") return "%";
    if (name === "json") return JSON.stringify(values);
    if (name === "header_json") return JSON.stringify(headersOf(facts.reply), null, 1);
    if (name === "onerror") return "";
    return String(values[name ?? ""] ?? "");
  });
}

function variables(facts: TransferFacts): Record<string, string | number> {
  const { reply } = facts;
  const seconds = (time: number | undefined) => time === undefined ? "0.000000" : (time / 1000).toFixed(6);
  const total = performance.now() - facts.started;
  const answered = facts.answered === undefined ? undefined : facts.answered - facts.started;
  const status = String(reply?.status ?? 0).padStart(3, "0");
  return {
    http_code: status,
    response_code: status,
    http_version: reply ? "1.1" : "0",
    content_type: reply?.header("content-type") ?? "",
    size_download: facts.downloaded,
    size_upload: facts.uploaded,
    size_header: facts.headers,
    speed_download: Math.round(facts.downloaded / Math.max(total / 1000, 1e-6)),
    time_total: seconds(total),
    time_starttransfer: seconds(answered),
    time_namelookup: "0.000000",
    time_connect: "0.000000",
    time_appconnect: "0.000000",
    time_pretransfer: "0.000000",
    time_redirect: "0.000000",
    url: facts.url,
    url_effective: reply?.request.url ?? facts.url,
    redirect_url: reply?.location ?? "",
    num_redirects: facts.redirects,
    num_headers: reply?.headers.length ?? 0,
    method: reply?.request.method ?? facts.method,
    scheme: (reply?.request.url ?? facts.url).split(":")[0].toUpperCase(),
    filename_effective: facts.file ?? "",
    exitcode: facts.code,
    errormsg: facts.message,
    ssl_verify_result: 0,
  };
}

function headersOf(reply: Reply | undefined): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of reply?.headers ?? []) (headers[name.toLowerCase()] ??= []).push(value);
  return headers;
}
