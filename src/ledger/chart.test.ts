// The chart of accounts agrees with the database, and each writer moves every account of a posting or refuses it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeSilentMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import type { Merchant } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { BatchBook } from "./batch-store.ts";
import { CHART, HOT_ACCOUNTS } from "./chart.ts";
import {
  findPostings,
  LEDGER_CHECKS,
  openCommissionAccounts,
  recordEvents,
  recordEventsOfMany,
  runChecks,
} from "./index.ts";
import { POSTING_RULES, type Money, type PostingKind } from "./posting-rules.ts";

const FRANCHISE = 7n;

let db: LedgerDatabase;
let merchant: Merchant;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  [merchant] = (await makeSilentMerchants(db, 1)) as [Merchant];
});

/** What the database says of one of its constraints. */
async function constraint(name: string): Promise<string> {
  const { rows } = await db.owner.query<{ text: string }>(
    "select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1",
    [name],
  );
  return rows[0]!.text;
}

/** The texts between quotes, in their order. */
function quoted(text: string): string[] {
  return [...text.matchAll(/'([a-z_]+(?: [a-z_]+)*)'/g)].map(([, words]) => words!);
}

describe("the database has", () => {
  test("a column of the book for each hot account, and no other", async () => {
    const { rows } = await db.owner.query<{ column_name: string }>(
      `select column_name from information_schema.columns
       where table_name = 'ledger_book' and column_name like '%!_paise' escape '!' order by column_name`,
    );
    expect(rows.map((row) => row.column_name)).toEqual(HOT_ACCOUNTS.map((name) => `${name}_paise`).sort());
  });

  test("the rules of postings, word for word", async () => {
    const found = quoted(await constraint("journal_rule"));
    expect(found.toSorted()).toEqual(
      Object.entries(POSTING_RULES)
        .map(([kind, accounts]) => [kind, ...accounts].join(" "))
        .toSorted(),
    );
  });

  test("no check that takes long to read: PostgreSQL reads those of a table for each statement that writes it", async () => {
    const { rows } = await db.owner.query<{ name: string; length: number }>(
      "select conname as name, length(conbin::text) as length from pg_constraint where contype = 'c'",
    );
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter(({ length }) => length > 20_000)).toEqual([]);
  });

  test("the accounts of the operator's book, which a posting with a change number doesn't move", async () => {
    const found = quoted(await constraint("journal_change"));
    expect(found.toSorted()).toEqual(
      CHART.filter(({ book }) => book === "operator")
        .map(({ name }) => name as string)
        .toSorted(),
    );
  });

  test.each(CHART.map(({ name, ...entry }) => [name, entry] as const))(
    "%s with an owner or without, and refuses a negative balance, as the chart says",
    async (name, { owned, mayBeNegative, hot }) => {
      const { bucket, merchantId } = merchant;
      const insert = `insert into ledger_account (bucket, merchant_id, kind, owner_id, balance) values ($1, $2, $3, $4, -1)`;
      const write = (ownerId: bigint) => db.owner.query(insert, [bucket, merchantId, name, ownerId]);
      const update = `update ledger_book set ${name}_paise = -1 where merchant_id = $1`;
      const negative = hot ? db.owner.query(update, [merchantId]) : write(owned ? FRANCHISE : 0n);
      if (mayBeNegative) await expect(negative).resolves.toMatchObject({ rowCount: 1 });
      else await expect(negative).rejects.toMatchObject({ code: "23514" });
      if (!hot)
        await expect(write(owned ? 0n : FRANCHISE)).rejects.toMatchObject({ constraint: "ledger_account_owner" });
    },
  );
});

describe("a batch", () => {
  const opening = { lastEntryNo: 0n, availablePaise: 1000n, owedPaise: 0n, termsVersion: 0n };
  const add = (kind: PostingKind): BatchBook => {
    const book = new BatchBook({ bucket: 1, merchantId: 2n }, 1, opening);
    const money: Money = { kind, amountPaise: 10n, ownerId: FRANCHISE };
    book.add({ type: "test.posted", subjectId: 3n, money, actor: null, address: null });
    return book;
  };
  const UNMOVED = ["nodal_bank", "commission_expense"];

  test.each(Object.entries(POSTING_RULES) as [PostingKind, readonly string[]][])(
    "adds %s only if it moves both accounts",
    (kind, accounts) => {
      const unmoved = accounts.find((account) => UNMOVED.includes(account));
      if (unmoved) expect(() => add(kind)).toThrow(`a batch does not move ${unmoved}`);
      else expect(add(kind).entries[0]).toMatchObject({ subjectId: 3n, money: { kind } });
    },
  );
});

test("a batch refuses a posting with a change number, which it would not write", () => {
  const opening = { lastEntryNo: 0n, availablePaise: 1000n, owedPaise: 0n, termsVersion: 0n };
  const book = new BatchBook({ bucket: 1, merchantId: 2n }, 1, opening);
  const money: Money = { kind: "commission_paid", amountPaise: 10n, ownerId: FRANCHISE, changeNo: 1 };
  const entry = { type: "test.posted", subjectId: 3n, money, actor: null, address: null };
  expect(() => book.add(entry)).toThrow("a batch writes no change number");
  expect(book.entries).toEqual([]);
});

describe("postings of one kind about one subject", () => {
  const SUBJECT = 31n;
  const post = (money: Omit<Money, "amountPaise">): Promise<void> => {
    const event = { type: "test.posted", subjectId: SUBJECT, money: { ...money, amountPaise: 10n } };
    return inTransaction(db.server, (connection) => recordEvents(connection, merchant, [event]));
  };
  const accrued = (changeNo?: number): Promise<void> =>
    post({ kind: "commission_accrued", ownerId: FRANCHISE, ...(changeNo === undefined ? {} : { changeNo }) });
  const posted = async (): Promise<unknown[]> => {
    const { rows } = await db.owner.query<{ kind: string; change_no: number }>(
      "select kind, change_no from journal where merchant_id = $1 order by entry_no",
      [merchant.merchantId],
    );
    return rows.map((row) => `${row.kind} ${row.change_no}`);
  };
  beforeEach(async () => {
    const { bucket, merchantId } = merchant;
    await inTransaction(db.server, (connection) => openCommissionAccounts(connection, bucket, merchantId, FRANCHISE));
  });

  test("are several in the merchant's book, one for each change", async () => {
    await accrued();
    await accrued(1);
    await accrued(2);
    expect(await posted()).toEqual(["commission_accrued 0", "commission_accrued 1", "commission_accrued 2"]);
    const { violations } = await runChecks(db.owner, LEDGER_CHECKS, merchant, 10);
    expect(violations.filter(({ check }) => check !== "posting_type")).toEqual([]);
    expect(await findPostings(db.server, merchant, "commission_accrued", [SUBJECT])).toEqual(
      new Map([[SUBJECT, { amountPaise: 10n, ownerId: FRANCHISE }]]),
    );
  });

  test.each([undefined, 0, 3])(
    "are refused the second time for one change (%s), also of many at once",
    async (change) => {
      const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => accrued(change)));
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      await expect(accrued(change)).rejects.toMatchObject({ constraint: "journal_once" });
      expect(await posted()).toEqual([`commission_accrued ${change ?? 0}`]);
    },
  );

  test.each(["funds_in", "fee_expensed"] as const)("are one in the operator's book: %s", async (kind) => {
    await post({ kind });
    await expect(post({ kind, changeNo: 1 })).rejects.toMatchObject({ constraint: "journal_change" });
    await expect(post({ kind, changeNo: 0 })).rejects.toMatchObject({ constraint: "journal_once" });
    expect(await posted()).toEqual([`${kind} 0`]);
  });

  test("have no change number below 0", async () => {
    await expect(accrued(-1)).rejects.toMatchObject({ constraint: "journal_change" });
  });
});

describe("an account that is a row", () => {
  let subjectId = 100n;
  const accrue = (of: Merchant, amountPaise: bigint, kind: PostingKind = "commission_accrued"): Promise<void> => {
    subjectId += 1n;
    const money: Money = { kind, amountPaise, ownerId: FRANCHISE };
    const event = { type: "test.posted", subjectId, money };
    return inTransaction(db.server, (connection) => recordEvents(connection, of, [event]));
  };
  const rowsOf = async ({ merchantId }: Merchant): Promise<unknown[]> => {
    const { rows } = await db.owner.query<{ kind: string; owner_id: bigint; balance: bigint }>(
      "select kind, owner_id, balance from ledger_account where merchant_id = $1 order by kind",
      [merchantId],
    );
    return rows.map(({ kind, owner_id: ownerId, balance }) => [kind, ownerId, balance]);
  };
  const violations = async (of: Merchant): Promise<string[]> => {
    const { violations: found } = await runChecks(db.owner, LEDGER_CHECKS, of, 10);
    return [...new Set(found.map(({ check }) => check))].filter((check) => check !== "posting_type");
  };
  beforeEach(async () => {
    const { bucket, merchantId } = merchant;
    await inTransaction(db.server, (connection) => openCommissionAccounts(connection, bucket, merchantId, FRANCHISE));
  });

  test("is opened by its first posting, and moved by the next ones, each merchant's own", async () => {
    const [other] = (await makeSilentMerchants(db, 1)) as [Merchant];
    await accrue(merchant, 100n);
    await accrue(merchant, 30n, "commission_reversed");
    expect(await rowsOf(merchant)).toEqual([
      ["commission_expense", 0n, -70n],
      ["commission_payable", FRANCHISE, 70n],
      ["commission_settled", FRANCHISE, 0n],
    ]);
    expect(await rowsOf(other)).toEqual([]);
    expect(await violations(merchant)).toEqual([]);
  });

  test("is opened once by many at once", async () => {
    await Promise.all(Array.from({ length: 12 }, () => accrue(merchant, 5n)));
    expect((await rowsOf(merchant))[0]).toEqual(["commission_expense", 0n, -60n]);
    expect(await violations(merchant)).toEqual([]);
  });

  test("is not opened for an owner that has none, and nothing is posted then", async () => {
    const [other] = (await makeSilentMerchants(db, 1)) as [Merchant];
    await expect(accrue(other, 5n)).rejects.toThrow("a posting has no account");
    expect(await rowsOf(other)).toEqual([]);
    expect(await violations(other)).toEqual([]);
  });

  test("is moved beside those of other merchants and hot accounts in one statement", async () => {
    const [other] = (await makeSilentMerchants(db, 1)) as [Merchant];
    await inTransaction(db.server, (connection) =>
      openCommissionAccounts(connection, other.bucket, other.merchantId, FRANCHISE),
    );
    await accrue(merchant, 1n);
    const post = (of: Merchant, kind: PostingKind, amountPaise: bigint) => {
      subjectId += 1n;
      const money: Money = { kind, amountPaise, ownerId: FRANCHISE };
      return { bucket: of.bucket, merchantId: of.merchantId, type: "test.posted", subjectId, money };
    };
    const events = [
      post(other, "commission_accrued", 5n),
      post(merchant, "fee_expensed", 3n),
      post(merchant, "commission_accrued", 2n),
    ];
    await inTransaction(db.server, (connection) => recordEventsOfMany(connection, events));
    expect((await rowsOf(merchant))[0]).toEqual(["commission_expense", 0n, -3n]);
    expect((await rowsOf(other))[0]).toEqual(["commission_expense", 0n, -5n]);
    expect([await violations(merchant), await violations(other)]).toEqual([[], []]);
  });

  test.each([
    [
      "account_balance",
      "update ledger_account set balance = balance - 1 where kind = 'commission_expense' and merchant_id = $1",
    ],
    ["account_balance", "delete from ledger_account where kind = 'commission_expense' and merchant_id = $1"],
    ["account_kind", "update ledger_account set kind = 'gift' where kind = 'commission_expense' and merchant_id = $1"],
  ])("is recomputed by nodal verify: %s after %s", async (check, change) => {
    await accrue(merchant, 100n);
    await db.owner.query(change, [merchant.merchantId]);
    expect(await violations(merchant)).toContain(check);
  });
});
