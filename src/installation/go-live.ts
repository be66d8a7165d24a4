// Use case: take a merchant live. A separate live merchant is opened for the sandbox, which stays a sandbox for ever: so nothing of
// the sandbox becomes money. docs/rules/access.md#sandbox-and-live The domains copy their parts.
import { copyTemplates } from "../invoices/index.ts";
import {
  chooseOwners,
  findMerchantByKey,
  listOwners,
  openLiveMerchant,
  ownBankAccount,
  requireKyc,
  requireMerchant,
  suspended,
  type Login,
  type Merchant,
  type MerchantProfile,
  type OperatorContext,
} from "../merchants/index.ts";
import { copyBookSetting } from "../books/index.ts";
import { copySetting } from "../notifications/index.ts";
import { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";

/** The initial data of the live merchant, as shown before. */
export const TAKEN_OVER: readonly string[] = [
  "Company details, bank account, KYC, time zone and limit of API requests",
  "Invoice templates, with number series that start from the beginning",
  "Reminder days and channels",
  "Payout limits, and what needs a second approver",
  "Roles, and the chosen Owners with their passwords and second factors",
];

/** What stays in the sandbox, as shown before. */
export const LEFT_BEHIND: readonly string[] = [
  "Balance, transfers, batches, withdrawals, and ledger and bank statements",
  "Beneficiaries and payout provider accounts",
  "Franchises and their commission",
  "Customers, groups and columns",
  "Invoices, credit notes, payments and their numbers",
  "Subscriptions and messages",
  "Access keys and webhooks",
  "Other users, sessions, recovery codes, open approvals and the audit log",
];

export type GoLive = {
  /** The enabled Owners who sign in to the live merchant too; `null` for all of them. */
  readonly logins: readonly bigint[] | null;
  /**
   * The person who does it, and the check of the second factor; `null` for a command or an operator's program. An Owner is always
   * one of `logins`; an operator has no `ownerId`.
   */
  readonly by: {
    readonly ownerId: bigint | null;
    readonly prove: (connection: Connection) => Promise<void>;
  } | null;
};

type GoLiveContext = Omit<OperatorContext, "ids"> & {
  /** Whether KYC must be approved before: the setting KYC_REQUIRED. */
  readonly kycRequired: boolean;
};

export type WentLive = {
  readonly sandbox: Merchant;
  readonly live: Merchant;
  /** As created at the live merchant. */
  readonly logins: readonly Login[];
};

/**
 * Opens the live merchant of a sandbox, once. Its payouts stay off until an account at a payout provider is connected.
 * @throws NodalError `merchant_not_found`, `access_denied` for a suspended merchant or somebody who is no Owner, `already_live`,
 * `kyc_not_approved`, `no_bank_account`, `second_factor_required`, `code_refused`, or `validation_failed` for logins other than
 * enabled Owners
 */
export async function goLive(
  { pool, merchant: { merchantId }, kycRequired }: GoLiveContext,
  { logins: chosen, by }: GoLive,
): Promise<WentLive> {
  return inTransaction(pool, async (connection) => {
    // A concurrent request waits here, and then finds the live merchant.
    const sandbox = await requireMerchant(connection, merchantId, true);
    refuseLive(sandbox);
    requireKyc(kycRequired, sandbox);
    requireBankAccount(sandbox);
    const owners = await listOwners(connection, sandbox);
    const ownerId = by?.ownerId ?? null;
    refuseOthers(owners, ownerId);
    const taken = chosen === null ? owners : chooseOwners(owners, ownerId === null ? chosen : [...chosen, ownerId]);
    requireSecondFactor(taken, ownerId);
    await by?.prove(connection);
    const ids = new IdSource(connection);
    const { live, logins } = await openLiveMerchant(connection, ids, sandbox, taken);
    await copyTemplates(connection, ids, sandbox, live);
    await copySetting(connection, sandbox, live);
    await copyBookSetting(connection, sandbox, live);
    return { sandbox: (await findMerchantByKey(connection, sandbox))!, live, logins };
  });
}

function refuseLive(merchant: Merchant): void {
  const { merchantId, status, live, counterpartId } = merchant;
  if (live) throw new NodalError("already_live", `Merchant ${merchantId} is already live.`);
  if (counterpartId !== null) {
    const message = `This sandbox already has a live merchant, ${counterpartId}.`;
    throw new NodalError("already_live", message);
  }
  if (status !== "active") throw suspended(merchant);
}

/**
 * Requires a bank account of a merchant with real money, for withdrawals.
 * @throws NodalError `no_bank_account`
 */
export function requireBankAccount(profile: MerchantProfile): void {
  if (ownBankAccount(profile) !== null) return;
  throw new NodalError(
    "no_bank_account",
    "A live merchant needs its own bank account: add it to the company profile, or with --bank-account and --ifsc.",
  );
}

function refuseOthers(owners: readonly Login[], ownerId: bigint | null): void {
  if (ownerId === null || owners.some(({ loginId }) => loginId === ownerId)) return;
  throw new NodalError("access_denied", "Only an Owner of the merchant, an operator, or the command line can go live.");
}

function requireSecondFactor(owners: readonly Login[], ownerId: bigint | null): void {
  const asked = ownerId === null ? owners : owners.filter(({ loginId }) => loginId === ownerId);
  if (asked.some(({ hasSecondFactor }) => hasSecondFactor)) return;
  throw new NodalError(
    "second_factor_required",
    ownerId === null
      ? "To go live, at least one of the chosen Owners needs a second factor: set it up in the dashboard first."
      : "To go live, you need a second factor: set one up in your security settings first.",
  );
}
