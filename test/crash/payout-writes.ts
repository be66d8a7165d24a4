// Writes of payouts: transfers, withdrawals, beneficiaries, and money that comes in.
import { fundMerchant } from "../../src/ledger/index.ts";
import { formatPaise } from "../../src/platform/money.ts";
import type { Ask, Kind } from "./journal.ts";
import type { Write } from "./writes.ts";

const IFSC = "HDFC0000001";

export const PAYOUT_WRITES = {
  transfer: {
    weight: 34,
    repeatedBy: "reference",
    mayMeet: ["insufficient_balance"],
    path: "/api/v1/beneficiary/transfer",
    signedBy: "token",
    body: (ask) => ({
      beneficiary_id: ask.beneficiaryId,
      amount: formatPaise(ask.amountPaise),
      reference_id: ask.referenceId,
      narrative: "Under load",
    }),
    identify: (body) => body.transfer_id as string,
  },
  withdrawal: {
    weight: 8,
    repeatedBy: "either",
    mayMeet: ["insufficient_balance"],
    path: "/api/v1/payout/withdraw",
    signedBy: "token",
    body: ({ amountPaise, referenceId }) => ({
      amount: formatPaise(amountPaise),
      ...(referenceId === null ? {} : { reference_id: referenceId }),
    }),
    identify: (body) => body.withdrawal_id as string,
  },
  beneficiary: {
    weight: 4,
    repeatedBy: "key",
    mayMeet: [],
    path: "/api/v1/beneficiary/save",
    signedBy: "token",
    body: (ask) => ({ name: "Load", account_number: accountOf(ask), ifsc: IFSC }),
    identify: (body) => body.beneficiary_id as string,
  },
  funding: {
    weight: 5,
    repeatedBy: "reference",
    mayMeet: [],
    perform: async ({ merchant: { bucket, merchantId }, amountPaise, referenceId }, { pool, ids }) => {
      const funding = { bucket, merchantId, amountPaise, reference: referenceId! };
      return String((await fundMerchant(pool, ids, funding)).fundingId);
    },
  },
} satisfies Partial<Record<Kind, Write>>;

/** An account that nothing else of the load has. */
export function accountOf({ name }: Pick<Ask, "name">): string {
  return `77${name.replace("load-", "").padStart(10, "0")}`;
}
