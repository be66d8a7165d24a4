// The settings at a transaction's beginning: merchant and actor. A single statement sends them in the same request.
// tenant.ts and ../origin.ts choose the settings.
import pg from "pg";
import { inCurrentEdition } from "./plans.ts";

/** A setting of the database, for one transaction. */
export type Setting = readonly [name: string, value: string];

/** The beginning of a transaction: statements, or a prepared one. */
export type Scope = string | pg.QueryConfig;

/** Statements that set values for the current transaction. */
export function setLocal(settings: readonly Setting[]): string {
  return settings.map(([name, value]) => `set local ${name} = ${pg.escapeLiteral(value)}`).join("; ");
}

type Config = { readonly text: string; readonly values?: readonly unknown[]; readonly name?: string };
type Wire = {
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Readonly<Record<string, string>>;
  bind(message: { readonly portal: string; readonly statement: string; readonly values: readonly string[] }): void;
  execute(message: { readonly portal: string; readonly rows: number }): void;
};
/** Members of the driver's query that its types lack. */
type Driver = {
  prepare(wire: Wire): void;
  handleDataRow(row: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  requiresPreparation(): boolean;
};
type DriverClass = new (config: Config, callback: (error: Error | null, result: pg.QueryResult) => void) => Driver;

/**
 * A statement after the statement with the settings. Both are sent before one Sync message, and so are one implicit
 * transaction: https://www.postgresql.org/docs/18/protocol-flow.html, "Pipelining".
 */
class ScopedQuery extends (pg.Query as unknown as DriverClass) {
  readonly #name: string;
  readonly #values: readonly string[];
  #isScoped = false;

  constructor(
    scope: { readonly name: string; readonly values: readonly string[] },
    config: Config,
    callback: (error: Error | null, result: pg.QueryResult) => void,
  ) {
    super(config, callback);
    this.#name = scope.name;
    this.#values = scope.values;
  }

  /** Statements without values would use the simple protocol, which ends the transaction before them. */
  override requiresPreparation(): boolean {
    return true;
  }

  override prepare(wire: Wire): void {
    wire.bind({ portal: "", statement: this.#name, values: this.#values });
    wire.execute({ portal: "", rows: 0 });
    super.prepare(wire);
  }

  override handleDataRow(row: unknown): void {
    if (this.#isScoped) super.handleDataRow(row);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isScoped) super.handleCommandComplete(message, wire);
    this.#isScoped = true;
  }
}

/**
 * Runs one statement, given as to any connection, in a transaction with these settings. If setting them fails, it is not run.
 */
export function queryWithin(
  connection: pg.ClientBase,
  settings: readonly Setting[],
  statement: string | Config,
  given?: readonly unknown[],
): Promise<pg.QueryResult> {
  const config = inCurrentEdition(typeof statement === "string" ? { text: statement } : statement) as Config;
  const names = settings.map(([name]) => name);
  // PostgreSQL's limit is 63 bytes.
  const name = `scope ${names.map((each) => each.replace("nodal.", "")).join(" ")}`;
  const values = settings.map(([, value]) => value);
  const { connection: wire } = connection as unknown as { readonly connection: Wire };
  if (wire.parsedStatements[name] === undefined && wire.submittedNamedStatements[name] === undefined) {
    const text = `select ${names.map((each, index) => `set_config('${each}', $${index + 1}, true)`).join(", ")}`;
    // Prepares the statement on the connection; its settings end with it. If it fails, so do the following ones. It has
    // no edition, since its result never changes.
    connection.query(new pg.Query({ name, text, values }, () => {}));
  }
  return new Promise((resolve, reject) => {
    const query = new ScopedQuery({ name, values }, given ? { ...config, values: given } : config, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    connection.query(query as unknown as pg.Query);
  });
}
