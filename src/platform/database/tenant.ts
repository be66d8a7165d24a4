// The database as requests see it: the rows of one tenant and no others, whatever a statement says.
// What belongs here: naming the tenant in each transaction. The policies are in migrations/0016_tenant_policies.sql.
import type pg from "pg";
import { setLocalOrigin, type Origin } from "../origin.ts";
import { inOneRoundTrip, type Connection, type Pool } from "./pool.ts";

/** Connections that show nothing until a transaction says whose rows it is for. */
export class TenantDatabase {
  readonly #pool: pg.Pool;

  /** @param pool connections of the role `nodal_tenant`, pipelined */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * What a merchant's requests work with. Every statement runs in a transaction of that merchant's. Whoever changes
   * something says who it is: the audit log takes nothing from nobody.
   */
  of({ merchantId }: { readonly merchantId: bigint }, origin: Origin | null = null): Pool {
    return new TenantPool(this.#pool, merchantId, origin);
  }
}

/** A pool whose transactions begin by naming the tenant and who acts, in the same round trip. */
class TenantPool {
  readonly scope: string;
  readonly beneath: pg.Pool;

  constructor(pool: pg.Pool, merchantId: bigint, origin: Origin | null) {
    this.beneath = pool;
    const tenant = `set local nodal.merchant_id = '${merchantId}'`;
    this.scope = origin ? `${tenant}; ${setLocalOrigin(origin)}` : tenant;
  }

  /** For `inTransaction`, which begins with `scope`. */
  connect(): Promise<Connection> {
    return this.beneath.connect();
  }

  /** One statement, in a transaction of its own. */
  readonly query = ((...statement: [string]) => inOneRoundTrip(this, statement)) as Pool["query"];
}
