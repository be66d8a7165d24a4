// Use case: finds commission, and amounts on hold, that the server did not write.
import type { Violation } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { everyRow, type Queryable } from "../platform/database/pool.ts";
import { listHolds } from "./commission-hold-store.ts";
import { listProofs } from "./commission-store.ts";

const PAGE_ROWS = 2000;
const SAID = { expected: "what the server wrote", found: "something else" } as const;

/**
 * Finds commission, and amounts on hold, that were changed with SQL.
 * @throws SecretsError if their proofs can't be computed
 */
export async function findForgedCommission(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const violations: Violation[] = [];
  for await (const { merchantId, settlementId, isProved } of everyRow(PAGE_ROWS, (last: Earned | null, limit) =>
    listProofs(db, scope, last, limit),
  )) {
    const what = "commission that a settlement earned";
    if (!isProved) violations.push({ check: "commission_proof", merchantId, subjectId: settlementId, what, ...SAID });
  }
  for await (const { merchantId, franchiseId, isProved } of everyRow(PAGE_ROWS, (last: Hold | null, limit) =>
    listHolds(db, scope, last, limit),
  )) {
    const what = "commission on hold of a franchise";
    if (!isProved) violations.push({ check: "commission_hold", merchantId, subjectId: franchiseId, what, ...SAID });
  }
  return violations;
}

type Earned = Awaited<ReturnType<typeof listProofs>>[number];
type Hold = Awaited<ReturnType<typeof listHolds>>[number];
