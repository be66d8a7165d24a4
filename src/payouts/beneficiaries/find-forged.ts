// Use case: finds beneficiaries that were made payable with SQL.
import type { Violation } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { everyRow, type Queryable } from "../../platform/database/pool.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import { listProvedRows } from "./beneficiary-proof-store.ts";
import { isProved, type ProvedRow } from "./beneficiary-proof.ts";

const PAGE_ROWS = 2000;

/**
 * Finds the beneficiaries whose approval, verification or time of saving was changed with SQL.
 * @throws SecretsError if proofs can't be computed
 */
export async function findForgedBeneficiaries(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const secrets = await secretsOf(db);
  const violations: Violation[] = [];
  const rows = everyRow<ProvedRow>(PAGE_ROWS, (last, limit) => listProvedRows(db, scope, last, limit));
  for await (const row of rows) {
    if (isProved(secrets, row)) continue;
    violations.push({
      check: "beneficiary_proof",
      merchantId: row.merchant_id,
      subjectId: row.beneficiary_id,
      what: "whether a beneficiary may be paid",
      expected: "what the server wrote",
      found: "something else",
    });
  }
  return violations;
}
