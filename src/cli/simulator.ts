// `nodal simulator`: what the simulated bank has in its book.
// What belongs here: options and what is printed.
import type { Command } from "commander";
import { requireMerchant } from "../merchants/index.ts";
import { listBook } from "../payouts/index.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { flag, merchantId, optionsOf, REVEAL_OPTION, shownBy, type Values } from "./options.ts";
import { example, formatTable } from "./output.ts";

const FIELDS = { merchant: merchantId(), reveal: flag() };

/** Adds `simulator` and its subcommand. */
export function registerSimulator(program: Command): void {
  program
    .command("simulator")
    .description("look into the simulated bank")
    .command("book")
    .description("list what the simulated bank paid for a merchant and has not taken back, oldest first")
    .option("--merchant <id>", "the merchant's id")
    .option(...REVEAL_OPTION)
    .addHelpText("after", example("nodal simulator book --merchant 1000001"))
    .action(onInstallation(optionsOf(FIELDS), book));
}

async function book({ ownerPool }: Installation, options: Values<typeof FIELDS>): Promise<Answer> {
  const { bucket, merchantId: owner, timeZone } = await requireMerchant(ownerPool, options.merchant);
  const shown = shownBy(options.reveal);
  const payments = (await listBook(ownerPool, bucket, owner)).map((payment) => ({
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
  return { json: payments, text: formatTable(payments, "The simulated bank has paid nothing for this merchant.") };
}
