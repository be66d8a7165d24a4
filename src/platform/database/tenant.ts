// The database as requests see it: the rows of one tenant and no others, whatever a statement says.
// What belongs here: naming the tenant in each transaction. The policies are in migrations/0016_tenant_policies.sql.
import type pg from "pg";
import { inTransaction, type Connection, type Pool } from "./pool.ts";

/** Connections that show nothing until a transaction says whose rows it is for. */
export class TenantDatabase {
  readonly #pool: pg.Pool;

  /** @param pool connections of the role `nodal_tenant` */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** What a merchant's requests work with. Every statement runs in a transaction of that merchant's. */
  of({ merchantId }: { readonly merchantId: bigint }): Pool {
    return new TenantPool(this.#pool, merchantId);
  }
}

/** A pool whose transactions begin by naming the tenant, in the same round trip. */
class TenantPool {
  readonly scope: string;
  readonly beneath: pg.Pool;

  constructor(pool: pg.Pool, merchantId: bigint) {
    this.beneath = pool;
    this.scope = `set local nodal.merchant_id = '${merchantId}'`;
  }

  /** For `inTransaction`, which begins with `scope`. */
  connect(): Promise<Connection> {
    return this.beneath.connect();
  }

  /** One statement, in a transaction of its own. */
  readonly query = ((...statement: [string]) =>
    inTransaction(this, (connection) => connection.query(...statement))) as Pool["query"];
}
