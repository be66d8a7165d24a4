// How the log's facts about a thing are written: an SQL expression, and the entries that may change it.
import type { Member } from "../platform/member.ts";
import { snakeCase } from "../platform/snake-case.ts";

/** Something that a row says. */
export type Fact = {
  /** SQL expressions that do not depend on settings of the connection. */
  readonly sql: string;
  /**
   * Which entries about the thing may change it: a type (`login.password_reset`), a member that the entry has before or
   * after (`role`), or both (`provider.changed:credentials`). Whatever creates the thing may set it too.
   */
  readonly by: readonly string[];
};

/** An encrypted column, bound to the merchant and, but for the merchant's own, the id. */
export type SecretFact = {
  readonly column: string;
  /** Columns that it is bound to as well. */
  readonly beside?: readonly string[];
  readonly by: readonly string[];
};

/** Rows of another table that go by the thing, each a fact of its own by its name. */
export type ItemFacts = {
  readonly table: string;
  readonly name: string;
  readonly sql: string;
  /** The beginning of the types of entries about one of them, which name it in this member. */
  readonly by: string;
  readonly member: string;
};

export type ThingKind = {
  /** Also the name of its table, where that is not said. */
  readonly kind: string;
  readonly table?: string;
  /** The column with its id, which is the subject of the entries about it. */
  readonly id: string;
  /** Which entries create it. */
  readonly made: readonly string[];
  /** Which further entries may be the first about it. */
  readonly first?: readonly string[];
  /** Which entries remove its row, or take it out of `where`. */
  readonly ended?: readonly string[];
  readonly facts: readonly Fact[];
  readonly secrets?: readonly SecretFact[];
  readonly items?: readonly ItemFacts[];
  /** Rows with no entry about them by themselves are left out. */
  readonly where?: string;
};

export const time = (column: string): string => `extract(epoch from ${column})`;
export const day = (column: string): string => `${column} - date '2000-01-01'`;

/** Columns that entries name as they are called. */
export const named = (columns: string): Fact[] => columns.split(" ").map((sql) => ({ sql, by: [sql] }));
/** The columns of a record that are not encrypted: entries name its properties. */
export const membersOf = (members: readonly Member[]): Fact[] =>
  members.flatMap(({ name, property = name, column = name, isSealed }) =>
    isSealed ? [] : [{ sql: column, by: [snakeCase(property)] }],
  );
/** Those that are. */
export const sealedOf = (members: readonly Member[]): SecretFact[] =>
  members.flatMap(({ name, property = name, column = name, isSealed }) =>
    isSealed ? [{ column, by: [snakeCase(property)] }] : [],
  );
/** What only these entries change, or none after the first. */
export const only = (sql: string, ...by: readonly string[]): Fact => ({ sql, by });
