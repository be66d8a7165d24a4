// Accounts at providers that are changed with SQL for a few seconds and then restored: nothing is sent over them meanwhile.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeLiveMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { codeOf } from "../../../test/support/policy-stage.ts";
import { findMerchantByKey, type Merchant } from "../../merchants/index.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { findOwner, writeRails } from "./account-owner.ts";
import { NO_CREDENTIALS } from "./credentials.ts";
import { connectorOf, railName, type ProviderAccount } from "./provider-account.ts";
import {
  findProviderAccount,
  insertProviderAccount,
  isStillConnected,
  updateProviderAccount,
} from "./provider-account-store.ts";

let db: LedgerDatabase;
let merchant: Merchant;
let account: ProviderAccount;

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant] = (await makeLiveMerchants(db, 1)) as [Merchant];
  account = {
    bucket: merchant.bucket,
    merchantId: merchant.merchantId,
    accountId: await db.ids.next(),
    provider: "cashfree",
    baseUrl: "https://payouts.example",
    keyId: "key",
    secret: "a secret",
    webhookSecret: "another",
    ...NO_CREDENTIALS,
    returnsFees: true,
    callsPerSecond: null,
    tag: "abc123",
    priorities: { IMPS: 1, UPI: 2 },
    version: 1,
    olderWebhookSecret: null,
    credentialsChangedAt: null,
    failingSince: null,
    failingReason: null,
    connectedAt: Temporal.Instant.from("2026-05-01T00:00:00Z"),
    disconnectedAt: null,
  };
  await inTransaction(db.server, (connection) => insertProviderAccount(connection, account));
});
afterAll(() => db.close());

const set = (change: string): Promise<unknown> =>
  db.owner.query(`update provider_account set ${change} where account_id = $1`, [account.accountId]);
const find = async (): Promise<ProviderAccount> => (await findProviderAccount(db.server, account))!;

describe.each([
  ["returns_fees = false", "returns_fees = true"],
  ["fund_source = 'another'", "fund_source = null"],
  [`priorities = '{"IMPS": 1, "UPI": 2, "RTGS": 1}'`, `priorities = '{"UPI": 2, "IMPS": 1}'`],
])("with %s", (change, back) => {
  test("nothing is sent, also over an account that is connected", async () => {
    expect(await isStillConnected(db.server, account)).toBe(true);
    await set(change);
    expect(await isStillConnected(db.server, account)).toBe(false);
    const changed = await find();
    expect(() => connectorOf(changed, 1000)).toThrow(expect.objectContaining({ code: "access_denied" }));
    await set(back);
    expect(await isStillConnected(db.server, account)).toBe(true);
    expect(connectorOf(await find(), 1000)).toBeDefined();
  });
});

test("one that is disconnected is not connected again for a moment, and carries nothing", async () => {
  const write = () =>
    inTransaction(db.server, async (connection) => writeRails(connection, await findOwner(connection, merchant, true)));
  const rails = async () => (await findMerchantByKey(db.server, merchant))!.payoutRails;
  await write();
  expect(await rails()).toEqual({ IMPS: railName(account), UPI: railName(account) });
  const { bucket, merchantId, accountId } = account;
  const disconnectedAt = Temporal.Now.instant();
  await inTransaction(db.server, (connection) =>
    updateProviderAccount(connection, { bucket, merchantId, accountId, disconnectedAt }),
  );
  await write();
  expect(await rails()).toEqual({});
  await set("disconnected_at = null");
  expect(await isStillConnected(db.server, account)).toBe(false);
  expect(await codeOf(write())).toBe("done");
  expect(await rails()).toEqual({});
  await set("disconnected_at = now()");
  expect((await find()).isChanged).toBeUndefined();
});
