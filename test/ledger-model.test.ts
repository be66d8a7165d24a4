// The ledger against a simple model over random histories, and random histories on several connections at once. The
// model, the operations, how they are done and compared are in support/ledger-*.ts.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Merchant } from "../src/merchants/index.ts";
import { findTransfer } from "../src/payouts/transfer-store.ts";
import { verify, verifySnapshot } from "../src/payouts/verify/verify.ts";
import { Comparison, readAccounts } from "./support/ledger-comparison.ts";
import {
  accept,
  makeLiveMerchants,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  type LedgerDatabase,
} from "./support/ledger.ts";
import { LedgerHistory } from "./support/ledger-history.ts";
import { histories, MERCHANTS, type Operation } from "./support/ledger-operations.ts";

const RUNS = { numRuns: 25 };
const PARALLEL_RUNS = { numRuns: 3 };
const OPERATIONS = 80;
const CONNECTIONS = 6;

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

test("does what the model does, over random histories", async () => {
  // Histories that are too tame to prove anything are to be noticed.
  const seenOutcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(histories(OPERATIONS), async (operations) => {
      const comparison = new Comparison(db, await makeLiveMerchants(db, MERCHANTS), seenOutcomes);
      for (const operation of operations) await comparison.perform(operation);
      await comparison.conclude();
    }),
    RUNS,
  );
  expect([...seenOutcomes].sort()).toEqual([
    "created",
    "existing",
    "idempotency_conflict",
    "insufficient_balance",
    "replayed",
  ]);
  const { rows } = await db.owner.query<{ kind: string }>(
    "select distinct kind from journal where kind is not null order by kind",
  );
  expect(rows.map(({ kind }) => kind)).toEqual([
    "failed",
    "funds_in",
    "late_success",
    "late_success_unfunded",
    "owed_settled",
    "reserve",
    "reversed",
    "success",
  ]);
});

describe("many at once", () => {
  /** Does a history without comparing: what comes of each step depends on the others. */
  async function rush(history: LedgerHistory, operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      if (operation.type === "fund") await history.fund(operation);
      else if (operation.type === "accept")
        await history.accept(await history.batchOf(operation.payoutRequests.map(withoutKey)));
      else if (operation.type === "claim") await history.claim(history.pick(operation.picks));
      else if (operation.type === "report") await history.report(history.pickReports(operation.reports));
    }
  }

  /** The intake keeps twins by idempotency key apart, in one process; here nobody would. */
  function withoutKey<T>(payoutRequest: T): T & { idempotencyKey: null } {
    return { ...payoutRequest, idempotencyKey: null };
  }

  test("random histories over the same merchants keep every invariant", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(histories(40), { minLength: CONNECTIONS, maxLength: CONNECTIONS }),
        async (parallel) => {
          const merchants = await makeLiveMerchants(db, MERCHANTS, 1_000_000n);
          const history = new LedgerHistory(db, merchants);
          await Promise.all(parallel.map((operations) => rush(history, operations)));
          for (const merchant of merchants) {
            expect((await verify(db.owner, merchant)).violations).toEqual([]);
          }
          for (const transfer of history.created.slice(0, 20)) {
            expect(await findTransfer(db.server, transfer)).toMatchObject({ amountPaise: transfer.amountPaise });
          }
        },
      ),
      PARALLEL_RUNS,
    );
  });

  test("exactly what the balance holds is accepted", async () => {
    const [merchant] = (await makeMerchants(db, 1, 100_000n)) as [Merchant];
    const history = new LedgerHistory(db, [merchant]);
    const requests = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => newTransfer(merchant, await db.ids.next(), 10_000n, `r${index}`)),
    );
    const outcomes = await Promise.all(
      requests.map((request) => history.accept({ transfers: [request], claims: [false] })),
    );
    const count = (wanted: string) => outcomes.flat().filter(({ outcome }) => outcome === wanted).length;
    expect([count("created"), count("insufficient_balance")]).toEqual([10, 90]);
    expect((await readAccounts(db, [merchant]))[0]).toMatchObject({ available: 0n, held: 100_000n });
  });

  test("one reference makes one transfer", async () => {
    const [merchant] = (await makeMerchants(db, 1, 100_000n)) as [Merchant];
    const history = new LedgerHistory(db, [merchant]);
    const requests = await Promise.all(
      Array.from({ length: 100 }, async () => newTransfer(merchant, await db.ids.next(), 10_000n, "same")),
    );
    const outcomes = await Promise.all(
      requests.map((request) => history.accept({ transfers: [request], claims: [false] })),
    );
    expect(new Set(outcomes.flat().map(({ transferId }) => transferId)).size).toBe(1);
    expect((await readAccounts(db, [merchant]))[0]).toMatchObject({ available: 90_000n, held: 10_000n });
  });
});

describe("the database refuses", () => {
  const POSTING = `insert into journal (
      bucket, merchant_id, entry_no, type, subject_id, created_at, actor, kind, debit_kind, debit_owner_id, credit_kind,
      credit_owner_id, amount_paise)
    select bucket, merchant_id, last_entry_no + 1, 'balance.funded', $4, now(), 'bank', $2, 'nodal_bank', 0,
      'available', 0, $3
    from ledger_book where merchant_id = $1`;
  let merchant: Merchant;
  let fundingId: bigint;

  beforeAll(async () => {
    [merchant] = (await makeMerchants(db, 1, 100_000n)) as [Merchant];
    const { rows } = await db.owner.query<{ funding_id: bigint }>(
      "select funding_id from funding where merchant_id = $1",
      [merchant.merchantId],
    );
    fundingId = rows[0]!.funding_id;
  });

  test.each([
    ["to change a posting", "update journal set amount_paise = 1 where merchant_id = $1"],
    ["to delete a posting", "delete from journal where merchant_id = $1"],
    ["to delete a transfer", "delete from transfer where merchant_id = $1"],
    ["to change a funding", "update funding set amount_paise = 1 where merchant_id = $1"],
    ["to read the bank's book", "select from simulator.payment where merchant_id = $1"],
  ])("the server's role %s", async (_, statement) => {
    await expect(db.server.query(statement, [merchant.merchantId])).rejects.toMatchObject({ code: "42501" });
  });

  test("the server's role to empty the ledger", async () => {
    await expect(db.server.query("truncate journal")).rejects.toMatchObject({ code: "42501" });
  });

  test.each(["available", "held"])("a negative balance of %s, to its owner too", async (kind) => {
    const update = `update ledger_book set ${kind}_paise = -1 where merchant_id = $1`;
    for (const pool of [db.server, db.owner]) {
      await expect(pool.query(update, [merchant.merchantId])).rejects.toMatchObject({
        constraint: "ledger_book_never_negative",
      });
    }
  });

  test("a second posting of a kind for one subject", async () => {
    await expect(db.server.query(POSTING, [merchant.merchantId, "funds_in", 1n, fundingId])).rejects.toMatchObject({
      constraint: "journal_once",
    });
  });

  test.each([0n, -1n])("a posting of %s paise", async (amountPaise) => {
    await expect(db.server.query(POSTING, [merchant.merchantId, "funds_in", amountPaise, 5n])).rejects.toMatchObject({
      constraint: "journal_amount",
    });
  });

  test("a posting of a kind that has no rule", async () => {
    for (const kind of ["gift", "reserve"]) {
      await expect(db.server.query(POSTING, [merchant.merchantId, kind, 1n, 5n])).rejects.toMatchObject({
        constraint: "journal_rule",
      });
    }
  });

  const ACCOUNT = "account_holder = 'Asha Rao', account_number = 'enc1:x', ifsc = 'HDFC0000001'";
  test.each([
    ["a transfer with an account of its own", ACCOUNT, "transfer_own_account"],
    ["a transfer that names no beneficiary", "beneficiary_id = null", "transfer_of_its_kind"],
    ["a withdrawal without an account", "kind = 'withdrawal', beneficiary_id = null", "transfer_own_account"],
    ["a withdrawal to a beneficiary", `kind = 'withdrawal', ${ACCOUNT}`, "transfer_of_its_kind"],
  ])("%s", async (_, change, constraint) => {
    const [payer] = await makeMerchants(db, 1, 100n);
    const [transfer] = await accept(db.server, [newTransfer(payer!, await db.ids.next(), 1n, "r")]);
    const changed = db.owner.query(`update transfer set ${change} where transfer_id = $1`, [transfer!.transferId]);
    await expect(changed).rejects.toMatchObject({ constraint });
  });

  test("and after all that the books are as they were", async () => {
    expect(await verifySnapshot(db.owner, merchant)).toMatchObject({ postings: 1, violationCount: 0 });
  });
});
