// A provider account can be connected only once in an installation, across all owners.
import { afterAll, beforeAll, expect, test } from "vitest";
import { cashfree } from "../../../stand-ins/cashfree.ts";
import { startStandIn, type StandIn } from "../../../stand-ins/stand-in.ts";
import type { Merchant } from "../../merchants/index.ts";
import { makeLiveMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { connectStandIn, CREDENTIALS } from "../../../test/support/stand-ins.ts";
import { connectProvider, disconnectProvider } from "./connect-provider.ts";
import { findDoubledAccounts } from "./find-doubled.ts";
import type { ProviderAccount } from "./provider-account.ts";
import { changeCredentials, setAccountOptions } from "./set-provider.ts";

let db: LedgerDatabase;
let merchants: Merchant[];

beforeAll(async () => {
  db = await openLedgerDatabase();
  merchants = await makeLiveMerchants(db, 3);
});

afterAll(() => db.close());

const openStandIn = (credentials = { ...CREDENTIALS }): Promise<StandIn> =>
  startStandIn(cashfree, {
    port: 0,
    file: ":memory:",
    credentials,
    noticeUrl: null,
    settleMs: 1_000_000_000,
    callsPerSecond: null,
    random: Math.random,
  });

const connect = (standIn: StandIn, merchant: Merchant | null): Promise<{ readonly account: ProviderAccount }> =>
  connectStandIn({ pool: db.server, ids: db.ids }, standIn, merchant, { keyId: CREDENTIALS.id });

/** The refusal of a connection, or its success. */
const said = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "connected",
    (error: { errors?: readonly { field: string; problem: string }[] }) =>
      error.errors?.map(({ field, problem }) => `${field} ${problem}`).join() ?? error,
  );
const REFUSAL = "key_id is already connected to this installation: connect another account.";

test.each([
  ["a merchant", "another merchant", 0, 1],
  ["a merchant", "the installation", 0, null],
  ["the installation", "a merchant", null, 0],
] as const)("an account of %s can't be connected for %s", async (_one, _other, first, second) => {
  const standIn = await openStandIn();
  const owner = first === null ? null : merchants[first]!;
  const other = second === null ? null : merchants[second]!;
  const { account } = await connect(standIn, owner);
  expect(await said(connect(standIn, other))).toBe(REFUSAL);
  // A disconnected account can be connected again.
  await disconnectProvider({ pool: db.server, merchant: owner }, account.accountId);
  await expect(connect(standIn, other)).resolves.toMatchObject({ account: { keyId: CREDENTIALS.id } });
  await standIn.stop();
});

test("wrong credentials are refused first, so that nobody learns what others have connected", async () => {
  const standIn = await openStandIn();
  await connect(standIn, merchants[0]!);
  const guessed = { provider: "cashfree", keyId: CREDENTIALS.id, secret: "guessed", webhookSecret: null };
  const given = { ...guessed, baseUrl: standIn.url, sourceAccount: null, modes: null };
  await expect(connectProvider({ pool: db.server, ids: db.ids, merchant: merchants[1]! }, given)).rejects.toMatchObject(
    { errors: [{ field: "secret" }] },
  );
  await standIn.stop();
});

test("of several owners who connect an account at the same moment, one does", async () => {
  const standIn = await openStandIn();
  const outcomes = await Promise.all([...merchants, null].map((owner) => said(connect(standIn, owner))));
  expect(outcomes.filter((outcome) => outcome === "connected")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === REFUSAL)).toHaveLength(3);
  await standIn.stop();
});

test("an account that two owners have after a change by SQL is reported, however its address is spelt", async () => {
  const standIn = await openStandIn();
  const { account: first } = await connect(standIn, merchants[0]!);
  const other = await connectStandIn({ pool: db.server, ids: db.ids }, standIn, merchants[1]!, {
    keyId: CREDENTIALS.id,
    fundSource: "CASHFREE_2",
  });
  const ids = [first.accountId, other.account.accountId];
  const found = async (of: Merchant | null) =>
    (await findDoubledAccounts(db.owner, of)).flatMap(({ subjectId }) => (ids.includes(subjectId!) ? [subjectId] : []));
  expect(await found(null)).toEqual([]);
  await db.owner.query("update provider_account set fund_source = null where account_id = $1", [ids[1]]);
  expect(await found(null)).toEqual([ids[1]]);
  expect(await found(merchants[0]!)).toEqual([ids[0]]);
  expect(await found(merchants[1]!)).toEqual([ids[1]]);
  expect(await found(merchants[2]!)).toEqual([]);
  await disconnectProvider({ pool: db.server, merchant: merchants[0]! }, first.accountId);
  expect(await found(null)).toEqual([]);
  await standIn.stop();
});

test("new credentials or another fund source don't make an account that of another owner", async () => {
  const known = { ...CREDENTIALS };
  const standIn = await openStandIn(known);
  const [mine, other] = merchants as [Merchant, Merchant];
  await connect(standIn, mine);
  const source = "CASHFREE_2";
  const { account } = await connectStandIn({ pool: db.server, ids: db.ids }, standIn, other, {
    keyId: CREDENTIALS.id,
    fundSource: source,
  });
  const context = { pool: db.server, merchant: other };
  expect(await said(setAccountOptions(context, { accountId: account.accountId, fundSource: null }))).toBe(REFUSAL);
  await disconnectProvider(context, account.accountId);

  known.id = "another-key";
  const credentials = { ...CREDENTIALS, id: "another-key" };
  const { account: second } = await connectStandIn({ pool: db.server, ids: db.ids }, standIn, other, {
    keyId: credentials.id,
    credentials,
  });
  known.id = CREDENTIALS.id;
  const { id: keyId, secret } = CREDENTIALS;
  const changes = { accountId: second.accountId, keyId, secret, webhookSecret: null };
  expect(await said(changeCredentials(context, changes))).toBe(REFUSAL);
  await standIn.stop();
});
