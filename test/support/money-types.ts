// Finds money held as a float: by the compiler's types in TypeScript, by the names of types in SQL. The test names the folders.
import { relative } from "node:path";
import ts from "typescript";

const MONEY_NAME = /(^|_)(amount|balance|paise)s?$/i;
const MONEY_NAME_CAMEL = /(Amount|Balance|Paise)s?$/;
/** Names that end like money but are not: a machine code, whose value is an HTTP status. */
const NOT_MONEY = new Set(["insufficient_balance"]);
const TO_NUMBER = /^(Number|parseFloat|parseInt|Number\.parseFloat|Number\.parseInt)$/;
/** Where the API's amounts arrive, as a number or a string. */
const WIRE_FILE = /-routes\.ts$|^src\/platform\/money\.ts$/;
const SQL_FLOATS = "float[48]?|real|double\\s+precision|numeric|decimal|dec|money";
const CONTAINERS = new Set(["Array", "ReadonlyArray", "Set", "ReadonlySet", "Map", "ReadonlyMap", "Promise"]);

function isMoneyName(name: string): boolean {
  return (MONEY_NAME.test(name) || MONEY_NAME_CAMEL.test(name)) && !NOT_MONEY.has(name);
}

/** The parts of a type that hold its values: members of a union, items of a list, a function's return type. */
function valueTypes(checker: ts.TypeChecker, type: ts.Type): ts.Type[] {
  if (type.isUnion()) return type.types.flatMap((member) => valueTypes(checker, member));
  if (checker.isTupleType(type) || CONTAINERS.has(type.symbol?.name ?? "")) {
    const items = checker.getTypeArguments(type as ts.TypeReference);
    const values = checker.isTupleType(type) ? items : items.slice(-1);
    return values.flatMap((item) => valueTypes(checker, item));
  }
  const signatures = type.getCallSignatures();
  if (signatures.length > 0) return signatures.flatMap((one) => valueTypes(checker, one.getReturnType()));
  return [type];
}

/** Whether a value of the type may be a float. `any` may be one; the API's `string | number` is one on its way in. */
function mayBeFloat(checker: ts.TypeChecker, type: ts.Type, isWireFile: boolean): boolean {
  const values = valueTypes(checker, type);
  const has = (flags: ts.TypeFlags) => values.some((value) => (value.flags & flags) !== 0);
  if (has(ts.TypeFlags.Any)) return true;
  return has(ts.TypeFlags.NumberLike) && !(isWireFile && has(ts.TypeFlags.StringLike));
}

/** The name that a node gives or uses: an identifier, or the text in `"amount": …` and `row["amount"]`. */
function nameOf(node: ts.Node): string | null {
  // Re-exported names are checked where they are declared.
  if (ts.isExportSpecifier(node.parent) || ts.isImportSpecifier(node.parent)) return null;
  if (ts.isIdentifier(node)) return node.text;
  if (!ts.isStringLiteralLike(node)) return null;
  const parent = node.parent;
  const isKey = ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent);
  if (isKey) return parent.name === node ? node.text : null;
  return ts.isElementAccessExpression(parent) ? node.text : null;
}

function mentionsMoney(node: ts.Node): boolean {
  const name = nameOf(node);
  return (
    (name !== null && isMoneyName(name)) || ts.forEachChild(node, (child) => mentionsMoney(child) || undefined) === true
  );
}

function findInFile(checker: ts.TypeChecker, source: ts.SourceFile, name: string): string[] {
  const found = new Set<string>();
  const report = (node: ts.Node, what: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.add(`${name}:${line + 1} ${what}`);
  };
  const visit = (node: ts.Node): void => {
    const own = node === source ? null : nameOf(node);
    if (own !== null && isMoneyName(own)) {
      const type = checker.getTypeAtLocation(ts.isStringLiteralLike(node) ? node.parent : node);
      if (mayBeFloat(checker, type, WIRE_FILE.test(name))) report(node, `${own}: ${checker.typeToString(type)}`);
    }
    if (ts.isCallExpression(node) && TO_NUMBER.test(node.expression.getText(source))) {
      if (node.arguments.some(mentionsMoney)) report(node, node.getText(source));
    }
    for (const cast of ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) ? sqlCasts(node.getText()) : []) {
      report(node, `SQL ${cast}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

/** Casts to a float or numeric type inside a text, such as `::numeric` and `as double precision)`. */
function sqlCasts(text: string): string[] {
  const casts = text.matchAll(new RegExp(`::\\s*(${SQL_FLOATS})\\b|\\bas\\s+(${SQL_FLOATS})\\s*\\)`, "gi"));
  return [...casts].map((match) => match[0]);
}

/** The files of the language's own types, most of what each program reads. All programs share them. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** Reads files like the compiler's default host, but the language's own only once. */
function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const folder = host.getDefaultLibLocation!();
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => {
    if (!path.startsWith(folder)) return read(path, ...rest);
    if (!libraries.has(path)) libraries.set(path, read(path, ...rest));
    return libraries.get(path);
  };
  return host;
}

/**
 * Says where TypeScript files hold money as a float: a name that says money (`amount`, `availableBalance`,
 * `feePaise`) whose type includes `number` or `any`, and money handed to `Number(…)`. Paths are absolute.
 */
export function findMoneyFloats(root: string, paths: readonly string[], options: ts.CompilerOptions): string[] {
  const program = ts.createProgram(paths, options, hostOf(options));
  const checker = program.getTypeChecker();
  return paths.flatMap((path) => {
    const source = program.getSourceFile(path);
    if (!source) throw new Error(`the compiler did not read ${path}`);
    return findInFile(checker, source, relative(root, path));
  });
}

/** The float, numeric and money types that a file of SQL names, outside comments and quoted texts. */
export function findSqlFloats(sql: string): string[] {
  const code = sql
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll(/\/\*[^]*?\*\//g, " ")
    .replaceAll(/'(?:[^']|'')*'/g, "''");
  return [...code.matchAll(new RegExp(`\\b(${SQL_FLOATS})\\b`, "gi"))].map((match) => match[0]);
}
