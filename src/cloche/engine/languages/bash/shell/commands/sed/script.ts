/** The parts of a sed script. */
import type { Matcher } from "../../../text/regex/regex.ts";

export type Address =
  | { kind: "line"; line: number }
  | { kind: "step"; first: number; step: number }
  | { kind: "last" }
  /** Without a matcher: the last expression that was used. */
  | { kind: "match"; matcher: Matcher | undefined }
  | { kind: "count"; count: number }
  | { kind: "multiple"; of: number };

/** A piece of a replacement: text, a group, or a change of case for what follows. */
export type Piece =
  | { kind: "text"; text: string }
  | { kind: "group"; group: number }
  | { kind: "case"; letter: "U" | "L" | "u" | "l" | "E" };

export interface Substitution {
  matcher: Matcher | undefined;
  pieces: Piece[];
  global: boolean;
  prints: boolean;
  executes: boolean;
  /** The first match that is replaced. */
  nth: number;
  file: string | undefined;
}

export interface SedCommand {
  name: string;
  from: Address | undefined;
  to: Address | undefined;
  negated: boolean;
  /** Text, label, file name or command. */
  text: string;
  /** Exit code, or width of a line. */
  number: number | undefined;
  substitution: Substitution | undefined;
  /** What `y` turns characters into. */
  map: Map<string, string> | undefined;
  /** Where it continues: the target of a jump, or what follows a block. */
  target: number;
  /** Whether a range is being passed, and the line where it ends. */
  state: "before" | "within" | "past";
  end: number;
}
