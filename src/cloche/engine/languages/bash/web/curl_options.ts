/** The options of curl. */
import { CommandError } from "../just_bash/command.ts";

/** Long name, letter, and whether a value follows; several names may mean the same. */
const TABLE: [name: string, letter: string, value: boolean][] = [
  ["data", "d", true],
  ["data-ascii", "", true],
  ["data-raw", "", true],
  ["data-binary", "", true],
  ["data-urlencode", "", true],
  ["json", "", true],
  ["form", "F", true],
  ["form-string", "", true],
  ["get", "G", false],
  ["head", "I", false],
  ["request", "X", true],
  ["header", "H", true],
  ["user", "u", true],
  ["oauth2-bearer", "", true],
  ["user-agent", "A", true],
  ["referer", "e", true],
  ["cookie", "b", true],
  ["upload-file", "T", true],
  ["range", "r", true],
  ["continue-at", "C", true],
  ["url", "", true],
  ["output", "o", true],
  ["remote-name", "O", false],
  ["remote-name-all", "", false],
  ["remote-header-name", "J", false],
  ["output-dir", "", true],
  ["create-dirs", "", false],
  ["include", "i", false],
  ["dump-header", "D", true],
  ["location", "L", false],
  ["location-trusted", "", false],
  ["max-redirs", "", true],
  ["fail", "f", false],
  ["fail-with-body", "", false],
  ["silent", "s", false],
  ["show-error", "S", false],
  ["verbose", "v", false],
  ["write-out", "w", true],
  ["max-time", "m", true],
  ["connect-timeout", "", true],
  ["max-filesize", "", true],
  ["retry", "", true],
  ["retry-delay", "", true],
  ["retry-max-time", "", true],
  ["retry-all-errors", "", false],
  ["retry-connrefused", "", false],
  ["compressed", "", false],
  ["version", "V", false],
  ["help", "h", false],
];

/** Taken, and without effect here. */
const IGNORED =
  "progress-bar # no-progress-meter no-buffer N globoff g ipv4 4 ipv6 6 http1.0 0 http1.1 http2 http3 no-keepalive " +
  "tcp-nodelay basic path-as-is tlsv1.2 tlsv1.3 disable q fail-early tcp-fastopen ssl-reqd no-sessionid styled-output anyauth";
const IGNORED_VALUES = "limit-rate keepalive-time speed-limit Y speed-time y noproxy";

/** Refused, and why. */
const REFUSED: Record<string, string> = {
  insecure: "certificates are verified by the host, and that cannot be turned off",
  proxy: "requests are made by the host, which uses no proxy",
  cacert: "certificates are verified by the host; set SSL_CERT_FILE there",
  cert: "client certificates are not supported",
  "cookie-jar": "cookie jars are not supported; send cookies with -b 'name=value'",
  config: "config files are not supported",
  resolve: "names are resolved by the host",
  "connect-to": "names are resolved by the host",
  "unix-socket": "only HTTP over TCP is possible",
  next: "give each request to a curl of its own",
};
const REFUSED_LETTERS: Record<string, string> = { k: "insecure", x: "proxy", E: "cert", c: "cookie-jar", K: "config" };

const NAMES = new Map<string, [string, boolean]>();
for (const [name, letter, value] of TABLE) {
  NAMES.set(name, [name, value]);
  if (letter) NAMES.set(`-${letter}`, [name, value]);
}
for (const [names, value] of [[IGNORED, false], [IGNORED_VALUES, true]] as const) {
  for (const name of names.split(" ")) NAMES.set(name.length === 1 ? `-${name}` : name, ["", value]);
}

/** The kinds of data, in the order given: they are joined. */
export type Datum = [kind: string, value: string];

export class CurlOptions {
  readonly #values = new Map<string, string[]>();
  readonly urls: string[] = [];
  readonly data: Datum[] = [];
  /** File names of -o and -O, in order; null for the name in the URL. */
  readonly outputs: (string | null)[] = [];

  constructor(args: string[]) {
    for (let i = 0; i < args.length; i++) {
      const word = args[i];
      if (word === "--") this.urls.push(...args.slice(++i).splice(0)), i = args.length;
      else if (word.startsWith("--")) i += this.#long(word.slice(2), args[i + 1]);
      else if (word.startsWith("-") && word !== "-") i += this.#letters(word.slice(1), args[i + 1]);
      else this.urls.push(word);
    }
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get(name: string): string | undefined {
    return this.#values.get(name)?.at(-1);
  }

  all(name: string): string[] {
    return this.#values.get(name) ?? [];
  }

  /** A number of an option; undefined when it is not given. */
  number(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (!/^\d+\.?\d*$|^-1$/.test(value)) throw new CommandError(`option --${name}: expected a proper number`, 2);
    return Number(value);
  }

  #long(name: string, next: string | undefined): number {
    if (Object.hasOwn(REFUSED, name)) throw new CommandError(`option --${name}: ${REFUSED[name]}`, 2);
    const negated = name.startsWith("no-") && NAMES.get(name.slice(3));
    const known = NAMES.get(name);
    if (!known && negated) {
      this.#values.delete(negated[0]);
      return 0;
    }
    if (!known) throw new CommandError(`option --${name}: is unknown`, 2);
    if (known[1] && next === undefined) throw new CommandError(`option --${name}: requires parameter`, 2);
    this.#add(known[0], known[1] ? next ?? "" : "");
    return known[1] ? 1 : 0;
  }

  #letters(letters: string, next: string | undefined): number {
    for (let at = 0; at < letters.length; at++) {
      const letter = letters[at];
      const refused = REFUSED_LETTERS[letter] as string | undefined;
      if (refused) throw new CommandError(`option -${letter}: ${REFUSED[refused]}`, 2);
      const known = NAMES.get(`-${letter}`);
      if (!known) throw new CommandError(`option -${letter}: is unknown`, 2);
      if (!known[1]) {
        this.#add(known[0], "");
        continue;
      }
      const rest = letters.slice(at + 1);
      if (rest === "" && next === undefined) throw new CommandError(`option -${letter}: requires parameter`, 2);
      this.#add(known[0], rest === "" ? next ?? "" : rest);
      return rest === "" ? 1 : 0;
    }
    return 0;
  }

  #add(name: string, value: string): void {
    if (name === "") return;
    if (name === "url") this.urls.push(value);
    if (name === "output") this.outputs.push(value);
    if (name === "remote-name") this.outputs.push(null);
    if (name.startsWith("data") || name === "json") this.data.push([name, value]);
    this.#values.set(name, [...this.all(name), value]);
  }
}
