// Lines of incoming money, as receipts of customers use them. The money is then in the merchant's billing books, not in the payout
// ledger. docs/rules/reconciliation.md#receipts
import type { BankLines } from "../invoices/index.ts";
import { auditValues } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../platform/errors.ts";
import { lockReconciliation } from "./clearing-store.ts";
import { refuseNoIncoming, refusePayment, requireLines } from "./resolve.ts";
import { noteLine, type FoundLine } from "./statement-store.ts";
import { findRecordedOf } from "./suggest-receipts.ts";

/** Marks lines as used by receipts, and reopens those of reversed receipts. */
export const bankLines: BankLines = {
  async take(connection, merchant, { lineId, receiptNumber }) {
    await lockReconciliation(connection, merchant);
    const [line] = await requireLines(connection, merchant, [lineId]).catch(rename);
    const { amountPaise, bookedOn } = line!;
    try {
      refuseNoIncoming(line!, "recorded as a receipt");
      await refusePayment(connection, merchant, line!);
      await refuseRecorded(connection, merchant, line!);
    } catch (error) {
      rename(error);
    }
    const reason = `Receipt ${receiptNumber}`;
    await noteLine(connection, merchant, lineId, reason);
    const after = auditValues({ what: "line", reason });
    return { amountPaise, bookedOn, event: { type: "statement.set_aside", subjectId: lineId, after } };
  },
  async release(connection, merchant, lineId) {
    await lockReconciliation(connection, merchant);
    await noteLine(connection, merchant, lineId, null);
    return { type: "statement.taken_up", subjectId: lineId, after: auditValues({ what: "line", reason: "" }) };
  },
};

/** Refuses money that was entered by hand under the line's reference. @throws NodalError `validation_failed` */
async function refuseRecorded(connection: Connection, merchant: Merchant, line: FoundLine): Promise<void> {
  const [recorded] = await findRecordedOf(connection, merchant, line);
  if (!recorded) return;
  const { kind, number } = recorded;
  const what = kind === "receipt" ? `the receipt ${number}` : `a payment of the invoice ${number}`;
  const problem = `The reference of line ${line.lineId} is already recorded, as ${what}: set the line aside, or reverse that first.`;
  throw fieldRefusal("validation_failed", "line", problem);
}

/** Throws the refusal of a line with the field name of a receipt request. */
function rename(error: unknown): never {
  if (!(error instanceof NodalError)) throw error;
  const problem = error.errors[0]?.problem ?? error.message;
  throw fieldRefusal("validation_failed", "statement_line_id", problem);
}
