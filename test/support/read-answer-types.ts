// The types of the dashboard's answers as data, read by the compiler from what the handlers return.
import { join } from "node:path";
import ts from "typescript";
import type { Contract, Shape } from "./answer-types.ts";
import { REPOSITORY } from "./files.ts";

const SOURCE = join(REPOSITORY, "src/dashboard-api/dashboard-routes.ts");
/** Any JSON: its types are their own ends. */
const ANY_JSON = new Set(["Json", "JsonObject"]);

/** Every route of the dashboard's API with the type of its answer. Takes some seconds. Routes that send files have none. */
export function readContract(): Contract {
  const { config } = ts.readConfigFile(join(REPOSITORY, "tsconfig.json"), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
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
    const urls = membersOf(part("url")).map((type) => (type as ts.StringLiteralType).value);
    return [{ method: (part("method") as ts.StringLiteralType).value, urls, answer: reader.readUnion(answers) }];
  });
  return { routes, shapes: reader.shapes };
}

class TypeReader {
  readonly shapes: Shape[] = [];
  readonly #checker: ts.TypeChecker;
  readonly #known = new Map<ts.Type, number>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  readUnion(types: readonly ts.Type[]): number {
    const present = types.filter((type) => !isNothing(type)).map((type) => this.read(type));
    return present.length === 1 ? present[0]! : this.shapes.push({ kind: "union", of: present }) - 1;
  }

  read(type: ts.Type): number {
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const place = this.shapes.push({ kind: "json" }) - 1;
    this.#known.set(type, place);
    this.shapes[place] = this.#shapeOf(type);
    return place;
  }

  #shapeOf(type: ts.Type): Shape {
    const { flags } = type;
    if (ANY_JSON.has(type.aliasSymbol?.name ?? "")) return { kind: "json" };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { kind: "literal", value: type.value };
    if (flags & ts.TypeFlags.BooleanLiteral)
      return { kind: "literal", value: this.#checker.typeToString(type) === "true" };
    if (flags & ts.TypeFlags.StringLike) return { kind: "string" };
    if (flags & ts.TypeFlags.NumberLike) return { kind: "number" };
    if (flags & ts.TypeFlags.Null) return { kind: "null" };
    if (type.isUnion()) return { kind: "union", of: [this.readUnion(type.types)] };
    // The items of a list that is always empty.
    if (flags & ts.TypeFlags.Never) return { kind: "union", of: [] };
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#shapeOfObject(type);
    throw new Error(`an answer holds ${this.#checker.typeToString(type)}, of which nothing is known`);
  }

  #shapeOfObject(type: ts.Type): Shape {
    const item = this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (item && type.getProperty("length")) return { kind: "list", of: this.read(item) };
    const members = this.#checker.getPropertiesOfType(type).map((property) => {
      const value = this.#checker.getTypeOfSymbol(property);
      const optional = Boolean(property.flags & ts.SymbolFlags.Optional) || membersOf(value).some(isNothing);
      return [property.name, { type: this.readUnion(membersOf(value)), optional }] as const;
    });
    const others = this.#checker.getIndexTypeOfType(type, ts.IndexKind.String);
    return { kind: "object", members: Object.fromEntries(members), others: others ? this.read(others) : null };
  }
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

function isNothing({ flags }: ts.Type): boolean {
  return (flags & ts.TypeFlags.Undefined) !== 0;
}
