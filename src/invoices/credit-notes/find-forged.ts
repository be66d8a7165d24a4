// Use case: check that credit notes' refunds and payees are as the server wrote them.
import type { Violation } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { everyRow, type Queryable } from "../../platform/database/pool.ts";
import { listProofs } from "./credit-note-store.ts";

const PAGE_ROWS = 2000;

/**
 * Finds credit notes whose refund or payee was changed with SQL.
 * @throws SecretsError if their proofs can't be computed
 */
export async function findForgedCreditNotes(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const violations: Violation[] = [];
  for await (const { merchantId, creditNoteId, isProved } of everyRow(PAGE_ROWS, (last: Note | null, limit) =>
    listProofs(db, scope, last, limit),
  )) {
    if (isProved) continue;
    violations.push({
      check: "credit_note_proof",
      merchantId,
      subjectId: creditNoteId,
      what: "how much a credit note refunds, and to whom",
      expected: "what the server wrote",
      found: "something else",
    });
  }
  return violations;
}

type Note = Awaited<ReturnType<typeof listProofs>>[number];
