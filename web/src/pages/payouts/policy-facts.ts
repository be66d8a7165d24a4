// Rules for payouts as labels with values.
import type { Answer } from "../../api/contract.ts";
import type { Fact } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { policy } from "../../strings/payouts.ts";

/** Those rules that are named. */
export function policyFacts(rules: Partial<Policy>): Fact[] {
  const amount = (value: string | null): string => (value === null ? policy.offWord : rupees(value));
  const facts: [string, string | undefined][] = [
    [policy.approveOver, rules.approve_over === undefined ? undefined : amount(rules.approve_over)],
    [
      policy.approvePayees,
      rules.approve_payees === undefined ? undefined : rules.approve_payees ? policy.onWord : policy.offWord,
    ],
    [
      policy.verifiedPayees,
      rules.verified_payees_only === undefined
        ? undefined
        : rules.verified_payees_only
          ? policy.onWord
          : policy.offWord,
    ],
    [
      policy.coolingOff,
      rules.cooling_off_minutes === undefined ? undefined : String(rules.cooling_off_minutes ?? policy.offWord),
    ],
    [policy.transferLimit, rules.transfer_limit === undefined ? undefined : amount(rules.transfer_limit)],
    [policy.dailyLimit, rules.daily_limit === undefined ? undefined : amount(rules.daily_limit)],
    [policy.expires, rules.approval_expires_hours === undefined ? undefined : String(rules.approval_expires_hours)],
  ];
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}

export type Approval = Answer<"GET", "/approvals/:approval_id">;

/** A merchant's rules for payouts; `null` is off. */
export type Policy = Answer<"GET", "/payout-policy">;
