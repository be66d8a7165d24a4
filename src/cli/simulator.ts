// `nodal simulator`: what the simulated bank has in its book.
// What belongs here: options and what is printed.
import type { Command } from "commander";
import { requireMerchant } from "../merchants/index.ts";
import { listBook } from "../payouts/index.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type MerchantOption } from "./options.ts";
import { example, formatTable } from "./output.ts";

/** Adds `simulator` and its subcommand. */
export function registerSimulator(program: Command): void {
  program
    .command("simulator")
    .description("look into the simulated bank")
    .command("book")
    .description("list what the simulated bank paid for a merchant and has not taken back, oldest first")
    .option("--merchant <id>", "the merchant's id")
    .addHelpText("after", example("nodal simulator book --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), book));
}

async function book({ ownerPool }: Installation, options: MerchantOption): Promise<Answer> {
  const { bucket, merchantId: owner, timeZone } = await requireMerchant(ownerPool, options.merchant);
  const payments = (await listBook(ownerPool, bucket, owner)).map((payment) => ({
    transfer_id: String(payment.transferId),
    amount: formatPaise(payment.amountPaise),
    utr: payment.utr,
    mode: payment.mode,
    payee_name: payment.payeeName,
    account_number: payment.accountNumber,
    ifsc: payment.ifsc,
    upi: payment.upi,
    booked_at: formatTimestamp(payment.bookedAt, timeZone),
  }));
  return { json: payments, text: formatTable(payments, "The simulated bank has paid nothing for this merchant.") };
}
