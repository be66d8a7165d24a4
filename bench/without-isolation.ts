// Loaded into a server before its own code by the benchmark of isolation: requests no longer say whose rows they see.
// What belongs here: taking the second isolation away. Queries go on naming their merchant, and writers who they are.
import type pg from "pg";
import { setLocalOrigin, type Origin } from "../src/platform/origin.ts";
import type { Pool } from "../src/platform/database/pool.ts";
import { TenantDatabase } from "../src/platform/database/tenant.ts";

type WithoutTenant = { of(merchant: object, origin: Origin | null): Pool };

/** The connections that each database of tenants was made with. Its own field is out of reach. */
function connectionsOf(tenants: TenantDatabase): pg.Pool {
  return ofTenant.call(tenants, { merchantId: 0n }).beneath!;
}

const ofTenant = TenantDatabase.prototype.of;
(TenantDatabase.prototype as unknown as WithoutTenant).of = function (_merchant, origin = null) {
  const pool = connectionsOf(this as unknown as TenantDatabase);
  return {
    beneath: pool,
    ...(origin && { scope: setLocalOrigin(origin) }),
    connect: () => pool.connect(),
    query: pool.query.bind(pool),
  } as Pool;
};
