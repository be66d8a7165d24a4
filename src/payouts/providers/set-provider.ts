// Use cases of accounts at payout providers: change an account's modes, terms and credentials, and the settings for when one is
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
} from "./connect-provider.ts";
import { makeRoom } from "./priorities.ts";
import { checkCredentials, checkProvider } from "./check-provider.ts";
import { credentialsOf } from "./connectors.ts";
import {
  auditCredentials,
  type CredentialProperty,
  type DeclaredCredentials,
  type OwnCredentials,
} from "./credentials.ts";
import { connectorOf, type ProviderAccount } from "./provider-account.ts";
import {
  countOpenOver,
  findNewestPaid,
  findProviderAccount,
  listProviderAccounts,
  updateProviderAccount,
} from "./provider-account-store.ts";

const CHECK_TIMEOUT_MS = 10_000;
/** The most secrets that a provider signs with at once. */
const MAX_OLDER_SECRETS = 10;

/**
 * Changes an account's modes and places: `modes` has the format of `readPriorities`.
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

/** The terms of an account's contract and the provider's limits. */
export type AccountTerms = Pick<ProviderAccount, "returnsFees" | "callsPerSecond">;

/**
 * Changes whether reversals return fees, and how many calls a second are allowed. Applies to later reports and calls.
 * @throws NodalError `merchant_not_found`, `not_found`
 */
export async function setTerms(
  context: OwnerContext,
  { accountId, ...terms }: Partial<AccountTerms> & { readonly accountId: bigint },
): Promise<ProviderAccount> {
  return changingOwner(context, async (connection, owner) => {
    const before = await findProviderAccount(connection, { ...owner.key, accountId });
    if (!before || before.disconnectedAt !== null) throw accountNotFound();
    // A new version, so that each process reads them.
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

/** New keys, and the credentials that the provider changes with them; `null` or left out keeps those. */
export type NewCredentials = Partial<DeclaredCredentials> & {
  readonly accountId: bigint;
  readonly keyId: string;
  readonly secret: string;
};

/**
 * Replaces an account's credentials; payments in progress continue with the new ones. They are tested first, and have to belong to the
 * same account at the provider. Webhooks may be signed with the earlier secret for another day, or, if the provider signs with its oldest
 * active secret, until that is removed from the further ones.
 * @throws NodalError `merchant_not_found`, `not_found`, `validation_failed`, `provider_check_failed`
 */
export async function changeCredentials(
  context: OwnerContext,
  { accountId, keyId, secret, ...others }: NewCredentials,
): Promise<{ readonly account: ProviderAccount; readonly balancePaise: bigint | null }> {
  const { pool } = context;
  const { key } = await findOwner(pool, context.merchant);
  const before = await findProviderAccount(pool, { ...key, accountId });
  if (!before || before.disconnectedAt !== null) throw accountNotFound();
  const declared = credentialsOf(before.provider);
  const kept = Object.fromEntries(declared.map(({ property }) => [property, before[property]]));
  const renewed = declared.flatMap(({ property, changes }) =>
    changes === "with_keys" && others[property] ? [[property, others[property]] as const] : [],
  );
  const { provider, baseUrl } = before;
  const checked = checkProvider({
    provider,
    baseUrl,
    keyId,
    secret,
    modes: null,
    ...kept,
    ...Object.fromEntries(renewed),
  });
  const changes = {
    ...Object.fromEntries(renewed),
    keyId,
    secret,
    webhookSecret: checked.webhookSecret,
    version: before.version + 1,
    ...(checked.webhookSecret === before.webhookSecret ? {} : olderSecretOf(before)),
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
    await updateProviderAccount(connection, { ...key, accountId, provider, baseUrl, tag: before.tag, ...changes });
    const change = auditChange(
      { ...shownOf(before), ...auditCredentials(declared, before), credentials: before.version },
      { ...shownOf(account), ...auditCredentials(declared, account), credentials: account.version },
    );
    await recordOfOwner(connection, owner, { type: "provider.changed", subjectId: accountId, ...change });
    return { account, balancePaise };
  });
}

/** The secret before a change, which webhooks may still be signed with. */
function olderSecretOf({ provider, webhookSecret, moreWebhookSecrets }: ProviderAccount): Partial<ProviderAccount> {
  if (!credentialsOf(provider).some(({ property }) => property === "moreWebhookSecrets"))
    return { olderWebhookSecret: webhookSecret };
  const secrets = [webhookSecret, ...(moreWebhookSecrets?.split("\n") ?? [])];
  return { moreWebhookSecrets: [...new Set(secrets)].slice(0, MAX_OLDER_SECRETS).join("\n") };
}

/**
 * Changes credentials that can change separately. Left out, they stay; `null` removes them. The provider is called first with those that
 * it can test.
 * @throws NodalError `merchant_not_found`, `not_found`, `validation_failed`, `provider_check_failed`
 */
export async function setAccountOptions(
  context: OwnerContext,
  { accountId, ...changes }: { readonly accountId: bigint } & Partial<OwnCredentials>,
): Promise<ProviderAccount> {
  const { key } = await findOwner(context.pool, context.merchant);
  const before = await findProviderAccount(context.pool, { ...key, accountId });
  if (!before || before.disconnectedAt !== null) throw accountNotFound();
  const declared = credentialsOf(before.provider);
  const account: ProviderAccount = { ...before, ...changes, version: before.version + 1 };
  checkChanges(before, account, changes);
  const isNew = (property: CredentialProperty): boolean => account[property] !== before[property];
  if (declared.some(({ property, isTried }) => isTried && isNew(property)))
    await callProvider(connectorOf(account, CHECK_TIMEOUT_MS));
  return changingOwner(context, async (connection, owner) => {
    const now = await findProviderAccount(connection, { ...key, accountId });
    if (now?.version !== before.version || now.disconnectedAt !== null)
      throw new NodalError("provider_check_failed", "The account was changed in the meantime: check it and try again.");
    if (declared.some(({ property, isIdentity }) => isIdentity && isNew(property))) {
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
    const change = auditChange(auditCredentials(declared, before), auditCredentials(declared, account));
    await recordOfOwner(connection, owner, { type: "provider.changed", subjectId: accountId, ...change });
    return account;
  });
}

/** @throws NodalError `validation_failed` for credentials that are invalid or can't change separately */
function checkChanges(before: ProviderAccount, account: ProviderAccount, changes: Partial<OwnCredentials>): void {
  const errors: FieldError[] = [];
  const declared = credentialsOf(before.provider);
  const isDeclared = declared.some(({ property }) => property === "webhookSecret");
  checkCredentials(before.provider, { ...account, webhookSecret: isDeclared ? account.webhookSecret : null }, errors);
  for (const { property, name, label, changes: how, secretOf } of declared) {
    const isGiven = property !== "webhookSecret" && changes[property] !== undefined;
    if (isGiven && how !== "alone") fail(errors, name, "not_allowed", `can't be changed: ${label} is of the account.`);
    if (secretOf === undefined || isGiven || account[property] === null) continue;
    const owner = declared.find((each) => each.property === secretOf)!;
    if (account[secretOf] !== before[secretOf])
      fail(errors, name, "required", `is required: the secret of the new ${owner.label}.`);
  }
  if (errors.length > 0) throw validationError(errors);
}

/**
 * Changes a merchant's settings for payouts while a provider is down or its balance is short.
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

/** Another account would not know earlier payments, which would be sent again over it. */
function anotherAccount(): NodalError {
  const problem =
    "These credentials belong to another account at the provider, which does not know this account's payments. Connect it as a separate account.";
  return validationError([{ field: "key_id", code: "invalid", problem }]);
}
