// Use case: check that statements, their lines, and their matches are as the server wrote them.
import type { Violation } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { everyRow, type Queryable } from "../platform/database/pool.ts";
import { listProvedRows, PROVED_TABLES, type ProvedRow } from "./proof-store.ts";

const PAGE_ROWS = 1000;
const SAID = { expected: "what the server wrote", found: "something else" } as const;

/**
 * Finds rows that were changed or inserted with SQL to fake or hide a movement of money.
 * @throws SecretsError if their proofs can't be computed
 */
export async function findForgedStatements(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const table of PROVED_TABLES) {
    const rows = everyRow(PAGE_ROWS, (last: ProvedRow | null, limit) => listProvedRows(db, table, scope, last, limit));
    for await (const { merchantId, key, isSound } of rows) {
      const found = { merchantId, subjectId: key[0] as bigint, what: `${table.what} ${key.join(" ")}`, ...SAID };
      if (!isSound) violations.push({ check: table.check, ...found });
    }
  }
  return violations;
}
