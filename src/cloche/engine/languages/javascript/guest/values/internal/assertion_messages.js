// The messages of failed assertions, as Node words them.
const { inspect } = require("internal/inspect");

/** Values whose texts together are at most this long are shown on one line. */
const SHORT = 12;
const COLUMNS = 80;
/** The most pairs of lines that are compared. */
const MOST_PAIRS = 250_000;

const whole = (value) =>
  inspect(value, {
    compact: false,
    sorted: true,
    depth: 1000,
    maxArrayLength: Infinity,
  });
const isObject = (value) => typeof value === "object" && value !== null;
/** A line is the same whether or not another one follows it. */
const bare = (line) => line.replace(/,$/, "");

/** How many lines two lists have in common from each pair of positions on. */
function commonCounts(a, b) {
  const counts = Array.from(
    { length: a.length + 1 },
    () => new Uint32Array(b.length + 1),
  );
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      counts[i][j] = bare(a[i]) === bare(b[j])
        ? counts[i + 1][j + 1] + 1
        : Math.max(counts[i + 1][j], counts[i][j + 1]);
    }
  }
  return counts;
}

/** The lines of both: common ones, those of the actual value with a plus, those of the expected one with a minus. */
function diff(a, b) {
  const counts = commonCounts(a, b);
  const lines = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && bare(a[i]) === bare(b[j])) {
      lines.push(`  ${a[i++]}`);
      j++;
    } else if (
      j === b.length || i < a.length && counts[i + 1][j] >= counts[i][j + 1]
    ) lines.push(`+ ${a[i++]}`);
    else lines.push(`- ${b[j++]}`);
  }
  return lines.join("\n");
}

/** A mark below the first character that differs, where it helps to find it. */
function pointer(a, b) {
  let at = 0;
  while (a[at] === b[at]) at++;
  return at > 2 && a.length + b.length < COLUMNS ? `\n  ${" ".repeat(at)}^` : "";
}

exports.differ = (words, actual, expected) => {
  const [a, b] = [whole(actual).split("\n"), whole(expected).split("\n")];
  const oneLine = a.length === 1 && b.length === 1 && a[0] !== b[0];
  const short = oneLine && a[0].length + b[0].length <= SHORT;
  const zeros = actual === 0 && expected === 0;
  if (short && !isObject(actual) && !isObject(expected) && !zeros) {
    return `${words}\n\n${a[0]} !== ${b[0]}\n`;
  }
  if (a.length * b.length > MOST_PAIRS) {
    return `${words}\n\n${inspect(actual)} !== ${inspect(expected)}\n`;
  }
  return `${words}\n+ actual - expected\n\n${diff(a, b)}${oneLine && !short ? pointer(a[0], b[0]) : ""}`;
};

exports.differLoosely = (actual, expected) =>
  `Expected values to be loosely deep-equal:\n\n${whole(actual)}\n\nshould loosely deep-equal\n\n${whole(expected)}`;

exports.alike = (words, value, end = "\n") => {
  const text = whole(value);
  return text.includes("\n") ? `${words}\n\n${text}${end}` : `${words} ${text}`;
};
