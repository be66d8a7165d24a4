// verify: a sound database passes, and each invariant that is broken on purpose is reported, exactly that one.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  accept,
  claim,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import type { Connection } from "../../platform/database/pool.ts";
import type { Merchant } from "../../merchants/index.ts";
import { BATCH_BREAKAGES } from "../../../test/support/batch-breakages.ts";
import { APPROVAL_BREAKAGES } from "../../../test/support/approval-breakages.ts";
import { ACCOUNT_BREAKAGES } from "../../../test/support/account-breakages.ts";
import { BREAKAGES } from "../../../test/support/payout-breakages.ts";
import { COMMISSION_BREAKAGES } from "../../../test/support/commission-breakages.ts";
import { DISPATCH_BREAKAGES } from "../../../test/support/dispatch-breakages.ts";
import { AMOUNT_PAISE, STORIES } from "../../../test/support/payout-stories.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { verify, verifySnapshot } from "./verify.ts";

const FUNDS_PAISE = 1_000_000n;

let db: LedgerDatabase;
let merchant: Merchant;
let other: Merchant;
/** By a name that describes how it reached its state. */
const transfers = new Map<string, NewTransfer>();

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant, other] = (await makeMerchants(db, 2, FUNDS_PAISE)) as [Merchant, Merchant];
  for (const [name, { reports, bank }] of Object.entries(STORIES)) {
    const transfer = newTransfer(merchant, await db.ids.next(), AMOUNT_PAISE, name);
    transfers.set(name, transfer);
    await accept(db.server, [transfer]);
    if (name !== "reserved") await claim(db.server, [transfer]);
    if (bank) await book(transfer, bank);
    await report(db.server, transfer, ...reports);
  }
  await unfundedLateSuccess();
});
afterAll(() => db.close());

/** A transfer that failed, whose money was spent elsewhere, and that turned out to be paid after all. */
async function unfundedLateSuccess(): Promise<void> {
  const [late, spent] = await Promise.all(
    ["lateUnfunded", "spent"].map(async (name) => newTransfer(other, await db.ids.next(), FUNDS_PAISE, name)),
  );
  for (const transfer of [late!, spent!]) {
    await accept(db.server, [transfer]);
    await claim(db.server, [transfer]);
    await book(transfer, "SUCCESS");
    await report(db.server, transfer, transfer === late ? "FAILED" : "SUCCESS");
  }
  await report(db.server, late!, "SUCCESS");
  transfers.set("lateUnfunded", late!);
}

async function book({ bucket, merchantId, transferId, amountPaise }: NewTransfer, status: string): Promise<void> {
  await db.owner.query(
    `insert into simulator.payment (
       bucket, merchant_id, transfer_id, amount_paise, mode, payee_name, status, utr, acknowledged)
     values ($1, $2, $3, $4, 'IMPS', 'Asha Rao', $5, $6, true)`,
    [bucket, merchantId, transferId, amountPaise, status, `UTR${transferId}`],
  );
}

/** Runs SQL as the owner in a transaction, verifies inside it, and takes all of it back. */
async function verifyBroken(statements: readonly string[], ...ofTransfers: string[]) {
  const connection: Connection = await db.owner.connect();
  try {
    await connection.query("begin");
    // Names in the statements stand for ids: $merchant, $other, and $<name of a transfer>.
    const ids = new Map([...transfers].map(([name, transfer]) => [name, transfer.transferId]));
    ids.set("merchant", merchant.merchantId).set("other", other.merchantId);
    for (const statement of statements) {
      await connection.query(statement.replace(/\$([a-zA-Z]+)/g, (_, name: string) => String(ids.get(name))));
    }
    const verification = await verifySnapshot(connection, null);
    return { ...verification, subjects: ofTransfers.map((name) => ids.get(name)) };
  } finally {
    await connection.query("rollback");
    connection.release();
  }
}

describe("a sound database", () => {
  test("passes, with counts", async () => {
    expect(await verify(db.owner, null)).toEqual({
      merchants: 2,
      postings: 29,
      transfers: 13,
      pendingTransfers: 4,
      staleTransfers: 0,
      violationCount: 0,
      violations: [],
    });
  });

  test("passes for one merchant, counting only its own", async () => {
    const verification = await verify(db.owner, other);
    expect(verification).toMatchObject({ merchants: 1, transfers: 2, pendingTransfers: 0, violationCount: 0 });
  });

  test("passes while a reversal has not been delivered to the ledger", async () => {
    const { violations } = await verifyBroken([
      "update simulator.payment set status = 'REVERSED', delivered = false where transfer_id = $success",
    ]);
    expect(violations).toEqual([]);
  });

  test("changes nothing: the transaction is read only", async () => {
    const connection = await db.owner.connect();
    try {
      await connection.query("begin isolation level repeatable read read only");
      await expect(verifySnapshot(connection, null)).resolves.toMatchObject({ violationCount: 0 });
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  });
});

describe("reports", () => {
  test.each(
    [...BREAKAGES, ...ACCOUNT_BREAKAGES, ...DISPATCH_BREAKAGES, ...APPROVAL_BREAKAGES, ...BATCH_BREAKAGES].map(
      (breakage) => [breakage.what, breakage] as const,
    ),
  )("%s", async (_, breakage) => {
    const { violations, violationCount, subjects } = await verifyBroken(breakage.break, ...(breakage.subjects ?? []));
    expect([...new Set(violations.map(({ check }) => check))].sort()).toEqual(breakage.reports);
    expect(violationCount).toBe(violations.length);
    const found = violations.filter(({ subjectId }) => subjects.length === 0 || subjects.includes(subjectId!));
    expect(found.length).toBeGreaterThan(0);
    if (breakage.expected) expect(found.map(({ expected }) => expected)).toContain(breakage.expected);
    if (breakage.found) expect(found.map((violation) => violation.found)).toContain(breakage.found);
  });

  test("every check has a breakage", async () => {
    const { LEDGER_CHECKS } = await import("../../ledger/index.ts");
    const { PAYOUT_CHECKS } = await import("./verify-store.ts");
    const broken = new Set(
      [
        ...BREAKAGES,
        ...ACCOUNT_BREAKAGES,
        ...DISPATCH_BREAKAGES,
        ...APPROVAL_BREAKAGES,
        ...BATCH_BREAKAGES,
        ...COMMISSION_BREAKAGES,
      ].flatMap(({ reports }) => reports),
    );
    expect([...LEDGER_CHECKS, ...PAYOUT_CHECKS].map(({ name }) => name).filter((name) => !broken.has(name))).toEqual(
      [],
    );
  });

  test("at most a thousand violations, and how many there are", async () => {
    const { violations, violationCount } = await verifyBroken([
      `insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at)
       select 0, $merchant, id, now() from generate_series(1, 1500) as id`,
    ]);
    expect(violations).toHaveLength(1000);
    expect(violationCount).toBe(1500);
  });

  test("nothing of another merchant when one is asked for", async () => {
    const connection = await db.owner.connect();
    try {
      await connection.query("begin");
      await connection.query("update ledger_book set last_entry_no = 0 where merchant_id = $1", [merchant.merchantId]);
      expect(await verifySnapshot(connection, other)).toMatchObject({ violationCount: 0 });
      expect(await verifySnapshot(connection, merchant)).toMatchObject({ violationCount: 1 });
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  });
});

describe("stale transfers", () => {
  test("are counted", async () => {
    const { staleTransfers, pendingTransfers } = await verifyBroken([
      "update transfer set added_at = added_at - interval '10 days' where transfer_id in ($pending, $success)",
    ]);
    expect({ staleTransfers, pendingTransfers }).toEqual({ staleTransfers: 1, pendingTransfers: 4 });
  });
});
