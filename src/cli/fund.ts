// `nodal fund`: money that came into the nodal account is credited to a merchant.
import { fundMerchant } from "../ledger/index.ts";
import { money, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { merchantCommand, option } from "./command.ts";

export const fund = merchantCommand({
  description: "credit a merchant's balance, once for each reference: the same call again changes nothing",
  example: "--amount 1000.00 --reference UTR123456789",
  options: {
    amount: option("<rupees>", "amount in rupees, such as 1000.00", money()),
    reference: option("<text>", "what names this credit, such as the bank's UTR: 1 to 64 characters", requiredText(64)),
  },
  async run({ pool, ids, merchant: { bucket, merchantId, name } }, options) {
    const { reference } = options;
    const amountPaise = options.amount;
    const { fundingId, repeated } = await fundMerchant(pool, ids, { bucket, merchantId, amountPaise, reference });
    const amount = formatPaise(amountPaise);
    return {
      json: { merchant_id: String(merchantId), funding_id: String(fundingId), amount, reference, repeated },
      text: repeated
        ? `₹${amount} were credited to ${name} under the reference ${reference} before: nothing has changed.`
        : `₹${amount} have been credited to ${name} under the reference ${reference}.`,
    };
  },
});
