// Loaded into a server before its own code by the benchmark of isolation: requests no longer say whose rows they see.
// What belongs here: taking the second isolation away. Queries go on naming their merchant, and writers who they are.
import type pg from "pg";
import { originSettings, type Origin } from "../src/platform/origin.ts";
import { setLocal } from "../src/platform/database/scoped-query.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import { TenantDatabase } from "../src/platform/database/tenant.ts";

type Of = (this: TenantDatabase, merchant: { readonly merchantId: bigint }, origin?: Origin | null) => Pool;

const ofTenant: Of = Reflect.get(TenantDatabase.prototype, "of");

const withoutTenant: Of = function withoutTenant(merchant, origin) {
  // Taking turns with other merchants stays.
  const { beneath, connect: take } = ofTenant.call(this, merchant) as Required<Pool>;
  const connect = take as () => Promise<pg.PoolClient>;
  const query = (async (...statement: [string]) => {
    const connection = await connect();
    try {
      return await connection.query(...statement);
    } finally {
      connection.release();
    }
  }) as Pool["query"];
  return origin
    ? { beneath, connect: take, query, scope: setLocal(originSettings(origin)) }
    : { beneath, connect: take, query };
};
Reflect.set(TenantDatabase.prototype, "of", withoutTenant);
