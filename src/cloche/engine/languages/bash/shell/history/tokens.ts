/** The words of a line, as the designators of history expansion count them. */

/** Operators that are words of their own, the longest first; a number before a redirection belongs to it. */
const OPERATOR = /\d+(?=[<>])|<<<|<<-|[<>]&\d*-?|&>|>\||&&|\|\||;;|<<|>>|[()<>;&|\n]/y;
const BLANK = " \t\n";
const DELIMITERS = " \t\n();&|<>";
/** Before an open parenthesis these begin a substitution or a pattern. */
const OPENERS = "<>$!@?+*";

export interface Token {
  text: string;
  start: number;
}

export function tokenize(line: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < line.length;) {
    if (BLANK.includes(line[at])) {
      at++;
      continue;
    }
    const end = endOfToken(line, at);
    tokens.push({ text: line.slice(at, end), start: at });
    at = end;
  }
  return tokens;
}

function endOfToken(line: string, start: number): number {
  if (line[start + 1] === "(" && "<>".includes(line[start])) return endOfWord(line, start);
  OPERATOR.lastIndex = start;
  const [operator] = OPERATOR.exec(line) ?? [];
  if (operator === undefined) return endOfWord(line, start);
  // The number of a descriptor is one word with its operator.
  return /^\d+$/.test(operator) ? endOfToken(line, start + operator.length) : start + operator.length;
}

/** The end of a word: quotes and parentheses of substitutions and patterns hold it together. */
function endOfWord(line: string, start: number): number {
  let quote = "";
  let depth = 0;
  for (let at = start; at < line.length; at++) {
    const char = line[at];
    if (char === "\\" && quote !== "'") at++;
    else if (quote !== "") {
      if (char === quote) quote = "";
    } else if (depth > 0) {
      if (char === "(") depth++;
      else if (char === ")") depth--;
    } else if (OPENERS.includes(char) && line[at + 1] === "(") {
      depth = 1;
      at++;
    } else if (DELIMITERS.includes(char)) return at;
    else if (char === "'" || char === '"' || char === "`") quote = char;
  }
  return line.length;
}
