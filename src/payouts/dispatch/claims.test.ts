// The claims of a process, and their transfers when the process dies, loses an answer, or competes with others. test/crash
// kills whole servers.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  acceptTransfers,
  applyReports,
  fund,
  makeLiveMerchants,
  newClaim,
  newTransfer,
  openLedgerDatabase,
  report,
  reportOn,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { TEST_ACTOR, withTestSecrets } from "../../../test/support/secrets.ts";
import { lockBook } from "../../ledger/index.ts";
import type { Merchant } from "../../merchants/index.ts";
import { createPool, inTransaction, type OwnedPool } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import { PayoutWriter } from "../batch/payout-writer.ts";
import { writePayouts } from "../batch/write-payouts.ts";
import { listClaims, readClaimedTransfers, removeClaims, type Claim } from "../claim-store.ts";
import { claimTransfers, holdClaims, putBackClaims, putBackClaimsOf, freeHeld } from "./claim-transfers.ts";
import { findDeadProcesses, findDue, renewLease } from "./dispatch-store.ts";
import { ProcessLease } from "./process-lease.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { countTransferQueue, verify } from "../verify/verify.ts";

const FUNDS_PAISE = 1_000_000n;
const [MINE, OTHERS] = [11n, 12n];
/** On hold while the merchant's payouts are blocked. */
const HELD = { dueAt: null, attempts: 0, waitsFor: null };
const now = (): Temporal.Instant => Temporal.Now.instant();

let db: LedgerDatabase;
/** The same pool that a server uses for its commits. */
let pool: OwnedPool;
let merchant: Merchant;
let other: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
  pool = withTestSecrets(
    createPool({
      url: db.url,
      size: 8,
      role: "nodal_payouts",
      actor: TEST_ACTOR,
      pipelined: true,
      settings: { lock_timeout: "500" },
    }),
  );
});
afterAll(async () => {
  await pool.end();
  await db.close();
});
beforeEach(async () => {
  await db.owner.query("truncate transfer_dispatch, dispatch_claim, dispatcher");
  await db.owner.query("update transfer set claim_id = null");
  [merchant, other] = (await makeLiveMerchants(db, 2, FUNDS_PAISE)) as [Merchant, Merchant];
});

/** A transfer over a rail that isn't compared with a bank's book. */
async function payoutRequest(of = merchant): Promise<NewTransfer> {
  const transferId = await db.ids.next();
  return { ...newTransfer(of, transferId, 10n, `r-${transferId}`), rail: "provider" };
}

/** Accepts `count` transfers that a process starts at once under one claim. */
async function takeOn(count: number, claim: Claim, of = merchant): Promise<NewTransfer[]> {
  const transfers = await Promise.all(Array.from({ length: count }, () => payoutRequest(of)));
  const requests = transfers.map((transfer) => ({ transfer, claim: true }));
  await writePayouts(pool, now(), claim, { requests, reports: [] });
  return transfers;
}

/** Where transfers are: the state, and `in hand`, `due`, `held` or nothing. */
async function placesOf(transfers: readonly NewTransfer[]): Promise<string[]> {
  const { rows } = await db.owner.query<{ transfer_id: bigint; place: string }>(
    `select transfer_id, concat_ws(' ', state, case when claim_id is not null then 'in hand' end,
       case when due_at = 'infinity' then 'held' when due_at is not null then 'due' end) as place
     from transfer left join transfer_dispatch using (bucket, merchant_id, transfer_id)
     where transfer_id = any ($1)`,
    [transfers.map(({ transferId }) => transferId)],
  );
  const placeOf = new Map(rows.map((row) => [row.transfer_id, row.place]));
  return transfers.map(({ transferId }) => placeOf.get(transferId) ?? "none");
}

async function violations(): Promise<string[]> {
  const found = await verify(db.owner, merchant);
  return found.violations.map(({ check, found: value }) => `${check}: ${value}`);
}

describe("a transfer that is taken on at once", () => {
  test("has no row in the queue, before and after its end, and counts as waiting", async () => {
    const before = (await countTransferQueue(db.owner)).waiting;
    const [transfer] = await takeOn(1, newClaim(MINE));
    expect(await placesOf([transfer!])).toEqual(["SUBMITTING in hand"]);
    expect((await countTransferQueue(db.owner)).waiting).toBe(before + 1n);
    expect(await violations()).toEqual([]);
    await report(db.server, transfer!, "SUCCESS");
    expect(await placesOf([transfer!])).toEqual(["SUCCESS"]);
    expect((await countTransferQueue(db.owner)).waiting).toBe(before);
  });

  test.each(["PENDING", "UNKNOWN"] as const)(
    "comes into the queue where the bank's first answer is %s",
    async (status) => {
      const [transfer] = await takeOn(1, newClaim(MINE));
      await report(db.server, transfer!, status);
      expect(await placesOf([transfer!])).toEqual([`${status} due`]);
      const [claimed] = await claimTransfers(pool, now(), newClaim(MINE), [transfer!]);
      expect(claimed).toMatchObject({ state: status, attempts: 1 });
      expect(await placesOf([transfer!])).toEqual([`${status} in hand`]);
      // Repeating the report changes no state, but the bank is asked again.
      await applyReports(db.server, now(), [{ ...reportOn(transfer!, status), attempts: 2 }]);
      expect(await placesOf([transfer!])).toEqual([`${status} due`]);
      expect((await claimTransfers(pool, now(), newClaim(MINE), [transfer!]))[0]).toMatchObject({ attempts: 2 });
      await report(db.server, transfer!, "FAILED");
      expect(await placesOf([transfer!])).toEqual(["FAILED"]);
      expect(await violations()).toEqual([]);
    },
  );

  test("is held back under its own claim only", async () => {
    const claim = newClaim(MINE);
    const [transfer] = await takeOn(1, claim);
    await holdClaims(pool, [{ ...transfer!, claimId: newClaim(MINE).claimId, ...HELD }]);
    expect(await placesOf([transfer!])).toEqual(["SUBMITTING in hand"]);
    await holdClaims(pool, [{ ...transfer!, claimId: claim.claimId, ...HELD }]);
    expect(await placesOf([transfer!])).toEqual(["RESERVED held"]);
    expect(await violations()).toEqual([]);
  });

  test("of many at once leaves one claim for the batch, and none by the queue's way", async () => {
    const claim = newClaim(MINE);
    const transfers = await takeOn(100, claim);
    expect(new Set(await placesOf(transfers))).toEqual(new Set(["SUBMITTING in hand"]));
    expect((await listClaims(pool, MINE)).map(({ claimId }) => claimId)).toEqual([claim.claimId]);
    expect(await findDue(pool, now(), 10, [])).toEqual([]);
  });
});

describe("of a process that is gone", () => {
  test("exactly what it had in hand is put back, and nothing of another's", async () => {
    const [early, late] = [newClaim(MINE), newClaim(MINE)];
    const [finished, held, asked, left] = (await takeOn(4, early)) as [
      NewTransfer,
      NewTransfer,
      NewTransfer,
      NewTransfer,
    ];
    const [elsewhere] = await takeOn(1, late, other);
    const [foreign] = await takeOn(1, newClaim(OTHERS));
    await report(db.server, finished, "SUCCESS");
    await report(db.server, asked, "PENDING");
    // It was put back and claimed by another process. The dead process's claim still lists it.
    await holdClaims(pool, [{ ...held, claimId: early.claimId, ...HELD }]);
    expect(await freeHeld(pool, now(), merchant, 10)).toBe(1);
    expect(await claimTransfers(pool, now(), newClaim(OTHERS), [held])).toHaveLength(1);

    expect(await putBackClaimsOf(pool, MINE)).toBe(2);
    expect(await placesOf([finished, held, asked, left, elsewhere!, foreign!])).toEqual([
      "SUCCESS",
      "SUBMITTING in hand",
      "PENDING due",
      "SUBMITTING due",
      "SUBMITTING due",
      "SUBMITTING in hand",
    ]);
    expect([await listClaims(pool, MINE), (await listClaims(pool, OTHERS)).length]).toEqual([[], 2]);
    expect(await putBackClaimsOf(pool, MINE)).toBe(0);
    // The bank is asked about it first: it may have been sent.
    expect((await claimTransfers(pool, now(), newClaim(OTHERS), [left]))[0]).toMatchObject({ state: "SUBMITTING" });
    expect(await violations()).toEqual([]);
  });

  test("a claim is found though nobody has heard of the process", async () => {
    await takeOn(1, newClaim(MINE));
    expect(await findDeadProcesses(pool, OTHERS, false)).toEqual([MINE]);
    expect(await findDeadProcesses(pool, MINE, false)).toEqual([]);
  });

  test("what it had in hand is taken over for longer than a lease lasts, and costs nobody else's lease", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    // A pool that waits for books without a timeout.
    const patient = withTestSecrets(
      createPool({ url: db.url, size: 4, role: "nodal_payouts", actor: TEST_ACTOR, pipelined: true }),
    );
    const lease = new ProcessLease(patient, db.ids, OTHERS, createLogger("silent"));
    const holder = await db.owner.connect();
    try {
      await lease.begin(false);
      await renewLease(pool, MINE, 0);
      const [transfer] = await takeOn(1, newClaim(MINE));
      await holder.query("begin");
      await holder.query("select from ledger_book where merchant_id = $1 for update", [merchant.merchantId]);
      for (let renewals = 0; renewals < 6; renewals += 1) {
        vi.advanceTimersByTime(2500);
        await sleep(100);
        expect(lease.isHeld).toBe(true);
      }
      // It was only paused, and is back.
      await renewLease(pool, MINE, 60_000);
      await holder.query("rollback");
      await lease.end();
      expect(await placesOf([transfer!])).toEqual(["SUBMITTING due"]);
      expect(await renewLease(pool, MINE, 0)).toBe(true);
    } finally {
      vi.useRealTimers();
      holder.release(true);
      await patient.end();
    }
  });

  test("what belongs to a merchant whose book is held stays in hand, with its claim, until the book is free", async () => {
    const claim = newClaim(MINE);
    const transfers = [await payoutRequest(merchant), await payoutRequest(other)];
    const requests = transfers.map((transfer) => ({ transfer, claim: true }));
    await writePayouts(pool, now(), claim, { requests, reports: [] });
    await inTransaction(db.owner, async (connection) => {
      await lockBook(connection, merchant.bucket, merchant.merchantId);
      expect(await putBackClaimsOf(pool, MINE)).toBe(1);
      expect(await placesOf(transfers)).toEqual(["SUBMITTING in hand", "SUBMITTING due"]);
    });
    expect((await listClaims(pool, MINE)).map(({ claimId }) => claimId)).toEqual([claim.claimId]);
    expect(await putBackClaimsOf(pool, MINE)).toBe(1);
    expect(await listClaims(pool, MINE)).toEqual([]);
  });

  test("a hundred transfers are put back by four at once while the bank's answers on them arrive", async () => {
    const writer = makeWriter(MINE);
    const transfers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => payoutRequest(index % 2 ? merchant : other)),
    );
    for (let first = 0; first < transfers.length; first += 10)
      await Promise.all(transfers.slice(first, first + 10).map((transfer) => writer.request(transfer)));
    const answered = transfers.filter((_, index) => index % 3 === 0);
    const [counts, statuses] = await Promise.all([
      Promise.all([1, 2, 3, 4].map(() => putBackClaimsOf(pool, MINE))),
      Promise.all(answered.map((transfer) => writer.report(reportOn(transfer, "SUCCESS")))),
    ]);
    expect(statuses.map((status) => status?.state)).toEqual(answered.map(() => "SUCCESS"));
    const freed = counts.reduce((sum, count) => sum + count, 0);
    expect(freed).toBeGreaterThanOrEqual(transfers.length - answered.length);
    const places = await placesOf(transfers);
    expect(places).toEqual(transfers.map((transfer) => (answered.includes(transfer) ? "SUCCESS" : "SUBMITTING due")));
    expect(await listClaims(pool, MINE)).toEqual([]);
    expect(await violations()).toEqual([]);
  });
});

/** A server's writer that starts everything it accepts. */
function makeWriter(processId: bigint): PayoutWriter & { readonly lease: ProcessLease } {
  const logger = createLogger("silent");
  const lease = new ProcessLease(pool, db.ids, processId, logger);
  const writer = new PayoutWriter({
    pool,
    lease,
    lanes: 2,
    heldMs: 2000,
    findRoom: (transfers) => new Set(transfers),
    logger,
  });
  return Object.assign(writer, { lease });
}

describe("a writer", () => {
  test("knows its claims until the last of their transfers is settled", async () => {
    const writer = makeWriter(MINE);
    const transfers = [await payoutRequest(), await payoutRequest()];
    const written = await Promise.all(transfers.map((transfer) => writer.request(transfer)));
    const { claims } = writer.lease;
    const listed = await listClaims(pool, MINE);
    const listedIds = listed.map(({ claimId }) => claimId);
    expect(listedIds.every((claimId) => claims.knows(claimId))).toBe(true);
    expect(written.map(({ claimId }) => listedIds.includes(claimId!))).toEqual([true, true]);
    for (const [index, transfer] of transfers.entries()) {
      expect((await writer.report(reportOn(transfer, "SUCCESS")))?.state).toBe("SUCCESS");
      claims.settle({ ...transfer, claimId: written[index]!.claimId! });
    }
    expect(new Set(claims.listDone())).toEqual(new Set(listed));
    await removeClaims(pool, MINE, claims.listDone());
    expect(await listClaims(pool, MINE)).toEqual([]);
  });

  test("that was taken over from reports all the same, and leaves nothing in the queue", async () => {
    const writer = makeWriter(MINE);
    const transfers = await Promise.all(Array.from({ length: 20 }, () => payoutRequest()));
    await fund(db, merchant, 1n, "known");
    await Promise.all(transfers.map((transfer) => writer.request(transfer)));
    expect(await putBackClaimsOf(pool, MINE)).toBe(20);
    const [due, taken] = [transfers.slice(0, 10), transfers.slice(10)];
    expect(await claimTransfers(pool, now(), newClaim(OTHERS), taken)).toHaveLength(10);
    await Promise.all(transfers.map((transfer) => writer.report(reportOn(transfer, "SUCCESS"))));
    expect(new Set(await placesOf([...due, ...taken]))).toEqual(new Set(["SUCCESS"]));
    // The process that took them over gets the same report.
    await applyReports(db.server, now(), [reportOn(taken[0]!, "SUCCESS"), reportOn(taken[1]!, "UNKNOWN")]);
    expect(new Set(await placesOf(taken))).toEqual(new Set(["SUCCESS"]));
    expect(await violations()).toEqual([]);
  });

  test("that never hears of its commit leaves a claim of which it does not know, and it is put back", async () => {
    const { lease } = makeWriter(MINE);
    const transfer = await payoutRequest();
    const lost = lease.claims.use(async (claim) => {
      await writePayouts(pool, now(), claim, { requests: [{ transfer, claim: true }], reports: [] });
      expect(lease.claims.knows(claim.claimId)).toBe(true);
      throw new Error("the connection broke");
    });
    await expect(lost).rejects.toThrow("the connection broke");
    const [claim] = await listClaims(pool, MINE);
    expect(lease.claims.knows(claim!.claimId)).toBe(false);
    expect((await putBackClaims(pool, MINE, [claim!])).done).toHaveLength(1);
    expect(await placesOf([transfer])).toEqual(["SUBMITTING due"]);
  });

  test("lists nothing in hand of a merchant whose book had moved on, and takes its transfer on by a later claim", async () => {
    const writer = makeWriter(MINE);
    const first = [await payoutRequest(merchant), await payoutRequest(other)];
    const earlier = await Promise.all(first.map((transfer) => writer.request(transfer)));
    // The books are cached now, and somebody else changes one.
    await fund(db, merchant, 1n, "elsewhere");
    const second = [await payoutRequest(merchant), await payoutRequest(other)];
    const written = [...earlier, ...(await Promise.all(second.map((transfer) => writer.request(transfer))))];
    const claimed = await readClaimedTransfers(pool, MINE, await listClaims(pool, MINE));
    const known = [...first, ...second].map(({ transferId }, index) => `${transferId} ${written[index]!.claimId}`);
    expect(claimed.map((item) => `${item.transferId} ${item.claimId}`).toSorted()).toEqual(known.toSorted());
  });
});

test("accepted but not taken on, a transfer waits in the queue and under no claim", async () => {
  const transfer = await payoutRequest();
  await acceptTransfers(db.server, now(), MINE, [transfer], [false]);
  expect(await placesOf([transfer])).toEqual(["RESERVED due"]);
  expect(await listClaims(pool, MINE)).toEqual([]);
});
