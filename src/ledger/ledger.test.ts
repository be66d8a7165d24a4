// The ledger by itself: incoming money, postings, locks and reads, for one of several merchants. Random
// histories are in test/ledger-model.test.ts, broken books in payouts/verify/verify.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fund, makeSilentMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import type { Merchant } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import {
  findFundings,
  findPostings,
  insertFundings,
  lockBook,
  openCommissionAccounts,
  readBalances,
  readCommissionBalances,
} from "./index.ts";
import { recordEvents, type NewEvent } from "./journal-store.ts";
import type { Money } from "./posting-rules.ts";

const NOW = Temporal.Instant.from("2026-04-01T06:30:00Z");
const FRANCHISE = 7n;

let db: LedgerDatabase;
let merchant: Merchant;
let other: Merchant;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  [merchant, other] = (await makeSilentMerchants(db, 2)) as [Merchant, Merchant];
});

type Posting = { readonly kind: string; readonly subjectId: bigint; readonly amountPaise: bigint } & {
  readonly type?: string;
  readonly ownerId?: bigint;
};

/** The entry of a posting, of whatever kind. */
function entryOf({ type = "test.posted", subjectId, kind, amountPaise, ownerId }: Posting): NewEvent {
  return { type, subjectId, money: { kind, amountPaise, ...(ownerId === undefined ? {} : { ownerId }) } as Money };
}

/** Posts for a merchant, as use cases do: with its book held. */
function post({ bucket, merchantId }: Merchant, ...postings: Posting[]): Promise<void> {
  return inTransaction(db.server, async (connection) => {
    await lockBook(connection, bucket, merchantId);
    await recordEvents(connection, { bucket, merchantId }, postings.map(entryOf), NOW);
  });
}

function openFranchise({ bucket, merchantId }: Merchant, franchiseId = FRANCHISE): Promise<void> {
  return inTransaction(db.server, (connection) => openCommissionAccounts(connection, bucket, merchantId, franchiseId));
}

/** All rows of a merchant in the ledger, in order. */
async function books({ bucket, merchantId }: Merchant) {
  const key = [bucket, merchantId];
  const { rows: balances } = await db.owner.query<{ kind: string; owner_id: bigint; balance: bigint }>(
    "select kind, owner_id, balance from ledger_balances where bucket = $1 and merchant_id = $2 and balance <> 0",
    key,
  );
  const { rows: postings } = await db.owner.query<Record<string, unknown>>(
    `select entry_no, kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise, subject_id
     from journal where bucket = $1 and merchant_id = $2 and kind is not null order by entry_no`,
    key,
  );
  const { rows: events } = await db.owner.query<Record<string, unknown>>(
    "select entry_no, type, subject_id from journal where bucket = $1 and merchant_id = $2 order by entry_no",
    key,
  );
  const named = balances.map(({ kind, owner_id, balance }) => [
    `${kind}${owner_id === 0n ? "" : `/${owner_id}`}`,
    balance,
  ]);
  return {
    balances: Object.fromEntries(named) as Record<string, bigint>,
    postings: postings.map((row) => Object.values(row)),
    events: events.map((row) => Object.values(row)),
  };
}

describe("money that comes in", () => {
  test("is available, posted once, and told", async () => {
    const { fundingId, repeated } = await fund(db, merchant, 59_000n, "order-1");
    expect(repeated).toBe(false);
    expect(await books(merchant)).toEqual({
      balances: { available: 59_000n, nodal_bank: -59_000n },
      postings: [[1n, "funds_in", "nodal_bank", 0n, "available", 0n, 59_000n, fundingId]],
      events: [[1n, "balance.funded", fundingId]],
    });
    expect(await books(other)).toEqual({ balances: {}, postings: [], events: [] });
  });

  test("is credited once for a reference: the same again answers with the first credit", async () => {
    const first = await fund(db, merchant, 59_000n, "order-1");
    expect(await fund(db, merchant, 59_000n, "order-1")).toEqual({ fundingId: first.fundingId, repeated: true });
    expect((await books(merchant)).balances["available"]).toBe(59_000n);
  });

  test("is refused where the reference stands for another amount", async () => {
    await fund(db, merchant, 59_000n, "order-1");
    const before = await books(merchant);
    await expect(fund(db, merchant, 59_001n, "order-1")).rejects.toMatchObject({
      code: "reference_conflict",
      message: expect.stringContaining("use a new reference"),
    });
    expect(await books(merchant)).toEqual(before);
  });

  test("is another merchant's under the same reference", async () => {
    await fund(db, merchant, 59_000n, "order-1");
    expect(await fund(db, other, 100n, "order-1")).toMatchObject({ repeated: false });
    expect((await books(other)).balances["available"]).toBe(100n);
  });

  test("is credited once, also when it is told twenty times at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fund(db, merchant, 59_000n, "order-1")));
    expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(new Set(answers.map(({ fundingId }) => fundingId)).size).toBe(1);
    expect((await books(merchant)).balances["available"]).toBe(59_000n);
  });

  test("is credited to several merchants in one go, to each its own", async () => {
    const [one, two] = [await db.ids.next(), await db.ids.next()];
    const fundings = [
      { ...keyOf(merchant), fundingId: one, amountPaise: 100n, reference: "a" },
      { ...keyOf(other), fundingId: two, amountPaise: 300n, reference: "b" },
    ];
    await inTransaction(db.server, (connection) => insertFundings(connection, NOW, fundings));
    expect((await books(merchant)).postings).toEqual([[1n, "funds_in", "nodal_bank", 0n, "available", 0n, 100n, one]]);
    expect((await books(other)).events).toEqual([[1n, "balance.funded", two]]);
    expect((await books(other)).balances).toEqual({ available: 300n, nodal_bank: -300n });
    const { rows } = await db.owner.query<{ created_at: Temporal.Instant }>(
      `select created_at from funding where funding_id = any ($1) union
       select created_at from journal where subject_id = any ($1)`,
      [[one, two]],
    );
    expect(rows.map((row) => row.created_at.toString())).toEqual([NOW.toString()]);
  });

  test("is found again by its id, and only by its merchant", async () => {
    const { fundingId } = await fund(db, merchant, 59_000n, "order-1");
    const { fundingId: second } = await fund(db, merchant, 100n, "order-2");
    expect(await findFundings(db.server, merchant, [fundingId])).toEqual(
      new Map([[fundingId, { reference: "order-1", amountPaise: 59_000n }]]),
    );
    expect((await findFundings(db.server, merchant, [fundingId, second])).size).toBe(2);
    expect(await findFundings(db.server, other, [fundingId])).toEqual(new Map());
  });
});

describe("postings", () => {
  test("are numbered in their order, and move what each kind says", async () => {
    await fund(db, merchant, 1000n, "opening");
    await post(
      merchant,
      { kind: "reserve", subjectId: 21n, amountPaise: 300n, type: "transfer.accepted" },
      { kind: "reserve", subjectId: 22n, amountPaise: 700n, type: "transfer.accepted" },
    );
    await post(
      merchant,
      { kind: "success", subjectId: 21n, amountPaise: 300n, type: "transfer.succeeded" },
      { kind: "failed", subjectId: 22n, amountPaise: 700n, type: "transfer.failed" },
    );
    await post(merchant, { kind: "reversed", subjectId: 21n, amountPaise: 300n, type: "transfer.reversed" });
    const { balances, postings, events } = await books(merchant);
    expect(balances).toEqual({ available: 1000n, nodal_bank: -1000n });
    expect(postings.slice(1)).toEqual([
      [2n, "reserve", "available", 0n, "held", 0n, 300n, 21n],
      [3n, "reserve", "available", 0n, "held", 0n, 700n, 22n],
      [4n, "success", "held", 0n, "payout_clearing", 0n, 300n, 21n],
      [5n, "failed", "held", 0n, "available", 0n, 700n, 22n],
      [6n, "reversed", "payout_clearing", 0n, "available", 0n, 300n, 21n],
    ]);
    expect(events.slice(1)).toEqual([
      [2n, "transfer.accepted", 21n],
      [3n, "transfer.accepted", 22n],
      [4n, "transfer.succeeded", 21n],
      [5n, "transfer.failed", 22n],
      [6n, "transfer.reversed", 21n],
    ]);
  });

  test("that were paid late debit what is available, or the merchant", async () => {
    await fund(db, merchant, 100n, "opening");
    await post(
      merchant,
      { kind: "late_success", subjectId: 1n, amountPaise: 40n },
      { kind: "late_success_unfunded", subjectId: 2n, amountPaise: 500n },
    );
    const late = await books(merchant);
    expect(late.balances).toEqual({ nodal_bank: -100n, owed_by_merchant: -440n, payout_clearing: 540n });
    expect(late.postings.slice(-2)).toEqual([
      [3n, "late_success_unfunded", "owed_by_merchant", 0n, "payout_clearing", 0n, 500n, 2n],
      [4n, "owed_settled", "available", 0n, "owed_by_merchant", 0n, 60n, 3n],
    ]);
  });

  test("that bring money in pay first what is owed, of each merchant for itself", async () => {
    await post(merchant, { kind: "late_success_unfunded", subjectId: 2n, amountPaise: 500n });
    await fund(db, merchant, 200n, "first");
    await fund(db, other, 200n, "first");
    expect((await books(merchant)).balances).toEqual({
      nodal_bank: -200n,
      owed_by_merchant: -300n,
      payout_clearing: 500n,
    });
    expect((await books(other)).balances).toEqual({ nodal_bank: -200n, available: 200n });
    const fundings = [450n, 50n].map((amountPaise, index) => ({
      ...keyOf(merchant),
      fundingId: BigInt(index + 1),
      amountPaise,
      reference: `later ${index}`,
    }));
    await inTransaction(db.server, (connection) => insertFundings(connection, NOW, fundings));
    const { balances, postings } = await books(merchant);
    expect(balances).toEqual({ nodal_bank: -700n, available: 200n, payout_clearing: 500n });
    expect(postings.slice(-3)).toEqual([
      [4n, "funds_in", "nodal_bank", 0n, "available", 0n, 450n, 1n],
      [5n, "owed_settled", "available", 0n, "owed_by_merchant", 0n, 300n, 4n],
      [6n, "funds_in", "nodal_bank", 0n, "available", 0n, 50n, 2n],
    ]);
  });

  test("never leave something owed beside something available, whoever writes", async () => {
    await fund(db, merchant, 10n, "opening");
    const owe = db.owner.query("update ledger_book set owed_by_merchant_paise = -1 where merchant_id = $1", [
      merchant.merchantId,
    ]);
    await expect(owe).rejects.toMatchObject({ constraint: "ledger_book_owes_first" });
  });

  test("that are held are not available", async () => {
    await fund(db, merchant, 100n, "opening");
    await post(merchant, { kind: "reserve", subjectId: 1n, amountPaise: 40n });
    expect(await readBalances(db.server, merchant.bucket, merchant.merchantId)).toEqual({
      availablePaise: 60n,
      heldPaise: 40n,
    });
  });

  test("of a franchise go through its own accounts, and those of no other", async () => {
    await openFranchise(merchant);
    await openFranchise(merchant, 8n);
    await openFranchise(other);
    const owned = { subjectId: 31n, ownerId: FRANCHISE };
    await post(
      merchant,
      { kind: "commission_accrued", amountPaise: 100n, ...owned },
      { kind: "commission_reversed", amountPaise: 30n, ...owned },
      { kind: "commission_paid", amountPaise: 50n, ...owned },
      { kind: "commission_unpaid", amountPaise: 5n, ...owned },
    );
    expect(await books(merchant)).toMatchObject({
      balances: { commission_expense: -70n, "commission_payable/7": 25n, "commission_settled/7": 45n },
      postings: [
        [1n, "commission_accrued", "commission_expense", 0n, "commission_payable", FRANCHISE, 100n, 31n],
        [2n, "commission_reversed", "commission_payable", FRANCHISE, "commission_expense", 0n, 30n, 31n],
        [3n, "commission_paid", "commission_payable", FRANCHISE, "commission_settled", FRANCHISE, 50n, 31n],
        [4n, "commission_unpaid", "commission_settled", FRANCHISE, "commission_payable", FRANCHISE, 5n, 31n],
      ],
      events: [
        [1n, "test.posted", 31n],
        [2n, "test.posted", 31n],
        [3n, "test.posted", 31n],
        [4n, "test.posted", 31n],
      ],
    });
    const { bucket, merchantId } = merchant;
    const own = { payablePaise: 25n, settledPaise: 45n };
    const none = { payablePaise: 0n, settledPaise: 0n };
    expect(await readCommissionBalances(db.server, bucket, merchantId)).toEqual(
      new Map([
        [FRANCHISE, own],
        [8n, none],
      ]),
    );
    expect(await readCommissionBalances(db.server, bucket, merchantId, [8n])).toEqual(new Map([[8n, none]]));
    expect(await readCommissionBalances(db.server, other.bucket, other.merchantId, [FRANCHISE])).toEqual(
      new Map([[FRANCHISE, none]]),
    );
  });

  test("are found by kind and subject, with whose accounts they moved", async () => {
    await openFranchise(merchant);
    await fund(db, merchant, 100n, "opening");
    await post(
      merchant,
      { kind: "reserve", subjectId: 1n, amountPaise: 40n },
      { kind: "commission_accrued", subjectId: 1n, amountPaise: 9n, ownerId: FRANCHISE },
      { kind: "commission_reversed", subjectId: 1n, amountPaise: 4n, ownerId: FRANCHISE },
    );
    const find = (of: Merchant, kind: string, ...subjects: bigint[]) => findPostings(db.server, of, kind, subjects);
    expect(await find(merchant, "reserve", 1n, 2n)).toEqual(new Map([[1n, { amountPaise: 40n, ownerId: 0n }]]));
    expect(await find(merchant, "commission_accrued", 1n)).toEqual(
      new Map([[1n, { amountPaise: 9n, ownerId: FRANCHISE }]]),
    );
    expect(await find(merchant, "commission_reversed", 1n)).toEqual(
      new Map([[1n, { amountPaise: 4n, ownerId: FRANCHISE }]]),
    );
    expect(await find(merchant, "reserve", 2n)).toEqual(new Map());
    expect(await find(other, "reserve", 1n)).toEqual(new Map());
  });
});

describe("a posting is refused, and nothing of its batch is written,", () => {
  test.each<[string, Posting, object]>([
    ["for more than is available", { kind: "reserve", subjectId: 2n, amountPaise: 91n }, { code: "23514" }],
    ["for more than is held", { kind: "success", subjectId: 2n, amountPaise: 11n }, { code: "23514" }],
    ["of nothing", { kind: "reserve", subjectId: 2n, amountPaise: 0n }, { code: "23514" }],
    ["a second time", { kind: "reserve", subjectId: 1n, amountPaise: 10n }, { constraint: "journal_once" }],
    [
      "of a kind that has no rule",
      { kind: "gift", subjectId: 2n, amountPaise: 1n },
      { message: "a posting of kind gift has no rule" },
    ],
    [
      "for an owner that has no account",
      { kind: "commission_accrued", subjectId: 2n, amountPaise: 1n, ownerId: 99n },
      { message: "a posting has no account" },
    ],
  ])("%s", async (_, posting, error) => {
    await fund(db, merchant, 90n, "opening");
    const before = await books(merchant);
    const first: Posting = { kind: "reserve", subjectId: 1n, amountPaise: 10n };
    // After the first entry of the batch 80 are available and 10 held; the refused entry is the second.
    const batch = posting.subjectId === 1n ? [first, posting] : [first, { ...posting }];
    await expect(post(merchant, ...batch)).rejects.toMatchObject(error);
    expect(await books(merchant)).toEqual(before);
  });

  test("for a merchant that has no book", async () => {
    const { bucket, merchantId } = merchant;
    const entries = [entryOf({ kind: "funds_in", subjectId: 1n, amountPaise: 1n })];
    const posting = inTransaction(db.server, (connection) =>
      recordEvents(connection, { bucket, merchantId: merchantId + 1_000_000n }, entries),
    );
    await expect(posting).rejects.toThrow("a merchant has no book");
  });
});

describe("a merchant's book", () => {
  test("is held by one at a time, beside those of others", async () => {
    await inTransaction(db.server, async (holder) => {
      await lockBook(holder, merchant.bucket, merchant.merchantId);
      const take = ({ bucket, merchantId }: Merchant) =>
        inTransaction(
          db.server,
          (connection) => lockBook(connection, bucket, merchantId),
          "begin; set local lock_timeout = 50",
        );
      await expect(take(merchant)).rejects.toMatchObject({ code: "55P03" });
      await expect(take(other)).resolves.toBeUndefined();
    });
  });

  test("must be there", async () => {
    const { bucket, merchantId } = merchant;
    const lock = (...key: [number, bigint]) => inTransaction(db.server, (connection) => lockBook(connection, ...key));
    await expect(lock(bucket, merchantId + 1_000_000n)).rejects.toMatchObject({ message: "a merchant has no book" });
    await expect(lock(bucket + 1, merchantId)).rejects.toThrow("a merchant has no book");
  });
});

function keyOf({ bucket, merchantId }: Merchant): { bucket: number; merchantId: bigint } {
  return { bucket, merchantId };
}
