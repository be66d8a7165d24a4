// Requirements of a merchant's payouts besides money: limits, a second person, and a cooling-off period for new payees.
// docs/approvals.md explains each rule.
import { formatPaise } from "../../platform/money.ts";

/** `null` switches a rule off; `approvalExpiresHours` can't be off. */
export type PayoutPolicy = {
  /** Payouts above this amount need a second person; 0 for all of them. */
  readonly approveOverPaise: bigint | null;
  /** Whether new payees and changes of bank accounts need a second person. */
  readonly approvePayees: boolean;
  /** Whether a beneficiary can only be paid on a verified bank account. */
  readonly verifiedPayeesOnly: boolean;
  /** How old a beneficiary must be to be paid. */
  readonly coolingOffMinutes: number | null;
  readonly transferLimitPaise: bigint | null;
  readonly dailyLimitPaise: bigint | null;
  /** After how long a waiting request is refused. */
  readonly approvalExpiresHours: number;
};

/** A change of the policy; members left out stay. */
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

/** Whether a policy differs from the default. */
export function isSet(policy: PayoutPolicy): boolean {
  return POLICY_RULES.some((name) => policy[name] !== NO_POLICY[name]);
}

/** For each rule, whether a change of its value makes it weaker. */
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
 * Splits a change in two: the part that applies at once, and the part that weakens the current policy. Members that don't change
 * are in neither.
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

/** A policy in the form of the API. */
export type DescribedPolicy = {
  readonly approve_over: string | null;
  readonly approve_payees: boolean;
  readonly verified_payees_only: boolean;
  readonly cooling_off_minutes: number | null;
  readonly transfer_limit: string | null;
  readonly daily_limit: string | null;
  readonly approval_expires_hours: number;
};

/** A policy, or a change of it, in the form of the API: amounts in rupees, and null for off. */
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
