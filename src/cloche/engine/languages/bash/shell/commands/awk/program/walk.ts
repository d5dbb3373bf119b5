/** Goes through syntax trees. */
import type { ArrayExpr, Expr, Statement, Target } from "./syntax.ts";

/** The expressions that an expression is made of, in the order in which they are evaluated. */
export function childrenOf(expr: Expr): Expr[] {
  switch (expr.kind) {
    case "field":
      return [expr.index];
    case "element":
      return [...keysOf(expr.array), ...expr.keys];
    case "unary":
      return [expr.operand];
    case "arithmetic":
    case "compare":
    case "logic":
      return [expr.left, expr.right];
    case "concat":
    case "group":
      return expr.parts;
    case "match":
      return [expr.text, expr.pattern];
    case "in":
      return [...expr.keys, ...keysOf(expr.array)];
    case "choice":
      return [expr.test, expr.yes, expr.no];
    case "assign":
      return [expr.value, ...childrenOf(expr.target)];
    case "step":
      return childrenOf(expr.target);
    case "call":
    case "builtin":
      return expr.args;
    case "getline":
      return [...expr.source ? [expr.source] : [], ...expr.target ? childrenOf(expr.target) : []];
    default:
      return [];
  }
}

/** The keys of an array that is an element of another. */
function keysOf(array: ArrayExpr): Expr[] {
  return array.kind === "name" ? [] : childrenOf(array);
}

/** The same expression with other children, as many as `childrenOf` returns. */
export function withChildren(expr: Expr, children: Expr[]): Expr {
  switch (expr.kind) {
    case "field":
    case "element":
      return retarget(expr, children);
    case "unary":
      return { ...expr, operand: children[0] };
    case "arithmetic":
    case "compare":
    case "logic":
      return { ...expr, left: children[0], right: children[1] };
    case "concat":
    case "group":
      return { ...expr, parts: children };
    case "match":
      return { ...expr, text: children[0], pattern: children[1] };
    case "in": {
      const keys = children.slice(0, expr.keys.length);
      return { ...expr, keys, array: retarget(expr.array, children.slice(keys.length)) as ArrayExpr };
    }
    case "choice":
      return { ...expr, test: children[0], yes: children[1], no: children[2] };
    case "assign":
      return { ...expr, target: retarget(expr.target, children.slice(1)), value: children[0] };
    case "step":
      return { ...expr, target: retarget(expr.target, children) };
    case "call":
    case "builtin":
      return { ...expr, args: children };
    case "getline": {
      const source = expr.source && children[0];
      const target = expr.target && retarget(expr.target, children.slice(source ? 1 : 0));
      return { ...expr, source, target };
    }
    default:
      return expr;
  }
}

/** A variable, field or element with other keys. */
export function retarget(target: Target, children: Expr[]): Target {
  if (target.kind === "name") return target;
  if (target.kind === "field") return { ...target, index: children[0] };
  const keys = children.slice(children.length - target.keys.length);
  const array = retarget(target.array, children.slice(0, children.length - keys.length)) as ArrayExpr;
  return { ...target, array, keys };
}

/** Calls `visit` for each expression of a statement, outer ones first. */
export function visitExpressions(statements: Statement[], visit: (expr: Expr) => void): void {
  for (const statement of statements) {
    for (const expr of expressionsOf(statement)) visitExpression(expr, visit);
    visitExpressions(statementsOf(statement), visit);
  }
}

export function visitExpression(expr: Expr, visit: (expr: Expr) => void): void {
  visit(expr);
  for (const child of childrenOf(expr)) visitExpression(child, visit);
}

function expressionsOf(statement: Statement): Expr[] {
  switch (statement.kind) {
    case "expression":
    case "switch":
      return [statement.value];
    case "print":
      return [...statement.args, ...statement.output ? [statement.output.target] : []];
    case "if":
    case "while":
    case "do":
      return [statement.test];
    case "for":
      return statement.test ? [statement.test] : [];
    case "forIn":
      return [{ kind: "in", keys: [], array: statement.array }, statement.target];
    case "delete":
      return [{ kind: "in", keys: statement.keys ?? [], array: statement.array }];
    case "return":
    case "exit":
      return statement.value ? [statement.value] : [];
    default:
      return [];
  }
}

function statementsOf(statement: Statement): Statement[] {
  switch (statement.kind) {
    case "block":
      return statement.body;
    case "if":
      return statement.no ? [statement.yes, statement.no] : [statement.yes];
    case "while":
    case "do":
    case "forIn":
      return [statement.body];
    case "for":
      return [...statement.first ? [statement.first] : [], ...statement.step ? [statement.step] : [], statement.body];
    case "switch":
      return statement.cases.flatMap((one) => one.body);
    default:
      return [];
  }
}
