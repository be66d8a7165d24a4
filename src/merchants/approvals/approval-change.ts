// Converts the request of an approval to JSON and back.
import type { AccountChange, Approval, Resolution } from "./approval.ts";
import type { PolicyChanges } from "./payout-policy.ts";

/** The change an approval makes, if no other row has it. */
export type RequestedChange = Pick<Approval, "bankAccount" | "policyChanges" | "resolution" | "funding">;

/** The content of the column `change`. Amounts are paise as text, since JSON has no bigint. */
export type StoredChange = {
  readonly ifsc?: string;
  readonly holder?: string;
  readonly bank_name?: string;
  readonly account_type?: string;
  readonly policy?: Readonly<Record<string, string | number | boolean | null>>;
  readonly resolution?: Resolution;
  readonly funding?: { readonly amountPaise: string; readonly reference: string; readonly deposits: readonly string[] };
};

/** Reads the request of a row. */
export function readChange(change: StoredChange | null, accountNumber: string | null): RequestedChange {
  return {
    bankAccount: change?.ifsc === undefined ? null : accountFromJson(change, accountNumber ?? ""),
    policyChanges: change?.policy ? policyFromJson(change.policy) : null,
    resolution: change?.resolution ?? null,
    funding: change?.funding ? { ...change.funding, amountPaise: BigInt(change.funding.amountPaise) } : null,
  };
}

function accountFromJson(change: StoredChange, accountNumber: string): AccountChange {
  const { ifsc = "", holder = "", bank_name: bankName, account_type: accountType } = change;
  const account = { accountNumber, ifsc, holder };
  return bankName === undefined || accountType === undefined ? account : { ...account, bankName, accountType };
}

function policyFromJson(json: NonNullable<StoredChange["policy"]>): PolicyChanges {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, typeof value === "string" ? BigInt(value) : value]),
  );
}

/** The stored form of an approval's request. The account's number has its own column. */
export function changeOf({ bankAccount, policyChanges, resolution, funding }: RequestedChange): StoredChange | null {
  if (bankAccount) {
    const { ifsc, holder, bankName, accountType } = bankAccount;
    return {
      ifsc,
      holder,
      ...(bankName === undefined ? {} : { bank_name: bankName }),
      ...(accountType === undefined ? {} : { account_type: accountType }),
    };
  }
  if (resolution) return { resolution };
  if (funding) {
    const { amountPaise, reference, deposits = [] } = funding;
    return { funding: { amountPaise: String(amountPaise), reference, deposits } };
  }
  if (!policyChanges) return null;
  const entries = Object.entries(policyChanges);
  return {
    policy: Object.fromEntries(
      entries.map(([name, value]) => [name, typeof value === "bigint" ? String(value) : value]),
    ),
  };
}
