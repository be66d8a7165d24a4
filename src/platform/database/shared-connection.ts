// One transaction on one pipelined connection, in which several work at once, each with statements of its own scope.
// What belongs here: saying whose turn it is on the wire before each statement. Who may share one is tenant.ts's.
import type { Duplex } from "node:stream";
import type pg from "pg";
import { replaceLocalOrigin, type Origin } from "../origin.ts";

/** The connection beneath, and in whose scope its last statement was. */
export class SharedWire {
  readonly #connection: pg.PoolClient;
  /** By which stores find what belongs to the connections. */
  readonly beneath: pg.Pool;
  #current: string | null = null;
  #isHeldBack = false;

  constructor(connection: pg.PoolClient, beneath: pg.Pool) {
    this.#connection = connection;
    this.beneath = beneath;
  }

  /** The wire as one of those who share it has it: `scope` is said before its statements, and that it is `origin` who acts. */
  of(scope: string, origin: Origin): pg.PoolClient {
    return new SharedConnection(this, scope, origin) as unknown as pg.PoolClient;
  }

  /** Sends a statement, behind the scope where the one before it had another. Nothing can come between the two. */
  send(scope: string, statement: [string]): Promise<pg.QueryResult> {
    this.#holdBack();
    if (scope !== this.#current) {
      // Where it fails, so does all that follows in the transaction.
      this.#connection.query(scope).catch(() => {});
      this.#current = scope;
    }
    return this.#connection.query(...statement);
  }

  get stream(): Duplex {
    return (this.#connection as unknown as { connection: { stream: Duplex } }).connection.stream;
  }

  /** What is sent in one turn of the event loop leaves in one piece. */
  #holdBack(): void {
    if (this.#isHeldBack) return;
    this.#isHeldBack = true;
    this.stream.cork();
    process.nextTick(() => {
      this.#isHeldBack = false;
      this.stream.uncork();
    });
  }
}

export class SharedConnection {
  /** As `together` asks of a connection. */
  readonly pipeline = true;
  readonly connection: { readonly stream: Duplex };
  readonly beneath: pg.Pool;
  readonly #wire: SharedWire;
  readonly #scope: string;
  #origin: Origin;

  constructor(wire: SharedWire, scope: string, origin: Origin) {
    this.#wire = wire;
    this.beneath = wire.beneath;
    this.connection = { stream: wire.stream };
    this.#scope = scope;
    this.#origin = origin;
  }

  /** From here on it is `origin` that acts. */
  actAs(origin: Origin): void {
    this.#origin = origin;
  }

  query(...statement: [string]): Promise<pg.QueryResult> {
    return this.#wire.send(`${this.#scope}; ${replaceLocalOrigin(this.#origin)}`, statement);
  }
}
