// Finds statements of stores about merchants' rows that name no bucket: on Citus they go to every shard. And those that
// Citus refuses for a function where it takes none. The test lists the intended exceptions.
import { basename, relative } from "node:path";
import ts from "typescript";

/** The beginning of a statement. */
const STATEMENT = /^\s*(select\s|insert\s+into\s|update\s+\S+\s|delete\s+from\s|with\s+(recursive\s+)?\w+)/i;
/** A bucket that the statement's caller gives: a parameter, the place of an array, or the bucket of each row of arrays. */
const NAMED = [
  /\bbucket\s*=\s*(any\s*\()?\(*\$[\d{]/,
  /\bbucket\s*=\s*\(\$\{keys/,
  /unnest\([^;]*?as\s+\w+\s*\(\s*(\w+,\s*)?bucket\b/,
  /insert\s+into\s+[\w.]+(\s+as\s+\w+)?\s*\([^)]*?\bbucket\b/,
  /insert\s+into\s+[\w.${}]+(\s+as\s+\w+)?\s*\([^)]*\$\{(columns|names|ENTRY_COLUMNS)/,
  /\$\{(ofOwner|pin\.of|ofBucket|inScope|OF_MERCHANT)/,
];

/** Rows that a statement locks, and the one bucket that a caller of it gives. */
const LOCKS = /\bfor\s+(no\s+key\s+|key\s+)?(update|share)\b/i;
const OF_ONE_BUCKET = [/\bbucket\s*=\s*\(*\$[\d{]/, /\$\{(ofOwner|pin\.of|OF_MERCHANT)/];

/** Functions that are not immutable. */
const MUTABLE = "(now|clock_timestamp|nodal_actor|nodal_address|nextval)\\s*\\(";
/**
 * Such a function in what is answered of written rows, in what a conflict sets, or, where rows are updated, in `coalesce`, in a `case`
 * (but one that a parameter decides, in a statement with a subselect, is decided before Citus sees it), with an interval that depends on the row, or in a subselect, which is made part of the whole.
 */
const REFUSED = [
  `(\\breturning\\b[^)]*|\\bdo\\s+update\\s+set\\b[^)]*)\\b${MUTABLE}`,
  `\\bupdate\\s[^;]*?\\sset\\s[^;]*?\\bcoalesce\\s*\\([^()]*\\b${MUTABLE}`,
  `\\bupdate\\s[^;]*?\\sset\\s[^;]*?\\bcase\\b(?!\\s+when\\s+\\$\\d)((?!\\bend\\b)[^;])*?\\b${MUTABLE}`,
  `^(?![^;]*\\(\\s*select\\b)[^;]*\\bupdate\\s[^;]*?\\sset\\s[^;]*?\\bcase\\b((?!\\bend\\b)[^;])*?\\b${MUTABLE}`,
  `\\bupdate\\s[^;]*?\\sset\\s[^;]*?\\b${MUTABLE}\\)\\s*[-+]\\s*(case\\b|[a-z_.]+\\s*\\*)`,
  `\\bupdate\\s[^;]*?\\sset\\s[^;]*?\\bfrom\\s*\\(\\s*select\\b[^()]*\\b${MUTABLE}`,
  // A node goes down where a column is set to an element of an array by itself.
  `\\bupdate\\s[^;]*?\\sset\\s((?!\\b(from|where)\\b)[^;])*?\\w\\s*=\\s*\\([^()]*\\)(::\\w+)?\\s*\\[`,
  // What Citus writes of it for a node names columns that are not there.
  `\\bfrom\\s+\\w+\\s*\\(\\s*\\w+\\.\\w+\\s*\\)\\s*(as\\s+)?\\w+\\s+join\\b`,
  // Rows that go through COPY, which the policies of a table refuse; with an answer they don't.
  `^\\s*insert\\s+into\\s[^;]*\\bselect\\b(?![^;]*\\breturning\\b)`,
].map((pattern) => new RegExp(pattern, "i"));

export type Unpinned = { readonly place: string; readonly text: string };

/** The statements in a source file that are about one of the tables and name no bucket, by `file#function`. */
export function findUnpinned(root: string, path: string, text: string, tables: readonly string[]): Unpinned[] {
  return findStatements(root, path, text, tables, (whole) => !NAMED.some((pattern) => pattern.test(whole)));
}

/** The statements in a source file that Citus refuses for a function in `returning`, `do update set`, `coalesce` or `case`. */
export function findRefused(root: string, path: string, text: string, tables: readonly string[]): Unpinned[] {
  return findStatements(root, path, text, tables, (whole) => REFUSED.some((pattern) => pattern.test(whole)));
}

/** The statements in a source file that lock rows of more than one bucket: on Citus two of them may wait for each other unseen. */
export function findWideLocks(root: string, path: string, text: string, tables: readonly string[]): Unpinned[] {
  return findStatements(root, path, text, tables, (whole) => {
    return LOCKS.test(whole) && !OF_ONE_BUCKET.some((pattern) => pattern.test(whole));
  });
}

/**
 * The functions in a source file that call one of these functions of the database other than by `readAsOwner`, by `file#function`. They look with
 * the owner's eyes, which Citus refuses in a transaction that has written.
 */
export function findOwnerCalls(root: string, path: string, text: string, names: readonly string[]): string[] {
  const source = ts.createSourceFile(basename(path), text, ts.ScriptTarget.Latest, true);
  const calls = new RegExp(`\\b(${names.join("|")})\\s*\\(`);
  return source.statements
    .filter((each) => calls.test(each.getText(source)) && !each.getText(source).includes("readAsOwner"))
    .map((each) => `${relative(root, path)}#${nameOf(each) ?? ""}`);
}

function findStatements(
  root: string,
  path: string,
  text: string,
  tables: readonly string[],
  isWanted: (whole: string) => boolean,
): Unpinned[] {
  const file = relative(root, path);
  const source = ts.createSourceFile(basename(path), text, ts.ScriptTarget.Latest, true);
  const about = new RegExp(`\\b(from|join|into|update|using)\\s+(simulator\\.)?(${tables.join("|")})\\b`);
  const parts = partsOf(source);
  const found: Unpinned[] = [];
  const visit = (node: ts.Node, within: string): void => {
    const inner = nameOf(node) ?? within;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const statement = node.getText(source).slice(1, -1);
      const whole = statement.replaceAll(
        /\$\{(\w+)[^}]*\}/g,
        (part, name: string) => `${part} ${parts.get(`${inner} ${name}`) ?? parts.get(` ${name}`) ?? ""}`,
      );
      if (STATEMENT.test(statement) && about.test(statement) && isWanted(whole)) {
        found.push({ place: `${file}#${inner}`, text: statement.replaceAll(/\s+/g, " ").trim() });
      }
    }
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, "");
  return found;
}

/** The texts that statements are put together from, by `function name`; those at the top of the file by ` name`. */
function partsOf(source: ts.SourceFile): Map<string, string> {
  const parts = new Map<string, string>();
  const visit = (node: ts.Node, within: string): void => {
    const inner = nameOf(node) ?? within;
    if (ts.isVariableDeclaration(node) && node.initializer) {
      const isAtTop = node.parent.parent.parent.kind === ts.SyntaxKind.SourceFile;
      parts.set(`${isAtTop ? "" : inner} ${node.name.getText(source)}`, node.initializer.getText(source));
    }
    if (ts.isFunctionDeclaration(node) && node.name) parts.set(` ${node.name.text}`, node.getText(source));
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, "");
  return parts;
}

/** The name of a function, a method or a top-level constant. */
function nameOf(node: ts.Node): string | null {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.name) return node.name.getText();
  if (ts.isVariableDeclaration(node) && node.parent.parent.parent.kind === ts.SyntaxKind.SourceFile) {
    return node.name.getText();
  }
  return null;
}
