// Use cases of accounts at payout providers: connect, test and disconnect one.
import { NotSentError } from "../../platform/providers/errors.ts";
import { auditChange, auditValues } from "../../ledger/index.ts";
import { changePayoutSettings, type Merchant, type MerchantKey, type OperatorContext } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import { changingOwner, findOwner, recordOfOwner, writeRails, type Owner, type OwnerContext } from "./account-owner.ts";
import { type Connector } from "./connector.ts";
import { behind, firstRails, formatPriorities, makeRoom, readPriorities } from "./priorities.ts";
import { checkProvider } from "./check-provider.ts";
import { ALL_CREDENTIALS } from "./connectors.ts";
import type { OwnCredentials } from "./credentials.ts";
import { connectorOf, type CheckedProvider, type ConnectProvider, type ProviderAccount } from "./provider-account.ts";
import {
  countOpenOver,
  findProviderAccount,
  insertProviderAccount,
  listConnected,
  listProviderAccounts,
  lockAllAccounts,
  updateProviderAccount,
} from "./provider-account-store.ts";

const CHECK_TIMEOUT_MS = 10_000;

/** An account, with its balance in paise if the provider reports it. */
export type CheckedAccount = { readonly account: ProviderAccount; readonly balancePaise: bigint | null };

/**
 * Connects a provider account of a live merchant or of the installation, after the owner's other accounts unless `modes` says otherwise.
 * The provider is called first, so that invalid credentials change nothing.
 * @throws NodalError `merchant_not_found`, `validation_failed`, or `provider_check_failed` if the provider can't be reached
 */
export async function connectProvider(
  { ids, ...context }: OwnerContext & Pick<OperatorContext, "ids">,
  input: ConnectProvider,
): Promise<CheckedAccount> {
  const checked = checkProvider(input);
  const { pool } = context;
  const { key, merchant } = await findOwner(pool, context.merchant);
  if (merchant) refuseSandbox(merchant);
  const known = await listProviderAccounts(pool, key);
  placesOf(input.modes, known);
  refuseConnected(checked, known);
  const balancePaise = await callProvider(connectorOf(checked, CHECK_TIMEOUT_MS));
  const accountId = await ids.next();
  return changingOwner(context, async (connection, owner) => {
    const { bucket, merchantId } = owner.key;
    const others = await listProviderAccounts(connection, owner.key);
    const priorities = placesOf(input.modes, others);
    refuseConnected(checked, others);
    await refuseElsewhere(connection, context.accounts, { ...checked, bucket, merchantId });
    const account: ProviderAccount = {
      ...checked,
      bucket,
      merchantId,
      accountId,
      priorities,
      callsPerSecond: null,
      version: 1,
      olderWebhookSecret: null,
      credentialsChangedAt: null,
      failingSince: null,
      failingReason: null,
      connectedAt: Temporal.Now.instant(),
      disconnectedAt: null,
    };
    await insertProviderAccount(connection, account);
    await moveBack(connection, owner, makeRoom(priorities, others), others);
    await writeRails(connection, owner);
    await recordOfOwner(connection, owner, {
      type: "provider.connected",
      subjectId: accountId,
      after: auditValues(shownOf(account)),
    });
    return { account, balancePaise };
  });
}

/**
 * Calls the provider with an account's credentials.
 * @throws NodalError `merchant_not_found`, `not_found`, `validation_failed`, `provider_check_failed`
 */
export async function testProvider({ pool, merchant }: OwnerContext, accountId: bigint): Promise<CheckedAccount> {
  const { key } = await findOwner(pool, merchant);
  const account = await findProviderAccount(pool, { ...key, accountId });
  if (!account) throw accountNotFound();
  return { account, balancePaise: await callProvider(connectorOf(account, CHECK_TIMEOUT_MS)) };
}

/**
 * Disconnects an account: no payment is sent over it from then on, not even one that a server accepts before it notices. The next
 * account in order replaces it. Without one, a merchant's payouts are refused: docs/rules/rails.md#own-account.
 * @throws NodalError `merchant_not_found`, `not_found`, `provider_in_use` while transfers over it are in progress
 */
export async function disconnectProvider(context: OwnerContext, accountId: bigint): Promise<ProviderAccount> {
  return changingOwner(context, async (connection, owner) => {
    const account = await findProviderAccount(connection, { ...owner.key, accountId });
    if (!account) throw accountNotFound();
    if (account.disconnectedAt !== null) return account;
    // Before transfers are counted: from now on, a server that is about to pay over the account waits for this transaction.
    const disconnectedAt = Temporal.Now.instant();
    await updateProviderAccount(connection, { ...owner.key, accountId, disconnectedAt });
    const open = await countOpenOver(connection, account);
    if (open > 0n) {
      throw new NodalError(
        "provider_in_use",
        `${open} transfers are in progress over this account: set its modes to none, and disconnect it once they have ended.`,
      );
    }
    await writeRails(connection, owner);
    await recordOfOwner(connection, owner, {
      type: "provider.disconnected",
      subjectId: accountId,
      before: auditValues(shownOf(account)),
    });
    return { ...account, disconnectedAt };
  });
}

/**
 * Lets a live merchant that has disconnected its own accounts use the installation's account. For operators: its payouts are then paid
 * from money that merchants share, so its money has to be there first.
 * @throws NodalError `merchant_not_found`, `validation_failed` for a sandbox, `provider_in_use` while it has an account
 */
export async function useInstallationAccount(context: OperatorContext): Promise<Merchant> {
  return changingOwner(context, async (connection, { key, merchant }) => {
    refuseSandbox(merchant!);
    if (firstRails(await listProviderAccounts(connection, key)) !== null) {
      throw new NodalError("provider_in_use", "This merchant has an account of its own: disconnect it first.");
    }
    await changePayoutSettings(connection, merchant!, { payoutRails: null });
    return { ...merchant!, payoutRails: null };
  });
}

/**
 * The accounts of a merchant or of the installation, the newest first.
 * @throws NodalError `merchant_not_found`
 */
export async function listProviders({ pool, merchant }: OwnerContext): Promise<ProviderAccount[]> {
  return listProviderAccounts(pool, (await findOwner(pool, merchant)).key);
}

/** A sandbox can never pay over a provider: docs/rules/access.md#sandbox-and-live */
function refuseSandbox({ live }: Pick<Merchant, "live">): void {
  if (live) return;
  const problem =
    "This is a sandbox with a simulated bank: connect accounts to its live merchant, which `nodal merchant go-live` or the Go live page creates.";
  throw validationError([{ field: "provider", code: "not_allowed", problem }]);
}

/**
 * Refuses credentials that one of the owner's accounts uses already: the same bank account would have two names, and `next` would try the
 * same account again.
 * @throws NodalError `validation_failed` for `key_id`
 */
export function refuseConnected(account: CheckedProvider, others: readonly ProviderAccount[]): void {
  const twin = others.find((other) => isSameAccount(account, other));
  if (twin)
    throw connected(`is already connected, as account ${twin.accountId}: change that one, or disconnect it first.`);
}

/**
 * Refuses an account that another merchant or the installation has connected: a deposit in it would be credited once for each.
 * A lock lets only one transaction at a time compare the accounts of all owners. The error does not say who has the account, and
 * callers test the credentials first, so that guessing key ids reveals nothing. docs/rules/payouts.md#deposits
 * @throws NodalError `validation_failed` for `key_id`
 */
export async function refuseElsewhere(
  connection: Connection,
  accounts: Queryable | undefined,
  account: CheckedProvider & MerchantKey,
): Promise<void> {
  await lockAllAccounts(connection);
  const others = await listConnected(accounts ?? connection, account);
  const isTaken = others.some((other) => other.merchantId !== account.merchantId && isSameAccount(account, other));
  if (isTaken) throw connected("is already connected to this installation: connect another account.");
}

function connected(problem: string): NodalError {
  return validationError([{ field: "key_id", code: "not_allowed", problem }]);
}

/** Whether `other` is connected, to the same account at the provider. */
export function isSameAccount(
  account: OwnCredentials & Pick<CheckedProvider, "provider" | "baseUrl" | "keyId">,
  other: ProviderAccount,
): boolean {
  return (
    other.disconnectedAt === null &&
    other.provider === account.provider &&
    placeOf(other.baseUrl) === placeOf(account.baseUrl) &&
    other.keyId === account.keyId &&
    ALL_CREDENTIALS.every(
      ({ property, isIdentity }) =>
        isIdentity === undefined || property === "webhookSecret" || other[property] === account[property],
    )
  );
}

const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/** An address in a comparable form: host and port, without case, final dot and default port. */
function placeOf(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/\.$/, "");
  const isHere = LOOPBACK.test(host) || host.endsWith(".localhost");
  return `${isHere ? "localhost" : host}:${port || (protocol === "http:" ? "80" : "443")}`;
}

/** An account for the audit log, without secrets. */
export function shownOf({ provider, baseUrl, keyId, priorities }: ProviderAccount) {
  return { provider, baseUrl, keyId, modes: formatPriorities(priorities) };
}

/**
 * Tests an account's credentials, and returns its balance in paise if the provider reports it.
 * @throws NodalError `validation_failed`, `provider_check_failed`
 */
export async function callProvider(connector: Connector): Promise<bigint | null> {
  try {
    return (await connector.check(AbortSignal.timeout(CHECK_TIMEOUT_MS))).balancePaise;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof NotSentError && error.code === "unauthorized") {
      throw validationError([{ field: "secret", code: "invalid", problem: `${message}. Check key_id and secret.` }]);
    }
    if (error instanceof NotSentError && error.code === "address") throw addressRefused(message, error);
    throw new NodalError("provider_check_failed", `The provider could not be reached: ${message} Try again later.`, {
      cause: error,
    });
  }
}

function addressRefused(message: string, cause: Error): NodalError {
  const remedy =
    "Allow-list this server's outgoing IPv4 address at the provider, or add the public key that signs calls (signing_key).";
  return new NodalError("provider_check_failed", `${message}. ${remedy}`, { cause });
}

/** Writes the places of accounts that moved down for another, each with its entry. */
export async function moveBack(
  connection: Connection,
  owner: Owner,
  moved: readonly ProviderAccount[],
  before: readonly ProviderAccount[],
): Promise<void> {
  for (const account of moved) {
    const { bucket, merchantId, accountId, priorities } = account;
    await updateProviderAccount(connection, { bucket, merchantId, accountId, priorities });
    const earlier = before.find((each) => each.accountId === accountId)!;
    const change = auditChange(shownOf(earlier), shownOf(account));
    await recordOfOwner(connection, owner, { type: "provider.changed", subjectId: accountId, ...change });
  }
}

/**
 * The requested places among the other accounts; without `modes`, after them.
 * @throws NodalError `validation_failed`
 */
export function placesOf(modes: string | null, others: readonly ProviderAccount[]): ProviderAccount["priorities"] {
  if (modes === null) return behind(others);
  const errors: FieldError[] = [];
  const priorities = readPriorities(modes, others, errors);
  if (errors.length > 0) throw validationError(errors);
  return priorities;
}

export function accountNotFound(): NodalError {
  return new NodalError("not_found", "This provider account does not exist: check the list of accounts.");
}
