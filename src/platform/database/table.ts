// A table's columns, listed once, and the statements about one row by its key. Other SQL belongs to the stores.
import type pg from "pg";
import { readSecretRows, secretsOf, type RowPath, type Secrets, type SecretTable } from "../secrets/index.ts";
import { snakeCase } from "../snake-case.ts";
import type { Queryable } from "./pool.ts";

/** What PostgreSQL calls the type of a value. */
type SqlType<V> = [V] extends [bigint | null]
  ? "bigint"
  : [V] extends [number | null]
    ? "smallint" | "integer"
    : [V] extends [boolean | null]
      ? "boolean"
      : [V] extends [string | null]
        ? "text"
        : [V] extends [Temporal.Instant | null]
          ? "timestamptz"
          : [V] extends [Temporal.PlainDate | null]
            ? "date"
            : [V] extends [Uint8Array | null]
              ? "bytea"
              : [V] extends [readonly string[] | null]
                ? "text[]"
                : "jsonb";

/** A type, behind the column's name where that is not the property's in snake case. */
type Plain<Type extends string> = Type | `${string} ${Type}`;

type ColumnOf<V> =
  | Plain<SqlType<V>>
  | (SqlType<V> extends "text" ? Plain<"text sealed"> : never)
  | (SqlType<V> extends "jsonb" ? Group<NonNullable<V>> : never);

/** Members that have columns of their own. */
type Group<T> = { readonly [Name in keyof T]: Plain<SqlType<T[Name]>> | Plain<"text sealed"> };

/** For each property its column, as `type`, `name type`, or `name text sealed` where it is encrypted. */
export type Columns<T> = { readonly [Name in keyof T]-?: ColumnOf<T[Name]> };

/** A row as the driver has it. */
export type Row = Readonly<Record<string, unknown>>;

type Column = { readonly property: string; readonly name: string; readonly type: string; readonly sealed: boolean };
type Member = Column | { readonly property: string; readonly members: readonly Column[] };

/** Where the parameters begin, and what encrypts; the secrets may be left out where nothing of the table is encrypted. */
export type Writing = { readonly from?: number; readonly secrets?: Secrets | undefined };

/** A value that the database works out. */
class Sql {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The time of the transaction, by the database's clock. */
export const NOW = new Sql("now()");

/** A row as far as it is given: what is undefined is left to the database, or stays. */
type Given<T, Key> = Key & { readonly [Name in keyof T]?: T[Name] | Sql | undefined };

/** Names of prepared statements, by their text. */
const preparedNames = new Map<string, string>();

function prepared(text: string, values: unknown[]): pg.QueryConfig {
  const name = preparedNames.get(text) ?? `table-${preparedNames.size + 1}`;
  preparedNames.set(text, name);
  return { name, text, values };
}

export class Table<T extends Key, Key extends object> {
  readonly #name: string;
  readonly #key: readonly string[];
  readonly #members: readonly Member[];
  readonly #flat: readonly FlatColumn[];
  readonly #keyColumns: readonly string[];
  readonly #ofKey: string;
  readonly #hasSecrets: boolean;
  readonly #beside: Beside;

  constructor(name: string, key: readonly string[], members: readonly Member[], beside: Beside = {}) {
    this.#name = name;
    this.#beside = beside;
    this.#key = key;
    this.#members = members;
    this.#flat = flatten(members);
    this.#keyColumns = key.map(snakeCase);
    this.#ofKey = this.#keyColumns.map((name, index) => `${name} = $${index + 1}`).join(" and ");
    this.#hasSecrets = this.#flat.some(({ sealed }) => sealed);
  }

  /** The names of all columns. */
  get columns(): string {
    return this.#flat.map(({ name }) => name).join(", ");
  }

  /** The names of all columns, of a table or an alias of it. */
  columnsOf(source: string): string {
    return this.#flat.map(({ name }) => `${source}.${name}`).join(", ");
  }

  /** The same table with fewer columns, for what writes only the others. */
  without<Left extends Exclude<keyof T, keyof Key>>(...left: readonly Left[]): Table<Omit<T, Left> & Key, Key> {
    const isLeft = (member: Member): boolean => (left as readonly PropertyKey[]).includes(member.property);
    return new Table(
      this.#name,
      this.#key,
      this.#members.filter((member) => !isLeft(member)),
      this.#beside,
    );
  }

  /**
   * What a row means. `secrets` open what is encrypted.
   * @throws SecretsError where a value does not open
   */
  readonly read = (row: Row, secrets?: Secrets): T => {
    const path = this.#keyColumns.map((name) => row[name]);
    const open = (column: Column): unknown => {
      const value = row[column.name];
      if (!column.sealed) return value;
      const others = this.#beside[column.property] ?? [];
      const beside = others.map((property) => (row[this.#nameOf(property)] ?? "") as string);
      return needed(secrets).unseal(this.#place(column), pathOf(path), value as string | null, beside);
    };
    const values: Record<string, unknown> = {};
    for (const member of this.#members) values[member.property] = readMember(member, open);
    return values as T;
  };

  /** The rows that a statement finds, which selects all columns. */
  async select(db: Queryable, statement: string | pg.QueryConfig, values: unknown[] = []): Promise<T[]> {
    const { rows } = await db.query<Row>(typeof statement === "string" ? { text: statement, values } : statement);
    return this.#hasSecrets ? readSecretRows(db, rows, this.read) : rows.map((row) => this.read(row));
  }

  /** The row of a key; `lock` keeps it locked until the transaction ends. */
  async find(db: Queryable, key: Key, lock: boolean | "for no key update" = false): Promise<T | null> {
    const how = lock === true ? " for update" : lock === false ? "" : ` ${lock}`;
    const statement = prepared(`select * from ${this.#name} where ${this.#ofKey}${how}`, this.#valuesOf(key));
    return (await this.select(db, statement))[0] ?? null;
  }

  /**
   * Inserts a row; what is not given is left to the database. `conflict` may say what is done about one that is there.
   * Returns whether it was written.
   */
  async insert(db: Queryable, row: Given<T, Key>, conflict = ""): Promise<boolean> {
    const secrets = await this.#secretsOf(db);
    const columns = this.#given(row);
    const { texts, values } = this.#write(columns, row, 1, secrets);
    const names = columns.map(({ name }) => name).join(", ");
    const text = `insert into ${this.#name} (${names}) values (${texts.join(", ")}) ${conflict}`;
    return (await db.query(text, values)).rowCount === 1;
  }

  /** Inserts many rows whole. Returns how many were written. */
  async insertAll(db: Queryable, rows: readonly T[], conflict = ""): Promise<number> {
    const { columns, arrays, values } = this.arrays(rows, { secrets: await this.#secretsOf(db) });
    const text = `insert into ${this.#name} (${columns}) select * from unnest(${arrays}) ${conflict} returning 1`;
    return (await db.query(prepared(text, values))).rowCount ?? 0;
  }

  /** Writes what is given, which is something, into the row of the key. Returns whether there is one, of which `condition` is true. */
  async update(db: Queryable, row: Given<T, Key>, condition = "true"): Promise<boolean> {
    const { assignments, values } = this.assign(row, { secrets: await this.#secretsOf(db) });
    const text = `update ${this.#name} set ${assignments.join(", ")} where ${this.#ofKey} and ${condition}`;
    return (await db.query(text, [...this.#valuesOf(row), ...values])).rowCount === 1;
  }

  /** Writes rows whole, each in the place of the one with its key. */
  async updateAll(db: Queryable, rows: readonly T[]): Promise<void> {
    const { columns, arrays, values } = this.arrays(rows, { secrets: await this.#secretsOf(db) });
    const isSame = this.#keyColumns.map((name) => `${this.#name}.${name} = changed.${name}`).join(" and ");
    const text = `update ${this.#name} set ${this.assignmentsFrom("changed")}
      from unnest(${arrays}) as changed (${columns}) where ${isSame}`;
    await db.query(prepared(text, values));
  }

  /** Removes the row of a key. Returns whether there was one. */
  async delete(db: Queryable, key: Key): Promise<boolean> {
    const { rowCount } = await db.query(`delete from ${this.#name} where ${this.#ofKey}`, this.#valuesOf(key));
    return rowCount === 1;
  }

  /**
   * What inserts or updates many rows at once: the columns' names, an array parameter for each of them, and the arrays.
   * The text depends on the table and on `from` alone, so a prepared statement may have it. No column may be an array
   * itself: `unnest` would take it apart.
   */
  arrays(
    rows: readonly T[],
    { from = 1, secrets }: Writing = {},
  ): { columns: string; arrays: string; values: string[] } {
    const columns = this.#flat;
    const array = columns.find(({ type }) => type.endsWith("[]"));
    if (array) throw new Error(`${this.#place(array)} is an array: insert it by itself.`);
    return {
      columns: this.columns,
      arrays: columns.map(({ type }, index) => `$${from + index}::${type}[]`).join(", "),
      values: columns.map((column) => arrayText(rows.map((row) => this.#parameter(column, row, secrets)))),
    };
  }

  /** `name = source.name` for each column but those of the key. */
  assignmentsFrom(source: string): string {
    const changing = this.#flat.filter(({ property }) => !this.#isKey(property));
    return changing.map(({ name }) => `${name} = ${source}.${name}`).join(", ");
  }

  /** `name = $n` for what is given beside the key, and the parameters from `from` on. What is undefined stays. */
  assign(
    row: Given<T, Key>,
    { from = this.#key.length + 1, secrets }: Writing = {},
  ): { assignments: string[]; values: unknown[] } {
    const columns = this.#given(row).filter((column) => column.group !== null || !this.#isKey(column.property));
    const { texts, values } = this.#write(columns, row, from, secrets);
    return { assignments: columns.map(({ name }, index) => `${name} = ${texts[index]}`), values };
  }

  /** What has to be known of the table to encrypt it again, with what its look-ups compare. */
  secretTable(indexes: SecretTable["indexes"] = []): SecretTable {
    const name = (property: string): string => this.#nameOf(property);
    const types = this.#keyColumns.map((name) => [name, this.#flat.find((column) => column.name === name)!.type]);
    return {
      table: this.#name,
      key: Object.fromEntries(types) as SecretTable["key"],
      path: this.#keyColumns,
      columns: this.#flat.filter(({ sealed }) => sealed).map(({ name }) => name),
      indexes,
      beside: Object.fromEntries(Object.entries(this.#beside).map(([of, others]) => [name(of), others.map(name)])),
    };
  }

  async #secretsOf(db: Queryable): Promise<Secrets | undefined> {
    return this.#hasSecrets ? secretsOf(db) : undefined;
  }

  #valuesOf(key: object): unknown[] {
    return this.#key.map((property) => {
      const { type } = this.#flat.find((column) => column.group === null && column.property === property)!;
      return toParameter((key as Record<string, unknown>)[property], type);
    });
  }

  #given(row: object): FlatColumn[] {
    return this.#flat.filter(
      ({ property, group }) => (row as Record<string, unknown>)[group ?? property] !== undefined,
    );
  }

  /** How a statement writes these columns of a row: a parameter for each, from `from` on, or what is worked out. */
  #write(columns: readonly FlatColumn[], row: object, from: number, secrets: Secrets | undefined) {
    const values: unknown[] = [];
    const texts = columns.map((column) => {
      const value = column.group === null ? (row as Record<string, unknown>)[column.property] : null;
      if (value instanceof Sql) return value.text;
      return `$${from - 1 + values.push(this.#parameter(column, row, secrets))}`;
    });
    return { texts, values };
  }

  #isKey(property: string): boolean {
    return this.#key.includes(property);
  }

  #nameOf(property: string): string {
    return this.#flat.find((column) => column.group === null && column.property === property)!.name;
  }

  #place({ name }: Column): string {
    return `${this.#name}.${name}`;
  }

  #parameter(column: FlatColumn, row: object, secrets: Secrets | undefined): Item {
    const { group } = column;
    const owner = group === null ? row : (row as Record<string, object | null>)[group];
    const value = owner === null ? null : ((owner as Record<string, unknown>)[column.property] ?? null);
    if (!column.sealed || value === null) return toParameter(value, column.type);
    const path = this.#key.map((property) => (row as Record<string, unknown>)[property]);
    return needed(secrets).seal(this.#place(column), pathOf(path), value as string | null, this.#besideOf(column, row));
  }

  /** What an encrypted value is bound to; it is written with that only. */
  #besideOf(column: FlatColumn, row: object): string[] {
    return (this.#beside[column.property] ?? []).map((property) => {
      const value = (row as Record<string, unknown>)[property];
      if (typeof value === "string") return value;
      throw new Error(`${this.#place(column)} is bound to ${property}: write both.`);
    });
  }
}

/** Encrypted properties, each with those of type text that it opens beside only. */
type Beside = Readonly<Record<string, readonly string[]>>;

type FlatColumn = Column & { readonly group: string | null };

function flatten(members: readonly Member[]): readonly FlatColumn[] {
  return members.flatMap<FlatColumn>((member) =>
    "members" in member
      ? member.members.map((column) => ({ ...column, group: member.property }))
      : [{ ...member, group: null }],
  );
}

/** Members of which the first has no value are not there. */
function readMember(member: Member, open: (column: Column) => unknown): unknown {
  if (!("members" in member)) return open(member);
  const values = member.members.map((column) => [column.property, open(column)] as const);
  return values[0]![1] === null ? null : Object.fromEntries(values);
}

/** The driver would write dates of Temporal as JSON, in quotes, and arrays as those of PostgreSQL. */
function toParameter(value: unknown, type: string): Item {
  if (value === null) return null;
  if (type === "jsonb") return JSON.stringify(value);
  if (type === "timestamptz" || type === "date") return (value as Temporal.Instant | Temporal.PlainDate).toString();
  return value as Item;
}

function needed(secrets: Secrets | undefined): Secrets {
  if (!secrets) throw new Error("The table has encrypted columns, and no secrets were given.");
  return secrets;
}

function pathOf(values: readonly unknown[]): RowPath {
  return values as unknown as RowPath;
}

function columnOf(property: string, text: string): Column {
  const words = text.split(" ");
  const sealed = words.at(-1) === "sealed";
  if (sealed) words.pop();
  const type = words.pop()!;
  return { property, name: words[0] ?? snakeCase(property), type, sealed };
}

function membersOf(columns: Readonly<Record<string, string | Readonly<Record<string, string>>>>): Member[] {
  return Object.entries(columns).map(([property, column]) =>
    typeof column === "string"
      ? columnOf(property, column)
      : { property, members: Object.entries(column).map(([name, text]) => columnOf(name, text)) },
  );
}

/**
 * A table whose rows are `T`s. `key` are the properties of its primary key, in order, to which its encrypted values are
 * bound; their columns have their names in snake case. `beside` names further properties that an encrypted one is bound
 * to: where one of them is changed without it, it does not open.
 */
export function table<T extends Key, Key extends object>(
  name: string,
  key: readonly (keyof Key & string)[],
  columns: Columns<T>,
  beside: { readonly [Name in keyof T]?: readonly (keyof T & string)[] } = {},
): Table<T, Key> {
  return new Table<T, Key>(name, key, membersOf(columns), beside as Beside);
}

/** What an array of a statement may hold. */
export type Item = bigint | number | boolean | string | Uint8Array | null | undefined;

/**
 * What one array says of a row, by the place of the row's key in another; `null` for a row that is not in that. Not a join:
 * before the database has counted a table's rows, the planner would compare each with each. Within a `case`, since a node
 * of Citus 13 goes down when a column is set to an element of an array by itself.
 */
export function itemFor(key: string, keys: string, items: string): string {
  return `case when ${key} = any (${keys}) then (${items})[array_position(${keys}, ${key})] end`;
}

/** An array as PostgreSQL writes it. The driver goes over each item three times, which shows where rows are many. */
export function arrayText(items: readonly Item[]): string {
  return `{${items.map(itemText).join(",")}}`;
}

function itemText(item: Item): string {
  if (item === null || item === undefined) return "NULL";
  if (item instanceof Uint8Array) return `"\\\\x${Buffer.from(item).toString("hex")}"`;
  if (typeof item !== "string") return String(item);
  return `"${/["\\]/.test(item) ? item.replaceAll(/["\\]/g, "\\$&") : item}"`;
}
