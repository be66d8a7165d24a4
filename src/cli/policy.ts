// `nodal policy`: the rules for a merchant's payouts.
import { changePayoutPolicy, describePolicy, findPolicy, type PolicyChanges } from "../merchants/index.ts";
import { fail } from "../platform/http/field.ts";
import { ifSent, money, oneOf, wholeNumber } from "../platform/http/fields.ts";
import { group, merchantCommand, option, orWord } from "./command.ts";
import { recordAnswer, waitsForApproval } from "./output.ts";

const LONGEST_COOLING_OFF_MINUTES = 365 * 24 * 60;
const LONGEST_WAIT_HOURS = 365 * 24;

const show = merchantCommand({
  description: "show a merchant's payout policy; - means off",
  run: async ({ pool, merchant }) =>
    recordAnswer({ merchant_id: String(merchant.merchantId), ...describePolicy(await findPolicy(pool, merchant)) }),
});

const set = merchantCommand({
  description: "change the given settings only; loosening the policy needs a second approver",
  example: "--approve-over 50000 --daily-limit 500000",
  options: {
    approveOver: option(
      "<amount>",
      "payouts above this need a second approver; 0 for all, or off",
      ifSent(orWord("off", money({ allowZero: true }))),
    ),
    approvePayees: option(
      "<on|off>",
      "new beneficiaries and changed bank accounts need a second approver",
      ifSent(oneOf(["on", "off"])),
    ),
    verifiedPayees: option(
      "<on|off>",
      "pay only verified bank accounts, and no UPI handles",
      ifSent(oneOf(["on", "off"])),
    ),
    coolingOff: option(
      "<minutes>",
      "how long before a new beneficiary can be paid, or off",
      ifSent(orWord("off", wholeNumber(1, LONGEST_COOLING_OFF_MINUTES))),
    ),
    transferLimit: option("<amount>", "largest single payout, or off", ifSent(orWord("off", money()))),
    dailyLimit: option(
      "<amount>",
      "the most that may leave in a day, counted from now on, or off",
      ifSent(orWord("off", money())),
    ),
    approvalExpiresHours: option(
      "<n>",
      "how long a request can wait before it expires; default: 72",
      ifSent(wholeNumber(1, LONGEST_WAIT_HOURS)),
    ),
  },
  check(given, errors) {
    if (Object.keys(given).some((name) => name !== "merchant")) return;
    const problem = "Nothing to change: see `nodal policy set --help`.";
    fail(errors, "merchant", "required", problem);
  },
  async run(scope, options) {
    const rules = {
      approveOverPaise: options.approveOver,
      approvePayees: options.approvePayees && options.approvePayees === "on",
      verifiedPayeesOnly: options.verifiedPayees && options.verifiedPayees === "on",
      coolingOffMinutes: options.coolingOff,
      transferLimitPaise: options.transferLimit,
      dailyLimitPaise: options.dailyLimit,
      approvalExpiresHours: options.approvalExpiresHours,
    };
    const sent = Object.entries(rules).filter(([, value]) => value !== undefined);
    const { policy, approvalId } = await changePayoutPolicy(scope, Object.fromEntries(sent) as PolicyChanges);
    return recordAnswer(
      {
        merchant_id: String(scope.merchant.merchantId),
        ...describePolicy(policy),
        approval_id: approvalId === null ? null : String(approvalId),
      },
      waitsForApproval("Loosening the policy", approvalId),
    );
  },
});

export const policyCommands = group("limits on a merchant's payouts, and what needs a second approver", { show, set });
