// Facts about a thing: an SQL expression, and the entries that may change it.
import type { Member } from "../platform/member.ts";
import { snakeCase } from "../platform/snake-case.ts";

/** A fact in a row. */
export type Fact = {
  /** SQL expressions that do not depend on the connection's settings. */
  readonly sql: string;
  /**
   * The entries that may change it: a type (`login.password_reset`), a member in `before` or `after` (`role`), or both
   * (`provider.changed:credentials`). The creation of the thing may set it too.
   */
  readonly by: readonly string[];
};

/** An encrypted column, bound to the merchant and, but for the merchant's own, the id. */
export type SecretFact = {
  readonly column: string;
  /** Further columns that it is bound to. */
  readonly beside?: readonly string[];
  readonly by: readonly string[];
};

/** Rows of another table that belong to the thing. Each is a separate fact, by its name. */
export type ItemFacts = {
  readonly table: string;
  readonly name: string;
  readonly sql: string;
  /** The prefix of the types of entries about one of them, which have its name in this member. */
  readonly by: string;
  readonly member: string;
};

export type ThingKind = {
  /** Also the default for the table's name. */
  readonly kind: string;
  readonly table?: string;
  /** The column with its id, which is the subject of its entries. */
  readonly id: string;
  /** The entries that create it. */
  readonly made: readonly string[];
  /** Further entries that may be the first about it. */
  readonly first?: readonly string[];
  /** The entries that delete its row, or exclude it from `where`. */
  readonly ended?: readonly string[];
  readonly facts: readonly Fact[];
  readonly secrets?: readonly SecretFact[];
  readonly items?: readonly ItemFacts[];
  /** Leaves out rows without separate entries. */
  readonly where?: string;
};

export const time = (column: string): string => `extract(epoch from ${column})`;
export const day = (column: string): string => `${column} - date '2000-01-01'`;

/** Columns with the same names in entries. */
export const named = (columns: string): Fact[] => columns.split(" ").map((sql) => ({ sql, by: [sql] }));
/** The unencrypted columns of a record. Entries have the names of its properties. */
export const membersOf = (members: readonly Member[]): Fact[] =>
  members.flatMap(({ name, property = name, column = name, isSealed }) =>
    isSealed ? [] : [{ sql: column, by: [snakeCase(property)] }],
  );
/** The encrypted columns of a record. */
export const sealedOf = (members: readonly Member[]): SecretFact[] =>
  members.flatMap(({ name, property = name, column = name, isSealed }) =>
    isSealed ? [{ column, by: [snakeCase(property)] }] : [],
  );
/** A fact that only these entries change; without any, it never changes. */
export const only = (sql: string, ...by: readonly string[]): Fact => ({ sql, by });
