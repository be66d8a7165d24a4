// Finds SQL outside the places that may hold it: stores, src/platform/database, and tests. The test names the folders.
import { relative } from "node:path";
import ts from "typescript";

const MAY_HOLD_SQL = /-store\.ts$|(\.test|\/test-[^/]+|\/testing)\.ts$|^src\/platform\/database(\/|\.ts$)/;

/** The beginning of a statement. A lone word such as "select" is too common in prose to count. */
const STATEMENT =
  /^\s*(select\s[^]*\sfrom\s|insert\s+into\s|update\s+\S+\s+(\w+\s+)?set\s|delete\s+from\s|with\s+\w+\s+as\s|(create|alter|drop|truncate)\s+(table|index|role|function|type|schema|database)\s)/i;

/**
 * Finds SQL in a source file that must not hold any: any call of `.query(…)`, or a text that
 * reads as a statement. `path` is absolute, `root` the folder that `src` is in.
 */
export function findMisplacedSql(root: string, path: string, text: string): string[] {
  const name = relative(root, path);
  if (MAY_HOLD_SQL.test(name)) return [];
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const report = (node: ts.Node, what: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push(`${name}:${line + 1} ${what}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      if (node.expression.name.text === "query") report(node, "runs a query");
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const literal = ts.isTemplateExpression(node) ? node.getText(source).slice(1, -1) : node.text;
      if (STATEMENT.test(literal)) report(node, "holds SQL");
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
