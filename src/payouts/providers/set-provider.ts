// Use cases of accounts at payout providers: what an account carries, its credentials, and what happens while one is
// down.
import { auditChange } from "../../ledger/index.ts";
import { changePayoutSettings, type Merchant, type PayoutSettings } from "../../merchants/index.ts";
import { NodalError, validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { changingOwner, findOwner, recordOfOwner, writeRails, type OwnerContext } from "./account-owner.ts";
import {
  accountNotFound,
  callProvider,
  moveBack,
  placesOf,
  refuseConnected,
  refuseElsewhere,
  shownOf,
  shownOptionsOf,
} from "./connect-provider.ts";
import { makeRoom } from "./priorities.ts";
import { checkOptions, checkProvider } from "./check-provider.ts";
import { connectorOf, type AccountOptions, type ProviderAccount } from "./provider-account.ts";
import {
  countOpenOver,
  findNewestPaid,
  findProviderAccount,
  listProviderAccounts,
  updateProviderAccount,
} from "./provider-account-store.ts";

const CHECK_TIMEOUT_MS = 10_000;
/** As many keys as Cashfree lets an account have. */
const MAX_OLDER_SECRETS = 10;

/**
 * Changes what an account carries, and in which place: `modes` as `readPriorities` reads them.
 * @throws NodalError `merchant_not_found`, `not_found`, `validation_failed`
 */
export async function setModes(
  context: OwnerContext,
  { accountId, modes }: { readonly accountId: bigint; readonly modes: string },
): Promise<ProviderAccount> {
  return changingOwner(context, async (connection, owner) => {
    const accounts = await listProviderAccounts(connection, owner.key);
    const before = accounts.find((each) => each.accountId === accountId && each.disconnectedAt === null);
    if (!before) throw accountNotFound();
    const others = accounts.filter((each) => each !== before);
    const account = { ...before, priorities: placesOf(modes, others) };
    await moveBack(connection, owner, [account, ...makeRoom(account.priorities, others)], accounts);
    await writeRails(connection, owner);
    return account;
  });
}

/** What an account's contract and its provider's limits say. */
export type AccountTerms = Pick<ProviderAccount, "returnsFees" | "callsPerSecond">;

/**
 * Changes whether reversals give fees back, and how many calls a second may be made. It counts for what is reported, and called,
 * from then on.
 * @throws NodalError `merchant_not_found`, `not_found`
 */
export async function setTerms(
  context: OwnerContext,
  { accountId, ...terms }: Partial<AccountTerms> & { readonly accountId: bigint },
): Promise<ProviderAccount> {
  return changingOwner(context, async (connection, owner) => {
    const before = await findProviderAccount(connection, { ...owner.key, accountId });
    if (!before || before.disconnectedAt !== null) throw accountNotFound();
    // Another version, so that each process reads them.
    const account = { ...before, ...terms, version: before.version + 1 };
    await updateProviderAccount(connection, { ...owner.key, accountId, ...terms, version: account.version });
    const change = auditChange(termsOf(before), termsOf(account));
    await recordOfOwner(connection, owner, { type: "provider.changed", subjectId: accountId, ...change });
    return account;
  });
}

function termsOf({ provider, keyId, returnsFees, callsPerSecond }: ProviderAccount) {
  return { provider, keyId, returnsFees, callsPerSecond };
}

/** New credentials. The secret of webhooks stays where `null` is given, but for Cashfree, whose is the same as the client's. */
export type NewCredentials = {
  readonly accountId: bigint;
  readonly keyId: string;
  readonly secret: string;
  readonly webhookSecret: string | null;
};

/**
 * Gives an account other credentials, in place: what is under way goes on with them. They are tried first, and have to be those
 * of the same account at the provider. Webhooks may be signed with the earlier secret for a day more; at Cashfree, whose oldest
 * active secret signs, until it is taken off the list of further secrets.
 * @throws NodalError `merchant_not_found`, `not_found`, `validation_failed`, `provider_check_failed`
 */
export async function changeCredentials(
  context: OwnerContext,
  { accountId, keyId, secret, webhookSecret }: NewCredentials,
): Promise<{ readonly account: ProviderAccount; readonly balancePaise: bigint | null }> {
  const { pool } = context;
  const { key } = await findOwner(pool, context.merchant);
  const before = await findProviderAccount(pool, { ...key, accountId });
  if (!before || before.disconnectedAt !== null) throw accountNotFound();
  const given = { ...before, keyId, secret, webhookSecret: webhookSecret ?? before.webhookSecret, modes: null };
  const { webhookSecret: newWebhookSecret } = checkProvider(given);
  const changes = {
    keyId,
    secret,
    webhookSecret: newWebhookSecret,
    version: before.version + 1,
    ...(newWebhookSecret === before.webhookSecret ? {} : olderSecretOf(before)),
    credentialsChangedAt: Temporal.Now.instant(),
  };
  const account: ProviderAccount = { ...before, ...changes };
  const connector = connectorOf(account, CHECK_TIMEOUT_MS);
  const balancePaise = await callProvider(connector);
  const paid = await findNewestPaid(pool, before);
  if (paid) {
    const found = await connector.status(paid, AbortSignal.timeout(CHECK_TIMEOUT_MS)).catch((error: unknown) => {
      const { message } = error as Error;
      throw new NodalError("provider_check_failed", `The provider could not be reached: ${message} Try again later.`, {
        cause: error,
      });
    });
    if (!found) throw anotherAccount();
  } else if ((await countOpenOver(pool, before)) > 0n) {
    throw new NodalError(
      "provider_in_use",
      "Nodal can't check yet that these credentials belong to the same account, as its first transfers are in progress: try again once one has ended.",
    );
  }
  return changingOwner(context, async (connection, owner) => {
    const now = await findProviderAccount(connection, { ...key, accountId });
    if (now?.version !== before.version || now.disconnectedAt !== null)
      throw new NodalError("provider_check_failed", "The account was changed in the meantime: check it and try again.");
    const others = await listProviderAccounts(connection, key);
    refuseConnected(
      account,
      others.filter((other) => other.accountId !== accountId),
    );
    await refuseElsewhere(connection, context.accounts, account);
    const { provider, baseUrl, tag } = before;
    await updateProviderAccount(connection, { ...key, accountId, provider, baseUrl, tag, ...changes });
    const change = auditChange(
      { ...shownOf(before), ...shownOptionsOf(before), credentials: before.version },
      { ...shownOf(account), ...shownOptionsOf(account), credentials: account.version },
    );
    await recordOfOwner(connection, owner, { type: "provider.changed", subjectId: accountId, ...change });
    return { account, balancePaise };
  });
}

/** Keeps the secret of before a change: webhooks may still be signed with it. */
function olderSecretOf({ provider, webhookSecret, moreWebhookSecrets }: ProviderAccount): Partial<ProviderAccount> {
  if (provider !== "cashfree") return { olderWebhookSecret: webhookSecret };
  const secrets = [webhookSecret, ...(moreWebhookSecrets?.split("\n") ?? [])];
  return { moreWebhookSecrets: [...new Set(secrets)].slice(0, MAX_OLDER_SECRETS).join("\n") };
}

/**
 * Changes what only Cashfree has: fund source, keys of Secure ID, the key that signs calls, further secrets of webhooks. What
 * is left out stays; `null` removes. The provider is called with a new fund source or signing key first.
 * @throws NodalError `merchant_not_found`, `not_found`, `validation_failed`, `provider_check_failed`
 */
export async function setAccountOptions(
  context: OwnerContext,
  { accountId, ...changes }: { readonly accountId: bigint } & Partial<AccountOptions>,
): Promise<ProviderAccount> {
  const { key } = await findOwner(context.pool, context.merchant);
  const before = await findProviderAccount(context.pool, { ...key, accountId });
  if (!before || before.disconnectedAt !== null) throw accountNotFound();
  const account: ProviderAccount = { ...before, ...changes, version: before.version + 1 };
  const errors: FieldError[] = [];
  checkOptions(account.provider, account, errors);
  const isOldSecret = changes.verifySecret === undefined && account.verifySecret !== null;
  if (account.verifyKeyId !== before.verifyKeyId && isOldSecret)
    fail(errors, "verify_secret", "required", "is required: the secret of these Secure ID keys.");
  if (errors.length > 0) throw validationError(errors);
  if (account.signingKey !== before.signingKey || account.fundSource !== before.fundSource)
    await callProvider(connectorOf(account, CHECK_TIMEOUT_MS));
  return changingOwner(context, async (connection, owner) => {
    const now = await findProviderAccount(connection, { ...key, accountId });
    if (now?.version !== before.version || now.disconnectedAt !== null)
      throw new NodalError("provider_check_failed", "The account was changed in the meantime: check it and try again.");
    if (account.fundSource !== before.fundSource) {
      const others = await listProviderAccounts(connection, key);
      refuseConnected(
        account,
        others.filter((other) => other.accountId !== accountId),
      );
      await refuseElsewhere(connection, context.accounts, account);
    }
    const { version, provider, baseUrl, verifyKeyId, verifySecret } = account;
    const verification = changes.verifySecret === undefined ? {} : { provider, baseUrl, verifyKeyId, verifySecret };
    await updateProviderAccount(connection, { ...key, accountId, ...changes, ...verification, version });
    const change = auditChange(shownOptionsOf(before), shownOptionsOf(account));
    await recordOfOwner(connection, owner, { type: "provider.changed", subjectId: accountId, ...change });
    return account;
  });
}

/**
 * Says what becomes of a merchant's payouts while a provider is down or its balance is short.
 * @throws NodalError `merchant_not_found`
 */
export async function setWhenDown(
  context: OwnerContext & { readonly merchant: object },
  changes: Partial<Pick<PayoutSettings, "whenDown" | "giveUpMinutes">>,
): Promise<Merchant> {
  return changingOwner(context, async (connection, owner) => {
    await changePayoutSettings(connection, owner.merchant!, changes);
    return { ...owner.merchant!, ...changes };
  });
}

/** What another account has never heard of would be sent again over it. */
function anotherAccount(): NodalError {
  const problem =
    "These credentials belong to another account at the provider, which does not know this account's payments. Connect it as a separate account.";
  return validationError([{ field: "key_id", code: "invalid", problem }]);
}
