// What a merchant's payouts need beside money: limits, a second person, and time for new payees to become known.
// docs/approvals.md says what each rule does.
import { formatPaise } from "../../platform/money.ts";

/** `null` is off, everywhere but in `approvalExpiresHours`. */
export type PayoutPolicy = {
  /** Payouts above this wait for a second person; 0 for all of them. */
  readonly approveOverPaise: bigint | null;
  /** Whether new payees and changes of bank accounts wait for a second person. */
  readonly approvePayees: boolean;
  /** Whether a beneficiary is paid on a verified bank account only. */
  readonly verifiedPayeesOnly: boolean;
  /** How old a beneficiary must be to be paid. */
  readonly coolingOffMinutes: number | null;
  readonly transferLimitPaise: bigint | null;
  readonly dailyLimitPaise: bigint | null;
  /** How long something waits before it is refused. */
  readonly approvalExpiresHours: number;
};

/** What a change of the policy says; what it does not say stays. */
export type PolicyChanges = Partial<PayoutPolicy>;

/** The policy of a merchant that has set none. */
export const NO_POLICY: PayoutPolicy = {
  approveOverPaise: null,
  approvePayees: false,
  verifiedPayeesOnly: false,
  coolingOffMinutes: null,
  transferLimitPaise: null,
  dailyLimitPaise: null,
  approvalExpiresHours: 72,
};

/** Whether any rule is on. */
export function isInForce(policy: PayoutPolicy): boolean {
  const { approvalExpiresHours: _, ...rules } = policy;
  return Object.values(rules).some((rule) => rule !== null && rule !== false);
}

/** Whether a policy is another than that of a merchant that has set none. */
export function isSet(policy: PayoutPolicy): boolean {
  return POLICY_RULES.some((name) => policy[name] !== NO_POLICY[name]);
}

/** For each rule, whether going from one value to another lets through what was held back. */
const WEAKENS: {
  readonly [Name in keyof PayoutPolicy]: (from: PayoutPolicy[Name], to: PayoutPolicy[Name]) => boolean;
} = {
  approveOverPaise: raises,
  approvePayees: (from, to) => from && !to,
  verifiedPayeesOnly: (from, to) => from && !to,
  coolingOffMinutes: (from, to) => (to ?? 0) < (from ?? 0),
  transferLimitPaise: raises,
  dailyLimitPaise: raises,
  approvalExpiresHours: (from, to) => to > from,
};

function raises(from: bigint | null, to: bigint | null): boolean {
  return from !== null && (to === null || to > from);
}

/**
 * Parts a change in two: what may become true at once, and what makes a policy that is in force weaker. What changes
 * nothing is in neither.
 */
export function splitChanges(
  policy: PayoutPolicy,
  changes: PolicyChanges,
): { readonly atOnce: PolicyChanges; readonly weaker: PolicyChanges } {
  const changed = POLICY_RULES.filter((name) => changes[name] !== undefined && changes[name] !== policy[name]);
  const isWeaker = (name: keyof PayoutPolicy): boolean => isInForce(policy) && weakens(name, policy, changes);
  return {
    atOnce: pick(
      changes,
      changed.filter((name) => !isWeaker(name)),
    ),
    weaker: pick(changes, changed.filter(isWeaker)),
  };
}

function weakens<Name extends keyof PayoutPolicy>(name: Name, from: PayoutPolicy, to: PolicyChanges): boolean {
  return WEAKENS[name](from[name], to[name]!);
}

function pick(changes: PolicyChanges, names: readonly (keyof PayoutPolicy)[]): PolicyChanges {
  return Object.fromEntries(names.map((name) => [name, changes[name]]));
}

const POLICY_RULES = Object.keys(NO_POLICY) as (keyof PayoutPolicy)[];

/** A policy as people and programs read it. */
export type DescribedPolicy = {
  readonly approve_over: string | null;
  readonly approve_payees: boolean;
  readonly verified_payees_only: boolean;
  readonly cooling_off_minutes: number | null;
  readonly transfer_limit: string | null;
  readonly daily_limit: string | null;
  readonly approval_expires_hours: number;
};

/** A policy, or a change of it, as people and programs read it: amounts in rupees, what is off as null. */
export function describePolicy(policy: PayoutPolicy): DescribedPolicy;
export function describePolicy(policy: PolicyChanges): Partial<DescribedPolicy>;
export function describePolicy(policy: PolicyChanges): Partial<DescribedPolicy> {
  const rupees = (paise: bigint | null): string | null => (paise === null ? null : formatPaise(paise));
  const { approveOverPaise, approvePayees, coolingOffMinutes, transferLimitPaise, dailyLimitPaise } = policy;
  const { verifiedPayeesOnly } = policy;
  return {
    ...(approveOverPaise === undefined ? {} : { approve_over: rupees(approveOverPaise) }),
    ...(approvePayees === undefined ? {} : { approve_payees: approvePayees }),
    ...(verifiedPayeesOnly === undefined ? {} : { verified_payees_only: verifiedPayeesOnly }),
    ...(coolingOffMinutes === undefined ? {} : { cooling_off_minutes: coolingOffMinutes }),
    ...(transferLimitPaise === undefined ? {} : { transfer_limit: rupees(transferLimitPaise) }),
    ...(dailyLimitPaise === undefined ? {} : { daily_limit: rupees(dailyLimitPaise) }),
    ...(policy.approvalExpiresHours === undefined ? {} : { approval_expires_hours: policy.approvalExpiresHours }),
  };
}
