// JSON schemas of what /api/v4 and /api/session answer, read by the compiler from the types of the handlers. The server has no
// compiler: `npm run generate:sdk` writes them to a file.
import { fileURLToPath } from "node:url";
import ts from "typescript";

const REPOSITORY = fileURLToPath(new URL("../", import.meta.url));
const SOURCE = fileURLToPath(new URL("../src/api/routes.ts", import.meta.url));
const TSCONFIG = fileURLToPath(new URL("../tsconfig.json", import.meta.url));
/** Any JSON: its types contain themselves. */
const ANY_JSON = new Set(["Json", "JsonObject"]);

export type Schema = { readonly [keyword: string]: unknown };
/** By method and address, `GET /transfers/:transfer_id`; sorted. A route that sends files has none. */
export type AnswerSchemas = Readonly<Record<string, Schema>>;

/** Reads the answer of every route. Takes some seconds. @throws Error for a type that no JSON schema describes */
export function readAnswerSchemas(): AnswerSchemas {
  const { config } = ts.readConfigFile(TSCONFIG, (path) => ts.sys.readFile(path)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, REPOSITORY);
  const program = ts.createProgram([SOURCE], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(SOURCE)!;
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
  const contract = checker.getDeclaredTypeOfSymbol(exported.find(({ name }) => name === "DashboardContract")!);
  const reader = new TypeReader(checker);
  const routes = membersOf(contract).flatMap((route) => {
    const part = (name: string): ts.Type => checker.getTypeOfSymbol(checker.getPropertyOfType(route, name)!);
    const answers = membersOf(part("answer")).filter((type) => !isNothing(type) && !type.getProperty("send"));
    if (answers.length === 0) return [];
    const { value: method } = part("method") as ts.StringLiteralType;
    const urls = membersOf(part("url")).map((type) => (type as ts.StringLiteralType).value);
    const schema = reader.readUnion(answers, `${method} ${urls[0]!}`);
    return urls.filter((url) => !isOfMerchant(url)).map((url) => [`${method} ${url}`, schema] as const);
  });
  return Object.fromEntries(routes.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The address of the same route below a merchant. */
function isOfMerchant(url: string): boolean {
  return /^(?:\/session)?\/merchants\/:merchant_id\/./.test(url);
}

class TypeReader {
  readonly #checker: ts.TypeChecker;
  readonly #known = new Map<ts.Type, Schema>();
  /** Types that are being read. */
  readonly #open = new Set<ts.Type>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** `place` is named in errors. */
  readUnion(types: readonly ts.Type[], place: string): Schema {
    const present = types.filter((type) => !isNothing(type));
    const words = present.filter((type): type is ts.LiteralType => isWord(type)).map((type) => this.#wordOf(type));
    const others = present.filter((type) => !isWord(type)).map((type) => this.read(type, place));
    const choices = [...(words.length > 0 ? [schemaOfWords(words)] : []), ...others];
    // Any JSON is null too.
    const any = choices.find((choice) => Object.keys(choice).length === 0);
    if (any) return any;
    // The compiler's order depends on what else it has read.
    return choices.length === 1 ? choices[0]! : { anyOf: choices.toSorted(nullLast) };
  }

  read(type: ts.Type, place: string): Schema {
    const known = this.#known.get(type);
    if (known) return known;
    if (this.#open.has(type)) throw new Error(`${place}: ${this.#checker.typeToString(type)} contains itself`);
    this.#open.add(type);
    const schema = this.#schemaOf(type, place);
    this.#open.delete(type);
    this.#known.set(type, schema);
    return schema;
  }

  #schemaOf(type: ts.Type, place: string): Schema {
    const { flags } = type;
    if (ANY_JSON.has(type.aliasSymbol?.name ?? "")) return {};
    if (isWord(type)) return schemaOfWords([this.#wordOf(type)]);
    if (flags & ts.TypeFlags.StringLike) return { type: "string" };
    if (flags & ts.TypeFlags.NumberLike) return { type: "number" };
    if (flags & ts.TypeFlags.Null) return { type: "null" };
    if (type.isUnion()) return this.readUnion(type.types, place);
    // The items of a list that is always empty.
    if (flags & ts.TypeFlags.Never) return { not: {} };
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#schemaOfObject(type, place);
    throw new Error(`${place}: ${this.#checker.typeToString(type)} is no JSON`);
  }

  #schemaOfObject(type: ts.Type, place: string): Schema {
    const item = this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (item && type.getProperty("length")) return { type: "array", items: this.read(item, `${place}[]`) };
    const required: string[] = [];
    const properties: Record<string, Schema> = {};
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const { name } = property;
      const types = membersOf(this.#checker.getTypeOfSymbol(property));
      // It is never there.
      if (types.every(isNothing)) continue;
      const isOptional = Boolean(property.flags & ts.SymbolFlags.Optional) || types.some(isNothing);
      if (!isOptional) required.push(name);
      const schema = this.readUnion(types, `${place}.${name}`);
      const description = ts.displayPartsToString(property.getDocumentationComment(this.#checker)).trim();
      properties[name] = description === "" ? schema : { ...schema, description };
    }
    const others = this.#checker.getIndexTypeOfType(type, ts.IndexKind.String);
    return {
      type: "object",
      properties,
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: others ? this.read(others, `${place}.*`) : false,
    };
  }

  #wordOf(type: ts.Type): string | number | boolean {
    if (type.flags & ts.TypeFlags.BooleanLiteral) return this.#checker.typeToString(type) === "true";
    return (type as ts.StringLiteralType | ts.NumberLiteralType).value;
  }
}

/** Words of one JSON type; `true` and `false` together are any boolean. */
function schemaOfWords(unsorted: readonly (string | number | boolean)[]): Schema {
  const words = unsorted.toSorted((a, b) => (a < b ? -1 : 1));
  const types = [...new Set(words.map((word) => typeof word))];
  if (types.length > 1) {
    return { anyOf: types.map((type) => schemaOfWords(words.filter((word) => typeof word === type))) };
  }
  return types[0] === "boolean" && words.length === 2 ? { type: "boolean" } : { type: types[0]!, enum: [...words] };
}

function nullLast(a: Schema, b: Schema): number {
  const [first, second] = [a, b].map((schema) => (schema["type"] === "null" ? "~" : JSON.stringify(schema)));
  return first! < second! ? -1 : 1;
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function isNothing({ flags }: ts.Type): boolean {
  return (flags & ts.TypeFlags.Undefined) !== 0;
}

function isWord(type: ts.Type): boolean {
  return type.isStringLiteral() || type.isNumberLiteral() || (type.flags & ts.TypeFlags.BooleanLiteral) !== 0;
}
