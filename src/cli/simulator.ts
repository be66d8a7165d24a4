// `nodal simulator`: the simulated bank's book.
import { listBook } from "../payouts/index.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { group, merchantCommand, REVEAL, shownBy } from "./command.ts";
import { listAnswer } from "./output.ts";

const book = merchantCommand({
  description: "list a merchant's payments at the simulated bank that were not reversed, oldest first",
  options: { reveal: REVEAL },
  async run({ ownerPool, merchant: { bucket, merchantId, timeZone } }, { reveal }) {
    const shown = shownBy(reveal);
    const payments = (await listBook(ownerPool, bucket, merchantId)).map((payment) => ({
      transfer_id: String(payment.transferId),
      amount: formatPaise(payment.amountPaise),
      utr: payment.utr,
      mode: payment.mode,
      payee_name: payment.payeeName,
      account_number: payment.accountNumber && shown(payment.accountNumber),
      ifsc: payment.ifsc,
      upi: payment.upi && shown(payment.upi),
      booked_at: formatTimestamp(payment.bookedAt, timeZone),
    }));
    return listAnswer(payments, "The simulated bank has made no payments for this merchant.");
  },
});

export const simulatorCommands = group("inspect the simulated bank", { book });
