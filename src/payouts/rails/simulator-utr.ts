// The simulated bank's references (UTRs): the form that each rail gives them.
// What belongs here: forms, and how a transfer id fills them.
import type { PaymentInstruction } from "./rail.ts";

/** The bank's letters where the payee has no IFSC. */
const OWN_BANK = "NODL";

/**
 * The UTR of a payment: IMPS and UPI 12 digits, NEFT 16 characters, RTGS 22 (`XXXXRCYYYYMMDD########`, the date in
 * India). Made from the transfer id, so that the same payment booked at the same instant has the same one.
 */
export function makeUtr(instruction: PaymentInstruction, bookedAt: Temporal.Instant): string {
  const { mode, payee, transferId } = instruction;
  const bank = payee.ifsc?.slice(0, 4) ?? OWN_BANK;
  switch (mode) {
    case "IMPS":
    case "UPI":
      // The leading digit is never 0, so that a spreadsheet leaves it whole.
      return (100_000_000_000n + (transferId % 900_000_000_000n)).toString();
    case "NEFT":
      return `${bank}N${lastDigits(transferId, 11)}`;
    case "RTGS": {
      const date = bookedAt.toZonedDateTimeISO("Asia/Kolkata").toPlainDate().toString().replaceAll("-", "");
      return `${bank}RC${date}${lastDigits(transferId, 8)}`;
    }
  }
}

function lastDigits(id: bigint, count: number): string {
  return id.toString().padStart(count, "0").slice(-count);
}
