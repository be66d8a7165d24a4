// A table's columns, listed once, and statements for rows by key. Other SQL belongs in the stores.
import type pg from "pg";
import { readSecretRows, secretsOf, type RowPath, type Secrets, type SecretTable } from "../secrets/index.ts";
import { snakeCase } from "../snake-case.ts";
import type { Queryable } from "./pool.ts";

/** PostgreSQL's name of a value's type. */
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

/** A type, after the column's name if that is not the property's name in snake case. */
type Plain<Type extends string> = Type | `${string} ${Type}`;

type ColumnOf<V> =
  | Plain<SqlType<V>>
  | (SqlType<V> extends "text" ? Plain<"text sealed"> : never)
  | (SqlType<V> extends "jsonb" ? Group<NonNullable<V>> : never);

/** Members with separate columns. */
type Group<T> = { readonly [Name in keyof T]: Plain<SqlType<T[Name]>> | Plain<"text sealed"> };

/** The column of each property, as `type`, `name type`, or `name text sealed` if it is encrypted. */
export type Columns<T> = { readonly [Name in keyof T]-?: ColumnOf<T[Name]> };

/** A row from the driver. */
export type Row = Readonly<Record<string, unknown>>;

type Column = { readonly property: string; readonly name: string; readonly type: string; readonly sealed: boolean };
type Member = Column | { readonly property: string; readonly members: readonly Column[] };

/** The number of the first parameter, and the secrets for encryption; without encrypted columns these are not needed. */
export type Writing = { readonly from?: number; readonly secrets?: Secrets | undefined };

/** A value that the database computes. */
class Sql {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The time of the transaction, by the database's clock. */
export const NOW = new Sql("now()");

/** A partial row: undefined columns get the database's default, or stay unchanged. */
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

  /** The names of all columns, qualified by a table or alias. */
  columnsOf(source: string): string {
    return this.#flat.map(({ name }) => `${source}.${name}`).join(", ");
  }

  /** The same table without some columns, for statements that don't write them. */
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
   * Reads a row; `secrets` decrypt its values. @throws SecretsError if a value can't be decrypted
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

  /** The rows of a statement that selects all columns. */
  async select(db: Queryable, statement: string | pg.QueryConfig, values: unknown[] = []): Promise<T[]> {
    const { rows } = await db.query<Row>(typeof statement === "string" ? { text: statement, values } : statement);
    return this.#hasSecrets ? readSecretRows(db, rows, this.read) : rows.map((row) => this.read(row));
  }

  /** The row of a key; `lock` locks it until the transaction ends. */
  async find(db: Queryable, key: Key, lock: boolean | "for no key update" = false): Promise<T | null> {
    const how = lock === true ? " for update" : lock === false ? "" : ` ${lock}`;
    const statement = prepared(`select * from ${this.#name} where ${this.#ofKey}${how}`, this.#valuesOf(key));
    return (await this.select(db, statement))[0] ?? null;
  }

  /**
   * Inserts a row; missing columns get their default. `conflict` may have an `on conflict` clause. Returns whether it
   * was written.
   */
  async insert(db: Queryable, row: Given<T, Key>, conflict = ""): Promise<boolean> {
    const secrets = await this.#secretsOf(db);
    const columns = this.#given(row);
    const { texts, values } = this.#write(columns, row, 1, secrets);
    const names = columns.map(({ name }) => name).join(", ");
    const text = `insert into ${this.#name} (${names}) values (${texts.join(", ")}) ${conflict}`;
    return (await db.query(text, values)).rowCount === 1;
  }

  /** Inserts many complete rows. Returns how many were written. */
  async insertAll(db: Queryable, rows: readonly T[], conflict = ""): Promise<number> {
    const { columns, arrays, values } = this.arrays(rows, { secrets: await this.#secretsOf(db) });
    const text = `insert into ${this.#name} (${columns}) select * from unnest(${arrays}) ${conflict} returning 1`;
    return (await db.query(prepared(text, values))).rowCount ?? 0;
  }

  /**
   * Writes the given columns, at least one, into the row of the key. Returns whether there is such a row that meets
   * `condition`.
   */
  async update(db: Queryable, row: Given<T, Key>, condition = "true"): Promise<boolean> {
    const { assignments, values } = this.assign(row, { secrets: await this.#secretsOf(db) });
    const text = `update ${this.#name} set ${assignments.join(", ")} where ${this.#ofKey} and ${condition}`;
    return (await db.query(text, [...this.#valuesOf(row), ...values])).rowCount === 1;
  }

  /** Replaces rows by key. */
  async updateAll(db: Queryable, rows: readonly T[]): Promise<void> {
    const { columns, arrays, values } = this.arrays(rows, { secrets: await this.#secretsOf(db) });
    const isSame = this.#keyColumns.map((name) => `${this.#name}.${name} = changed.${name}`).join(" and ");
    const text = `update ${this.#name} set ${this.assignmentsFrom("changed")}
      from unnest(${arrays}) as changed (${columns}) where ${isSame}`;
    await db.query(prepared(text, values));
  }

  /** Deletes the row of a key. Returns whether there was one. */
  async delete(db: Queryable, key: Key): Promise<boolean> {
    const { rowCount } = await db.query(`delete from ${this.#name} where ${this.#ofKey}`, this.#valuesOf(key));
    return rowCount === 1;
  }

  /**
   * The parts of a statement for many rows: the columns' names, an array parameter for each of them, and the arrays.
   * The text only depends on the table and on `from`, so it may be in a prepared statement. No column may be an array:
   * `unnest` would flatten it.
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

  /** `name = source.name` for each column except those of the key. */
  assignmentsFrom(source: string): string {
    const changing = this.#flat.filter(({ property }) => !this.#isKey(property));
    return changing.map(({ name }) => `${name} = ${source}.${name}`).join(", ");
  }

  /** `name = $n` for the given columns except the key, and the parameters from `from` on. Undefined columns stay unchanged. */
  assign(
    row: Given<T, Key>,
    { from = this.#key.length + 1, secrets }: Writing = {},
  ): { assignments: string[]; values: unknown[] } {
    const columns = this.#given(row).filter((column) => column.group !== null || !this.#isKey(column.property));
    const { texts, values } = this.#write(columns, row, from, secrets);
    return { assignments: columns.map(({ name }, index) => `${name} = ${texts[index]}`), values };
  }

  /** The facts about the table that re-encryption needs, with its index hashes. */
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

  /** The SQL values for these columns of a row: a parameter for each, from `from` on, or an expression. */
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

  /** The properties that an encrypted value is bound to; they must be written together. */
  #besideOf(column: FlatColumn, row: object): string[] {
    return (this.#beside[column.property] ?? []).map((property) => {
      const value = (row as Record<string, unknown>)[property];
      if (typeof value === "string") return value;
      throw new Error(`${this.#place(column)} is bound to ${property}: write both.`);
    });
  }
}

/** Encrypted properties, each with the text properties it is bound to. */
type Beside = Readonly<Record<string, readonly string[]>>;

type FlatColumn = Column & { readonly group: string | null };

function flatten(members: readonly Member[]): readonly FlatColumn[] {
  return members.flatMap<FlatColumn>((member) =>
    "members" in member
      ? member.members.map((column) => ({ ...column, group: member.property }))
      : [{ ...member, group: null }],
  );
}

/** A group whose first member is null is missing. */
function readMember(member: Member, open: (column: Column) => unknown): unknown {
  if (!("members" in member)) return open(member);
  const values = member.members.map((column) => [column.property, open(column)] as const);
  return values[0]![1] === null ? null : Object.fromEntries(values);
}

/** The driver would write Temporal dates as quoted JSON, and JSON arrays as PostgreSQL arrays. */
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
 * A table whose rows are `T`s. `key` has the properties of its primary key, in order, with columns in snake case.
 * Encrypted values are bound to the key. `beside` names further properties that an encrypted one is bound to: if one of
 * them is changed without it, it can't be decrypted.
 */
export function table<T extends Key, Key extends object>(
  name: string,
  key: readonly (keyof Key & string)[],
  columns: Columns<T>,
  beside: { readonly [Name in keyof T]?: readonly (keyof T & string)[] } = {},
): Table<T, Key> {
  return new Table<T, Key>(name, key, membersOf(columns), beside as Beside);
}

/** An item of an array parameter. */
export type Item = bigint | number | boolean | string | Uint8Array | null | undefined;

/**
 * SQL: the item of one array at the position of the row's key in another; `null` if the key is missing. Not a join:
 * without statistics, the planner would choose a nested loop. Within a `case`, since a node of Citus 13 crashes if a
 * column is set directly to an array element.
 */
export function itemFor(key: string, keys: string, items: string): string {
  return `case when ${key} = any (${keys}) then (${items})[array_position(${keys}, ${key})] end`;
}

/** An array in PostgreSQL's text format. The driver processes each item three times, which is slow for many rows. */
export function arrayText(items: readonly Item[]): string {
  return `{${items.map(itemText).join(",")}}`;
}

function itemText(item: Item): string {
  if (item === null || item === undefined) return "NULL";
  if (item instanceof Uint8Array) return `"\\\\x${Buffer.from(item).toString("hex")}"`;
  if (typeof item !== "string") return String(item);
  return `"${/["\\]/.test(item) ? item.replaceAll(/["\\]/g, "\\$&") : item}"`;
}
