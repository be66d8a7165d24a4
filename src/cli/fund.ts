// `nodal fund`: money that came into the nodal account is credited to a merchant.
import { creditMerchant } from "../merchants/index.ts";
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
  async run({ pool, ids, merchant }, options) {
    const { merchantId, name } = merchant;
    const { reference } = options;
    const amountPaise = options.amount;
    const credited = await creditMerchant({ pool, ids, merchant }, { amountPaise, reference });
    const { fundingId, isWaiting, repeated } = credited;
    const amount = formatPaise(amountPaise);
    if (isWaiting) {
      return {
        json: { merchant_id: String(merchantId), approval_id: String(fundingId), amount, reference, repeated },
        text: `₹${amount} for ${name} wait for a second operator: approval ${fundingId}. Nothing was credited yet.`,
      };
    }
    return {
      json: { merchant_id: String(merchantId), funding_id: String(fundingId), amount, reference, repeated },
      text: repeated
        ? `₹${amount} were credited to ${name} under the reference ${reference} before: nothing has changed.`
        : `₹${amount} have been credited to ${name} under the reference ${reference}.`,
    };
  },
});
