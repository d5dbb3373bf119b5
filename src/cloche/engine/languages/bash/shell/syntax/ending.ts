/** How a text that is read so far ends. */
import { Parser } from "./parser.ts";
import { type ParseOptions, ShellSyntaxError } from "./scanner.ts";

export interface Ending {
  /** Whether its commands are whole; a mistake that more text cannot mend counts as that. */
  whole: boolean;
  /** The quote or bracket that is open. */
  quote: string;
  /** In the body of a here-document. */
  document: boolean;
}

/** Whether a command is whole, by reading it. */
export function endingOf(text: string, options: ParseOptions): Ending {
  let document = false;
  if (/(?<!\\)(?:\\\\)*\\\n$/.test(text)) return { whole: false, quote: "", document };
  try {
    new Parser(text, { ...options, warn: () => document = true }).parseAll();
    return { whole: !document, quote: "", document };
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    const [, quote = ""] = /matching `(.)'/.exec(error.message) ?? [];
    return { whole: !error.incomplete, quote: document ? "" : quote, document };
  }
}
