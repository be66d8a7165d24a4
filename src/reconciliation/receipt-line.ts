// Lines of money that came in, as receipts of customers take them. The merchant's book of billing has the money then, and the
// ledger of payouts does not. docs/rules/reconciliation.md#receipts
import type { BankLines } from "../invoices/index.ts";
import { auditValues } from "../ledger/index.ts";
import { fieldRefusal, NodalError } from "../platform/errors.ts";
import { lockReconciliation } from "./clearing-store.ts";
import { refuseNoIncoming, refusePayment, requireLines } from "./resolve.ts";
import { noteLine } from "./statement-store.ts";

/** Takes lines for receipts, and opens those of receipts that are reversed. */
export const bankLines: BankLines = {
  async take(connection, merchant, { lineId, receiptNumber }) {
    await lockReconciliation(connection, merchant);
    const [line] = await requireLines(connection, merchant, [lineId]).catch(rename);
    const { amountPaise, bookedOn } = line!;
    try {
      refuseNoIncoming(line!, "recorded as a receipt");
      await refusePayment(connection, merchant, line!);
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

/** Throws a refusal of a line under the name that it has in the request of a receipt. */
function rename(error: unknown): never {
  if (!(error instanceof NodalError)) throw error;
  const problem = error.errors[0]?.problem ?? error.message;
  throw fieldRefusal("validation_failed", "statement_line_id", problem);
}
