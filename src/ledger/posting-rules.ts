// The accounts between which each kind of posting moves money.
import { HOT_ACCOUNTS, isHot, isOwned, type Account, type AccountOf, type HotAccount } from "./chart.ts";

/** The debited account, then the credited one. docs/rules/payouts.md#postings */
export const POSTING_RULES = {
  funds_in: ["nodal_bank", "available"],
  reserve: ["available", "held"],
  success: ["held", "payout_clearing"],
  failed: ["held", "available"],
  reversed: ["payout_clearing", "available"],
  late_success: ["available", "payout_clearing"],
  late_success_unfunded: ["owed_by_merchant", "payout_clearing"],
  owed_settled: ["available", "owed_by_merchant"],
  fee: ["available", "payout_clearing"],
  fee_tax: ["available", "payout_clearing"],
  fee_unfunded: ["owed_by_merchant", "payout_clearing"],
  fee_tax_unfunded: ["owed_by_merchant", "payout_clearing"],
  fee_expensed: ["fee_expense", "payout_clearing"],
  fee_tax_expensed: ["fee_expense", "payout_clearing"],
  fee_returned: ["payout_clearing", "available"],
  fee_tax_returned: ["payout_clearing", "available"],
  fee_expense_returned: ["payout_clearing", "fee_expense"],
  fee_tax_expense_returned: ["payout_clearing", "fee_expense"],
  late_fee: ["available", "payout_clearing"],
  late_fee_unfunded: ["owed_by_merchant", "payout_clearing"],
  late_fee_expensed: ["fee_expense", "payout_clearing"],
  late_fee_undone: ["payout_clearing", "available"],
  late_fee_expense_undone: ["payout_clearing", "fee_expense"],
  fee_matched: ["payout_clearing", "nodal_bank"],
  fee_return_matched: ["nodal_bank", "payout_clearing"],
  bank_matched: ["payout_clearing", "nodal_bank"],
  return_matched: ["nodal_bank", "payout_clearing"],
  fee_unmatched: ["nodal_bank", "payout_clearing"],
  fee_return_unmatched: ["payout_clearing", "nodal_bank"],
  bank_unmatched: ["nodal_bank", "payout_clearing"],
  return_unmatched: ["payout_clearing", "nodal_bank"],
  commission_accrued: ["commission_expense", "commission_payable"],
  commission_reversed: ["commission_payable", "commission_expense"],
  commission_paid: ["commission_payable", "commission_settled"],
  commission_unpaid: ["commission_settled", "commission_payable"],
  commission_paid_outside: ["commission_payable", "commission_settled"],
  commission_payment_reversed: ["commission_settled", "commission_payable"],
} as const satisfies Readonly<Record<string, RuleWithin<"operator"> | RuleWithin<"merchant">>>;

type RuleWithin<Book extends "operator" | "merchant"> = readonly [AccountOf<Book>, AccountOf<Book>];

export type PostingKind = keyof typeof POSTING_RULES;

/** Money that an entry moves, in paise. */
export type Money = {
  readonly kind: PostingKind;
  readonly amountPaise: bigint;
  /** The owner of the accounts, if the kind's rule has owned ones. */
  readonly ownerId?: bigint;
  /**
   * Numbers the postings of this kind about the subject if there can be several: an invoice that changes, or has two rates.
   * Only the merchant's book may have several. docs/rules/payouts.md#postings
   */
  readonly changeNo?: number;
};

/** A posting's accounts, as in its row. */
export type Sides = {
  readonly debitKind: Account;
  readonly debitOwnerId: bigint;
  readonly creditKind: Account;
  readonly creditOwnerId: bigint;
};

/** The accounts that money moves between. @throws Error for a kind without a rule, or an owned account without owner */
export function sidesOf({ kind, ownerId }: Money): Sides {
  const [debitKind, creditKind] = ruleOf(kind);
  const ownerOf = (account: Account): bigint => {
    if (!isOwned(account)) return 0n;
    if (!ownerId) throw new Error(`a posting of kind ${kind} needs an owner`);
    return ownerId;
  };
  return { debitKind, debitOwnerId: ownerOf(debitKind), creditKind, creditOwnerId: ownerOf(creditKind) };
}

/** The change of each of the book's hot accounts, in paise. */
export type Movement = Record<HotAccount, bigint>;

const NO_MOVEMENT = Object.fromEntries(HOT_ACCOUNTS.map((account) => [account, 0n])) as Movement;

/** A movement of nothing. */
export function noMovement(): Movement {
  return { ...NO_MOVEMENT };
}

/** Adds a posting's amount to the hot accounts that it moves. */
export function addTo(movement: Movement, { kind, amountPaise }: Money): void {
  const [debit, credit] = ruleOf(kind);
  if (isHot(debit)) movement[debit] -= amountPaise;
  if (isHot(credit)) movement[credit] += amountPaise;
}

/** Whether this posting can leave both a debt and an available balance. */
export function canLeaveDebt({ kind }: Money): boolean {
  const [debit, credit] = ruleOf(kind);
  return credit === "available" || debit === "owed_by_merchant";
}

/**
 * The posting that settles a debt from the available balance, before anything else can be spent
 * (docs/rules/payouts.md#owed-by-the-merchant). `null` if there is no debt or no balance. Its subject is the entry
 * before it, since one payout may return money more than once.
 */
export function settlementAfter(
  entryNo: bigint,
  { availablePaise, owedPaise }: { readonly availablePaise: bigint; readonly owedPaise: bigint },
): { readonly type: string; readonly subjectId: bigint; readonly money: Money } | null {
  const amountPaise = availablePaise < owedPaise ? availablePaise : owedPaise;
  if (amountPaise <= 0n) return null;
  const money = { kind: "owed_settled" as const, amountPaise };
  return { type: "posting.owed_settled", subjectId: entryNo, money };
}

/** The change of an account in `ledger_account`, in paise. `ownerId` is 0 for an account without an owner. */
export type RowMovement = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly kind: Account;
  readonly ownerId: bigint;
  readonly paise: bigint;
};

/** The changes of accounts in rows, each account once. */
export function rowMovements(
  entries: readonly { readonly bucket: number; readonly merchantId: bigint; readonly money?: Money }[],
): RowMovement[] {
  const moved = new Map<string, RowMovement>();
  for (const { bucket, merchantId, money } of entries) {
    if (!money) continue;
    const { debitKind, debitOwnerId, creditKind, creditOwnerId } = sidesOf(money);
    const sides = [
      { kind: debitKind, ownerId: debitOwnerId, paise: -money.amountPaise },
      { kind: creditKind, ownerId: creditOwnerId, paise: money.amountPaise },
    ];
    for (const { kind, ownerId, paise } of sides) {
      if (isHot(kind)) continue;
      const key = `${merchantId} ${kind} ${ownerId}`;
      moved.set(key, { bucket, merchantId, kind, ownerId, paise: (moved.get(key)?.paise ?? 0n) + paise });
    }
  }
  return [...moved.values()];
}

/** The accounts that a kind of posting debits and credits. @throws Error for a kind without a rule */
export function ruleOf(kind: PostingKind): readonly [Account, Account] {
  const rule: readonly [Account, Account] | undefined = POSTING_RULES[kind];
  if (!rule) throw new Error(`a posting of kind ${String(kind)} has no rule`);
  return rule;
}
