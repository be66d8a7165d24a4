// How the refunds of an invoice's credit notes stand, as its page shows them.
// What belongs here: that shape. Paying one out is credit-note-routes.ts.
import { owedOf, type CreditNote } from "../invoices/index.ts";
import { findBeneficiaries, type Beneficiary } from "../payouts/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { formatPaise } from "../platform/money.ts";
import { mask } from "../platform/secrets/index.ts";

/** The refunds of credit notes, by the notes' ids: what is owed, where it went, and with which transfer. */
export async function describeRefunds(db: Queryable, notes: readonly CreditNote[]) {
  const payees = await findBeneficiaries(
    db,
    notes.map(({ bucket, merchantId, refundBeneficiaryId }) => ({
      bucket,
      merchantId,
      beneficiaryId: refundBeneficiaryId ?? 0n,
    })),
  );
  return new Map(
    notes.map((note, index) => {
      const { attempts, underWayPaise, lastTransferId } = note.refund;
      const refund = {
        owed: formatPaise(owedOf(note)),
        under_way: formatPaise(underWayPaise),
        attempts,
        payee: payeeInWords(payees[index] ?? null),
        transfer_id: lastTransferId === null ? "" : String(lastTransferId),
      };
      return [String(note.creditNoteId), refund] as const;
    }),
  );
}

/** Masked: which account it is can be told by its end. Empty where nobody has said where a refund goes. */
function payeeInWords(payee: Beneficiary | null): string {
  if (payee === null) return "";
  const where = payee.accountNumber === null ? payee.upi : payee.accountNumber;
  return `${payee.name}, ${mask(where ?? "")}`;
}
