// What a transaction says of itself at its beginning: whose rows it is for, and who acts. A single statement says it in
// the same request. What is said is decided by tenant.ts and ../origin.ts.
import pg from "pg";
import { inCurrentEdition } from "./plans.ts";

/** A setting of the database, for one transaction. */
export type Setting = readonly [name: string, value: string];

/** What a transaction says at its beginning: statements, or one that the connection keeps prepared. */
export type Scope = string | pg.QueryConfig;

/** The statements that make settings for the transaction that they stand in. */
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
/** What the driver's query has beside its types: how it is sent, and how its answers are heard. */
type Driver = {
  prepare(wire: Wire): void;
  handleDataRow(row: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  requiresPreparation(): boolean;
};
type DriverClass = new (config: Config, callback: (error: Error | null, result: pg.QueryResult) => void) => Driver;

/**
 * A statement behind the making of settings. Both are sent before PostgreSQL is asked to end its answer (Sync), and so are one
 * transaction, which begins and ends by itself: https://www.postgresql.org/docs/18/protocol-flow.html, "Pipelining".
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

  /** Statements without values would be sent in another way, which ends the transaction before them. */
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
 * Runs one statement, given as to any connection, in a transaction with these settings. Where they can't be made, it is not
 * run.
 */
export function queryWithin(
  connection: pg.ClientBase,
  settings: readonly Setting[],
  statement: string | Config,
  given?: readonly unknown[],
): Promise<pg.QueryResult> {
  const config = inCurrentEdition(typeof statement === "string" ? { text: statement } : statement) as Config;
  const names = settings.map(([name]) => name);
  // PostgreSQL takes 63 letters.
  const name = `scope ${names.map((each) => each.replace("nodal.", "")).join(" ")}`;
  const values = settings.map(([, value]) => value);
  const { connection: wire } = connection as unknown as { readonly connection: Wire };
  if (wire.parsedStatements[name] === undefined && wire.submittedNamedStatements[name] === undefined) {
    const text = `select ${names.map((each, index) => `set_config('${each}', $${index + 1}, true)`).join(", ")}`;
    // Makes the statement known to the connection; what it sets is over with it. Where it fails, so does what follows. It is of
    // no edition: what it answers never changes.
    connection.query(new pg.Query({ name, text, values }, () => {}));
  }
  return new Promise((resolve, reject) => {
    const query = new ScopedQuery({ name, values }, given ? { ...config, values: given } : config, (error, result) =>
      error ? reject(error) : resolve(result),
    );
    connection.query(query as unknown as pg.Query);
  });
}
