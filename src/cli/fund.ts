// `nodal fund`: credit money that arrived in the nodal account to a merchant.
import { creditMerchant } from "../merchants/index.ts";
import { money, requiredText } from "../platform/http/fields.ts";
import { formatRupees } from "../platform/indian-format.ts";
import { formatPaise } from "../platform/money.ts";
import { merchantCommand, option } from "./command.ts";

export const fund = merchantCommand({
  description: "credit a merchant's balance once per reference; repeating the call changes nothing",
  example: "--amount 1000.00 --reference UTR123456789",
  options: {
    amount: option("<rupees>", "amount in rupees, such as 1000.00", money()),
    reference: option("<text>", "a unique reference, such as the bank's UTR: 1 to 64 characters", requiredText(64)),
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
        text: `${formatRupees(amountPaise)} for ${name} needs a second operator's approval: approval ${fundingId}. Nothing was credited yet.`,
      };
    }
    return {
      json: { merchant_id: String(merchantId), funding_id: String(fundingId), amount, reference, repeated },
      text: repeated
        ? `${formatRupees(amountPaise)} was already credited to ${name} under the reference ${reference}. Nothing was changed.`
        : `${formatRupees(amountPaise)} was credited to ${name} under the reference ${reference}.`,
    };
  },
});
