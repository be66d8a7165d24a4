// `nodal fund`: money that came into the nodal account is credited to a merchant.
// What belongs here: options and what is printed. The work is done in ledger/.
import type { Command } from "commander";
import { fundMerchant } from "../ledger/index.ts";
import { requireMerchant } from "../merchants/index.ts";
import { money, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { merchantId, optionsOf, type Values } from "./options.ts";
import { example } from "./output.ts";

const FIELDS = { merchant: merchantId(), amount: money(), reference: requiredText(64) };

/** Adds `fund`. */
export function registerFund(program: Command): void {
  program
    .command("fund")
    .description("credit a merchant's balance, once for each reference: the same call again changes nothing")
    .option("--merchant <id>", "the merchant's id")
    .option("--amount <rupees>", "amount in rupees, such as 1000.00")
    .option("--reference <text>", "what names this credit, such as the bank's UTR: 1 to 64 characters")
    .addHelpText("after", example("nodal fund --merchant 1000001 --amount 1000.00 --reference UTR123456789"))
    .action(onInstallation(optionsOf(FIELDS), fund));
}

async function fund({ pool, ids }: Installation, options: Values<typeof FIELDS>): Promise<Answer> {
  const { reference } = options;
  const amountPaise = options.amount;
  const { bucket, merchantId: owner, name } = await requireMerchant(pool, options.merchant);
  const funding = await fundMerchant(pool, ids, { bucket, merchantId: owner, amountPaise, reference });
  const amount = formatPaise(amountPaise);
  return {
    json: {
      merchant_id: String(owner),
      funding_id: String(funding.fundingId),
      amount,
      reference,
      repeated: funding.repeated,
    },
    text: funding.repeated
      ? `₹${amount} were credited to ${name} under the reference ${reference} before: nothing has changed.`
      : `₹${amount} have been credited to ${name} under the reference ${reference}.`,
  };
}
