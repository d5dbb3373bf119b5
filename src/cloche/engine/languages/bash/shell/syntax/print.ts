/** Commands as bash prints them: `declare -f`, `type`, BASH_COMMAND. */
import type {
  AssignmentNode,
  CaseNode,
  CommandNode,
  ConditionNode,
  ForNode,
  FunctionNode,
  PipelineNode,
  RedirectionNode,
  SelectNode,
  StatementNode,
} from "./nodes.ts";

const STEP = 4;

/** A command as `jobs` has it. */
export function printCommand(node: CommandNode): string {
  return new Printer().command(node, 0);
}

/** A command as BASH_COMMAND has it: of a loop or a choice, what comes before the body. */
export function describeCommand(node: CommandNode): string {
  switch (node.type) {
    case "For":
    case "Select":
      return printLoop(node);
    case "Case":
      return `case ${node.word.text} in `;
    default:
      return printCommand(node);
  }
}

/** A pipeline as messages have it. */
export function printPipeline(node: PipelineNode): string {
  return new Printer().pipeline(node, 0);
}

/** A list up to its end, as functions have it. */
export function printStatement(node: StatementNode): string {
  return new Printer().statement(node);
}

/** A function's definition. */
export function printFunction(node: FunctionNode): string {
  return new Printer().define(node, 0, "");
}

class Printer {
  /** Here-documents of the line being printed. */
  #documents: RedirectionNode[] = [];

  statement(node: StatementNode): string {
    return `${this.#statement(node, 0)}${node.background ? " &" : ""}${this.#takeDocuments()}`;
  }

  define(node: FunctionNode, indent: number, keyword: string): string {
    const pad = " ".repeat(indent);
    const { body } = node;
    const inner = body.type === "Group" ? body.body : undefined;
    const head = `${keyword}${node.name} () \n${pad}{ \n`;
    if (inner) {
      const text = this.#list(inner, indent + STEP, false);
      return `${head}${text}\n${pad}}${this.#redirections(node.redirections)}`;
    }
    const text = this.command(body, indent + STEP) + this.#redirections(node.redirections);
    return `${head}${" ".repeat(indent + STEP)}${text}\n${pad}}`;
  }

  /** Statements on lines of their own; `closed`: the last one ends with a semicolon too. */
  #list(statements: StatementNode[], indent: number, closed: boolean): string {
    return statements.map((statement, i) => {
      const text = this.#statement(statement, indent);
      const end = statement.background ? " &" : closed || i < statements.length - 1 ? ";" : "";
      const documents = this.#takeDocuments();
      return `${" ".repeat(indent)}${text}${documents === "" ? end : documents}`;
    }).join("\n");
  }

  #takeDocuments(): string {
    return this.#documents.splice(0).map((node) => {
      const delimiter = (node.delimiter ?? "").replace(/['"\\]/g, "");
      return `\n${bodyOf(node)}${delimiter}\n`;
    }).join("").replace(/\n$/, "\n");
  }

  #statement({ pipelines, operators }: StatementNode, indent: number): string {
    return pipelines.map((pipeline, i) => `${i === 0 ? "" : ` ${operators[i - 1]} `}${this.pipeline(pipeline, indent)}`)
      .join("");
  }

  /** Statements on one line. */
  #inline(statements: StatementNode[], indent: number): string {
    return statements.map((statement, i) => {
      const text = this.#statement(statement, indent);
      return text + (statement.background ? " &" : i < statements.length - 1 ? ";" : "");
    }).join(" ");
  }

  pipeline({ commands, negated, timed, both }: PipelineNode, indent: number): string {
    const text = commands.map((command, i) =>
      `${i === 0 ? "" : both?.[i - 1] ? " 2>&1 | " : " | "}${this.command(command, indent)}`
    ).join("");
    const time = timed === undefined ? "" : timed === "posix" ? "time -p " : "time ";
    return `${time}${negated ? "! " : ""}${text}`;
  }

  command(node: CommandNode, indent: number): string {
    if (node.type === "Function") return this.define(node, indent, "function ");
    return this.#body(node, indent) + this.#redirections(node.redirections);
  }

  #body(node: Exclude<CommandNode, FunctionNode>, indent: number): string {
    const pad = " ".repeat(indent);
    const inner = indent + STEP;
    switch (node.type) {
      case "Simple":
        return [...node.assignments.map(printAssignment), ...node.words.map((word) => word.text)].join(" ");
      case "Group":
        return `{ \n${this.#list(node.body, inner, false)}\n${pad}}`;
      case "Subshell":
        return `( ${this.#inline(node.body, indent)} )`;
      case "If":
        return this.#if(node.clauses, node.otherwise, indent);
      case "While":
        return `${node.until ? "until" : "while"} ${this.#inline(node.condition, indent)}; do\n${
          this.#list(node.body, inner, true)
        }\n${pad}done`;
      case "For":
      case "Select":
        return `${printLoop(node)};\n${pad}do\n${this.#list(node.body, inner, true)}\n${pad}done`;
      case "ArithmeticFor": {
        const parts = [node.init, node.condition, node.update].map((part) => part?.text ?? "1");
        return `for ((${parts.join("; ")}))\n${pad}do\n${this.#list(node.body, inner, true)}\n${pad}done`;
      }
      case "Case":
        return this.#case(node, indent);
      case "ArithmeticCommand":
        return `((${node.expression.text}))`;
      case "Conditional":
        return `[[ ${printCondition(node.expression)} ]]`;
      case "Coproc":
        return `coproc ${node.name} ${this.command(node.body, indent)}`;
    }
  }

  #if(
    clauses: { condition: StatementNode[]; body: StatementNode[] }[],
    otherwise: StatementNode[] | undefined,
    indent: number,
  ): string {
    const pad = " ".repeat(indent);
    const [{ condition, body }, ...rest] = clauses;
    const head = `if ${this.#inline(condition, indent)}; then\n${this.#list(body, indent + STEP, true)}\n`;
    if (rest.length > 0) {
      const nested = this.#if(rest, otherwise, indent + STEP);
      return `${head}${pad}else\n${" ".repeat(indent + STEP)}${nested};\n${pad}fi`;
    }
    const last = otherwise ? `${pad}else\n${this.#list(otherwise, indent + STEP, true)}\n` : "";
    return `${head}${last}${pad}fi`;
  }

  #case({ word, items }: CaseNode, indent: number): string {
    const pad = " ".repeat(indent + STEP);
    const text = items.map(({ patterns, body, end }) => {
      const head = `${pad}${patterns.map((pattern) => pattern.text).join(" | ")})`;
      const inside = body.length > 0 ? `\n${this.#list(body, indent + 2 * STEP, false)}` : "";
      return `${head}${inside}\n${pad}${end}`;
    });
    return `case ${word.text} in \n${text.join("\n")}\n${" ".repeat(indent)}esac`;
  }

  #redirections(nodes: RedirectionNode[]): string {
    return nodes.map((node) => {
      if (node.operator === "<<" || node.operator === "<<-") this.#documents.push(node);
      return ` ${printRedirection(node)}`;
    }).join("");
  }
}

function printLoop({ type, name, words }: ForNode | SelectNode): string {
  const listed = words ? words.map((word) => word.text).join(" ") : '"$@"';
  return `${type === "For" ? "for" : "select"} ${name} in ${listed}`;
}

function bodyOf({ target }: RedirectionNode): string {
  return target.plain ?? target.text;
}

function printRedirection({ operator, fd, variable, target, delimiter }: RedirectionNode): string {
  const before = variable === undefined ? fd === undefined ? "" : String(fd) : `{${variable}}`;
  if (operator === "<<" || operator === "<<-") return `${before}${operator}${delimiter}`;
  if ((operator === ">&" || operator === "<&") && target.text === "-") {
    return `${before || (operator === ">&" ? "1" : "0")}>&-`;
  }
  if (operator === ">&" || operator === "<&") {
    const own = before === "" && /^[\d-]/.test(target.text) ? operator === ">&" ? "1" : "0" : before;
    return /^[\d$-]/.test(target.text) ? `${own}${operator}${target.text}` : `&> ${target.text}`;
  }
  return `${before}${operator} ${target.text}`;
}

function printAssignment({ name, subscript, append, value, array }: AssignmentNode): string {
  const target = `${name}${subscript ? `[${subscript.text}]` : ""}${append ? "+=" : "="}`;
  if (!array) return target + (value?.text ?? "");
  const elements = array.map(({ subscript: key, value: item }) => `${key ? `[${key.text}]=` : ""}${item.text}`);
  return `${target}(${elements.join(" ")})`;
}

function printCondition(node: ConditionNode): string {
  switch (node.type) {
    case "And":
      return `${printCondition(node.left)} && ${printCondition(node.right)}`;
    case "Or":
      return `${printCondition(node.left)} || ${printCondition(node.right)}`;
    case "Not":
      return `! ${printCondition(node.operand)}`;
    case "Unary":
      return `${node.operator} ${node.operand.text}`;
    case "Binary":
      return `${node.left.text} ${node.operator} ${node.right.text}`;
  }
}
