// One corruption: SQL of somebody with the whole database. `$name` in it stands for what the stage calls so. Which
// there are is in corruptions.ts.

export type Corruption = {
  readonly what: string;
  readonly sql: readonly string[];
  /** One of the checks that report it. */
  readonly check: string;
};

/** A corruption that this check reports. */
export const one = (what: string, check: string, ...sql: string[]): Corruption => ({ what, sql, check });

/** The condition for rows of the merchant on the stage. */
export const OF_MERCHANT = "merchant_id = $merchant";

/** Changes the row of a table that has this name on the stage. */
export const setIn = (table: string, id: string, name: string, change: string): string =>
  `update ${table} set ${change} where ${id} = $${name}`;
