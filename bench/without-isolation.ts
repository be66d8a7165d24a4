// Loaded into a server before its own code by the benchmark of isolation: requests no longer say whose rows they see.
// What belongs here: taking the second isolation away. Queries go on naming their merchant, and writers who they are.
import type pg from "pg";
import { setLocalOrigin, type Origin } from "../src/platform/origin.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import { TenantDatabase } from "../src/platform/database/tenant.ts";

type Of = (this: TenantDatabase, merchant: { readonly merchantId: bigint }, origin?: Origin | null) => Pool;

const ofTenant: Of = Reflect.get(TenantDatabase.prototype, "of");

const withoutTenant: Of = function withoutTenant(merchant, origin) {
  const beneath: pg.Pool = ofTenant.call(this, merchant).beneath!;
  const connect = (): Promise<pg.PoolClient> => beneath.connect();
  const query = beneath.query.bind(beneath);
  return origin ? { beneath, connect, query, scope: setLocalOrigin(origin) } : { beneath, connect, query };
};
Reflect.set(TenantDatabase.prototype, "of", withoutTenant);
