// The writer of payouts with cached books: it reads nothing, and stays correct if somebody else moves money or changes the
// terms at any point.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  fund,
  makeLiveMerchants,
  newClaim,
  newTransfer,
  openLedgerDatabase,
  reportOn,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { TEST_ACTOR, withTestSecrets } from "../../../test/support/secrets.ts";
import { readBalances, recordEvents } from "../../ledger/index.ts";
import { changeMerchant, changePayoutPolicy, type Merchant } from "../../merchants/index.ts";
import { createPool, inTransaction, type OwnedPool } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import { ProcessLease } from "../dispatch/process-lease.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { verify } from "../verify/verify.ts";
import { PayoutWriter } from "./payout-writer.ts";
import { writePayouts } from "./write-payouts.ts";

const FUNDS_PAISE = 1_000_000n;
const logger = createLogger("silent");

let db: LedgerDatabase;
let pools: OwnedPool[];
let merchant: Merchant;
let other: Merchant;

/**
 * A server's writer, the number of its reads before writes, and a connection that breaks at the commit of the next batch that reads
 * nothing.
 */
type Process = { readonly writer: PayoutWriter; reads: () => number; breakNext: () => void };
let one: Process;
let two: Process;

function makeProcess(processId: bigint): Process {
  const pool = withTestSecrets(
    createPool({
      url: db.url,
      size: 4,
      role: "nodal_payouts",
      actor: TEST_ACTOR,
      pipelined: true,
      settings: { lock_timeout: "500" },
    }),
  );
  pools.push(pool);
  let reads = 0;
  let breaksNext = false;
  // Reading first takes a connection; a single statement doesn't.
  const watched = new Proxy(pool, {
    get: (of, name) => {
      if (name === "connect") reads += 1;
      if (name === "query" && breaksNext) {
        breaksNext = false;
        return async (statement: string) => {
          await of.query(statement);
          throw new Error("Connection terminated unexpectedly");
        };
      }
      const member = Reflect.get(of, name) as unknown;
      return typeof member === "function" ? (member.bind(of) as unknown) : member;
    },
  });
  withTestSecrets(watched);
  const writer = new PayoutWriter({
    pool: watched,
    lease: new ProcessLease(pool, db.ids, processId, logger),
    lanes: 2,
    heldMs: 60_000,
    findRoom: (transfers) => new Set(transfers),
    logger,
  });
  const breakNext = (): void => {
    breaksNext = true;
  };
  return { writer, reads: () => reads, breakNext };
}

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await Promise.all((pools ?? []).map((pool) => pool.end()));
  pools = [];
  [merchant, other] = (await makeLiveMerchants(db, 2, FUNDS_PAISE)) as [Merchant, Merchant];
  [one, two] = [makeProcess(1n), makeProcess(2n)];
  return async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  };
});

/** There is no bank here whose books would have to match the ledger. */
const payoutRequest = async (of: Merchant, amountPaise: bigint, reference: string): Promise<NewTransfer> => ({
  ...newTransfer(of, await db.ids.next(), amountPaise, reference),
  rail: "provider",
});

const withdrawal = async (amountPaise: bigint, reference: string): Promise<NewTransfer> => ({
  ...(await payoutRequest(merchant, amountPaise, reference)),
  kind: "withdrawal",
  beneficiaryId: null,
});

async function ask({ writer }: Process, of: Merchant, amountPaise: bigint, reference: string) {
  const transfer = await payoutRequest(of, amountPaise, reference);
  return { transfer, outcome: (await writer.request(transfer)).outcome.outcome };
}

const violations = async () => [
  ...(await verify(db.owner, merchant)).violations,
  ...(await verify(db.owner, other)).violations,
];
const parts = () => ({ pool: db.server, ids: db.ids });

/** Two merchants in one lane, whose books the first process has cached. */
async function makeTwoOfALane(): Promise<readonly [Merchant, Merchant]> {
  const three = await makeLiveMerchants(db, 3, FUNDS_PAISE);
  // Two of three share one of two lanes.
  const first = three.find(({ bucket }, place) =>
    three.some((each, at) => at > place && (each.bucket - bucket) % 2 === 0),
  )!;
  const second = three.find((each) => each !== first && (each.bucket - first.bucket) % 2 === 0)!;
  for (const each of [first, second]) await ask(one, each, 1n, "first");
  return [first, second];
}

describe("a book that the process knows", () => {
  test("is added to in one statement, for requests and the bank's answers, without being read", async () => {
    const first = await ask(one, merchant, 100n, "first");
    const reads = one.reads();
    expect(reads).toBeGreaterThan(0);
    const second = await ask(one, merchant, 100n, "second");
    await one.writer.report(reportOn(first.transfer, "SUCCESS"));
    await one.writer.report(reportOn(second.transfer, "FAILED"));
    expect(one.reads()).toBe(reads);
    expect(await readBalances(db.server, merchant.bucket, merchant.merchantId)).toEqual({
      availablePaise: FUNDS_PAISE - 100n,
      heldPaise: 0n,
    });
    expect(await violations()).toEqual([]);
  });

  test("is added to without being read while others move its money too, and no number is given twice", async () => {
    await ask(one, merchant, 1n, "first");
    await ask(two, merchant, 1n, "second");
    const reads = [one.reads(), two.reads()];
    const requests = Array.from({ length: 60 }, (_, index) =>
      ask(index % 2 === 0 ? one : two, merchant, 10n, `r-${index}`),
    );
    await fund(db, merchant, 5n, "beside");
    await inTransaction(db.server, (connection) =>
      recordEvents(connection, merchant, [{ type: "customer_group.created", subjectId: merchant.merchantId }]),
    );
    const outcomes = (await Promise.all(requests)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array(60).fill("created"));
    expect([one.reads(), two.reads()]).toEqual(reads);
    const { rows } = await db.owner.query(
      "select count(*) as entries, max(entry_no) as last from journal where merchant_id = $1",
      [merchant.merchantId],
    );
    expect(rows[0]!["entries"]).toBe(rows[0]!["last"]);
    expect(await violations()).toEqual([]);
  });

  test("is read first where the money is not enough: what somebody else took is not there any more", async () => {
    await ask(one, merchant, 1n, "first");
    expect((await ask(two, merchant, FUNDS_PAISE - 1n, "all")).outcome).toBe("created");
    expect((await ask(one, merchant, 1n, "one too much")).outcome).toBe("insufficient_balance");
    await fund(db, merchant, 5n, "more");
    expect((await ask(one, merchant, 5n, "just enough")).outcome).toBe("created");
    expect(await violations()).toEqual([]);
  });

  test("pays nothing in advance of what comes back after it in the same batch", async () => {
    const { transfer } = await ask(one, merchant, 50n, "comes back");
    expect((await ask(two, merchant, FUNDS_PAISE - 55n, "most")).outcome).toBe("created");
    const request = await payoutRequest(merchant, 50n, "in advance");
    const [late, report] = await Promise.all([
      one.writer.request(request),
      one.writer.report(reportOn(transfer, "FAILED")),
    ]);
    expect([late.outcome.outcome, report?.state]).toEqual(["insufficient_balance", "FAILED"]);
    const { rows } = await db.owner.query<{ lowest: bigint }>(
      `select min(balance)::bigint as lowest from (
         select sum(case when credit_kind = 'available' then amount_paise when debit_kind = 'available' then -amount_paise end)
           over (order by entry_no) as balance
         from journal where merchant_id = $1) as running`,
      [merchant.merchantId],
    );
    expect(rows[0]!.lowest).toBe(5n);
    expect(await violations()).toEqual([]);
  });

  test("is read first where its merchant has come to owe something: that is taken first", async () => {
    const back = await ask(one, merchant, 100n, "comes back");
    const paid = await ask(one, merchant, FUNDS_PAISE - 100n, "the rest");
    const fee = { feePaise: 5n, taxPaise: 1n };
    await two.writer.report({ ...reportOn(paid.transfer, "SUCCESS"), fee });
    await one.writer.report(reportOn(back.transfer, "FAILED"));
    expect(await readBalances(db.server, merchant.bucket, merchant.merchantId)).toEqual({
      availablePaise: 94n,
      heldPaise: 0n,
    });
    expect(await violations()).toEqual([]);
  });

  test("says nothing of a merchant that was suspended meanwhile, or got a policy, elsewhere", async () => {
    await ask(one, merchant, 1n, "first");
    await changeMerchant({ ...parts(), merchant }, { status: "suspended" });
    expect((await ask(one, merchant, 1n, "suspended")).outcome).toBe("suspended");
    await changeMerchant({ ...parts(), merchant }, { status: "active" });
    await ask(one, merchant, 1n, "again");
    await changePayoutPolicy({ pool: db.server, ids: db.ids, merchant }, { transferLimitPaise: 50n });
    expect((await ask(one, merchant, 51n, "over the limit")).outcome).toBe("transfer_limit");
    expect((await ask(one, merchant, 50n, "at the limit")).outcome).toBe("created");
    expect(await violations()).toEqual([]);
  });

  test("takes fees from who bears them now, also where that was changed elsewhere", async () => {
    const payoutRequests = await Promise.all(
      ["first", "second", "third"].map((reference) => ask(one, merchant, 100n, reference)),
    );
    const [first, second, third] = payoutRequests.map(({ transfer }) => transfer) as [
      NewTransfer,
      NewTransfer,
      NewTransfer,
    ];
    const pay = (transfer: NewTransfer) =>
      one.writer.report({ ...reportOn(transfer, "SUCCESS"), fee: { feePaise: 5n, taxPaise: 1n } });
    await pay(first);
    await changeMerchant({ ...parts(), merchant }, { feesPaidBy: "platform" });
    await pay(second);
    await pay(third);
    const { rows } = await db.owner.query<{ kind: string; subject_id: bigint }>(
      "select kind, subject_id from journal where merchant_id = $1 and kind like 'fee%' order by entry_no",
      [merchant.merchantId],
    );
    expect(rows.map((row) => [row.subject_id, row.kind])).toEqual([
      [first.transferId, "fee"],
      [first.transferId, "fee_tax"],
      ...[second, third].flatMap(({ transferId }) => [
        [transferId, "fee_expensed"],
        [transferId, "fee_tax_expensed"],
      ]),
    ]);
    expect(await violations()).toEqual([]);
  });

  test("lets a reference that is there already refuse nothing of others", async () => {
    const first = await ask(one, merchant, 100n, "first");
    await ask(one, other, 100n, "first");
    const again = await payoutRequest(merchant, 100n, "first");
    const others = await Promise.all(
      Array.from({ length: 20 }, (_, index) => payoutRequest(other, 10n, `other-${index}`)),
    );
    const written = await Promise.all([again, ...others].map((transfer) => one.writer.request(transfer)));
    expect(written[0]!.outcome).toMatchObject({ outcome: "existing", transferId: first.transfer.transferId });
    expect(written.slice(1).map(({ outcome }) => outcome.outcome)).toEqual(others.map(() => "created"));
    expect(await violations()).toEqual([]);
  });

  test("that something else holds is waited for once: then others of the batch are written without it", async () => {
    const [held, free] = await makeTwoOfALane();
    const reads = one.reads();
    const payoutRequests = [await payoutRequest(held, 1n, "second"), await payoutRequest(free, 1n, "second")] as const;
    const holder = await db.owner.connect();
    try {
      await holder.query("begin");
      await holder.query("select from ledger_book where merchant_id = $1 for update", [held.merchantId]);
      const waiting = one.writer.request(payoutRequests[0]);
      // The first is written alone; the items that arrive meanwhile form one batch.
      const others = [
        one.writer.request(await payoutRequest(held, 1n, "third")),
        one.writer.request(payoutRequests[1]),
      ] as const;
      expect((await others[1]).outcome.outcome).toBe("created");
      expect(one.reads()).toBe(reads);
      await holder.query("rollback");
      expect((await Promise.all([waiting, others[0]])).map(({ outcome }) => outcome.outcome)).toEqual(
        Array(2).fill("created"),
      );
    } finally {
      holder.release(true);
    }
    for (const each of [held, free]) expect((await verify(db.owner, each)).violations).toEqual([]);
  });

  test("of a batch is written though another one of it waits for something that no book shows", async () => {
    const [held, free] = await makeTwoOfALane();
    const keyed = {
      ...(await payoutRequest(held, 1n, "second")),
      idempotency: { key: "k", requestHash: Buffer.from("k") },
    };
    const others = [await payoutRequest(free, 1n, "second"), await payoutRequest(free, 1n, "third")];
    const holder = await db.owner.connect();
    try {
      await holder.query("begin");
      // Like any other request of the merchant with this key, until it commits.
      await holder.query(
        `insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, created_at)
         values ($1, $2, 'k', '', now())`,
        [held.bucket, held.merchantId],
      );
      const [waiting, ...written] = [keyed, ...others].map((transfer) => one.writer.request(transfer));
      const outcomes = (await Promise.all(written)).map(({ outcome }) => outcome.outcome);
      expect(outcomes).toEqual(["created", "created"]);
      expect((await ask(one, free, 1n, "fourth")).outcome).toBe("created");
      await holder.query("rollback");
      expect((await waiting!).outcome.outcome).toBe("created");
    } finally {
      holder.release(true);
    }
    for (const each of [held, free]) expect((await verify(db.owner, each)).violations).toEqual([]);
  });

  test("leaves a transfer whose connection broke to the queue: who has its claim by then is not known", async () => {
    await ask(one, merchant, 1n, "first");
    const transfer = await payoutRequest(merchant, 100n, "second");
    one.breakNext();
    const { outcome, claimId } = await one.writer.request(transfer);
    expect(outcome).toMatchObject({ outcome: "existing", transferId: transfer.transferId });
    expect(claimId).toBeNull();
    expect((await one.writer.request(await payoutRequest(merchant, 1n, "third"))).claimId).not.toBeNull();
    expect(await violations()).toEqual([]);
  });

  test("books a report once, however often and by whomever it is told", async () => {
    const { transfer } = await ask(one, merchant, 100n, "first");
    const told = await Promise.all(
      [one, two, one, two].map(({ writer }) => writer.report(reportOn(transfer, "SUCCESS"))),
    );
    expect(told.map((status) => status?.state)).toEqual(Array(4).fill("SUCCESS"));
    expect((await one.writer.report(reportOn(transfer, "REVERSED")))?.state).toBe("REVERSED");
    expect(await one.writer.report(reportOn({ ...transfer, transferId: 5n }, "SUCCESS"))).toBeNull();
    expect(await violations()).toEqual([]);
  });
});

test("what can't be encrypted is not accepted, and counts towards no limit", async () => {
  await changePayoutPolicy(
    { pool: db.server, ids: db.ids, merchant },
    { dailyLimitPaise: 1000n, approveOverPaise: 50n },
  );
  const transfer = await withdrawal(100n, "first");
  const [pool] = pools;
  const secrets = await secretsOf(pool!);
  const failing = vi.spyOn(secrets, "seal").mockImplementation(() => {
    throw new Error("no key");
  });
  const request = { transfer, claim: true };
  const written = writePayouts(pool!, Temporal.Now.instant(), newClaim(), { requests: [request], reports: [] });
  await expect(written).rejects.toThrow("no key");
  failing.mockRestore();
  const { rows } = await db.owner.query(
    `select counted_paise from payout_day where merchant_id = $1
     union all select count(*) from approval where merchant_id = $1 having count(*) > 0`,
    [merchant.merchantId],
  );
  expect(rows).toEqual([]);
  expect((await one.writer.request(transfer)).outcome.outcome).toBe("awaiting_approval");
  expect(await violations()).toEqual([]);
});

test("two processes on the same merchants accept exactly what the balances hold, and keep every invariant", async () => {
  const share = FUNDS_PAISE / 100n;
  const asked = Array.from({ length: 400 }, async (_, index) => {
    const process = index % 2 === 0 ? one : two;
    const { transfer, outcome } = await ask(process, index % 4 < 2 ? merchant : other, share, `r-${index}`);
    // Every fourth fails and frees its amount, so that more are accepted.
    if (outcome === "created" && index % 8 === 1) await process.writer.report(reportOn(transfer, "FAILED"));
    else if (outcome === "created") await (index % 3 === 0 ? one : two).writer.report(reportOn(transfer, "SUCCESS"));
    return outcome;
  });
  const outcomes = await Promise.all(asked);
  expect(new Set(outcomes)).toEqual(new Set(["created", "insufficient_balance"]));
  expect(await violations()).toEqual([]);
  for (const { bucket, merchantId } of [merchant, other]) {
    const { availablePaise, heldPaise } = await readBalances(db.server, bucket, merchantId);
    expect(heldPaise).toBe(0n);
    const { rows } = await db.owner.query<{ paid: bigint }>(
      "select coalesce(sum(amount_paise), 0)::bigint as paid from transfer where merchant_id = $1 and state = 'SUCCESS'",
      [merchantId],
    );
    expect(availablePaise + rows[0]!.paid).toBe(FUNDS_PAISE);
  }
});
