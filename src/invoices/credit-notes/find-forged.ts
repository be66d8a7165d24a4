// One use case: credit notes refund what the server wrote, and to whom.
import type { Violation } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { everyRow, type Queryable } from "../../platform/database/pool.ts";
import { listProofs } from "./credit-note-store.ts";

const PAGE_ROWS = 2000;

/**
 * Finds credit notes of which somebody has changed with SQL how much is refunded, or to whom.
 * @throws SecretsError where their proofs can't be computed
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
