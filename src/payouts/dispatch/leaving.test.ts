// Payments use only their merchant's rail, and none is sent while the merchant is suspended: for every way in, and in the
// database. test/wire/suspension.test.ts tests a whole server with a slow bank.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { makeFranchise, receive } from "../../../test/support/franchises.ts";
import { accept, newClaim, report, VENDOR } from "../../../test/support/ledger.ts";
import { takeLive } from "../../../test/support/live.ts";
import { CommissionPayer, COMMISSION_CHECKS, payDueCommission, type Franchise } from "../../franchises/index.ts";
import { Invoicing, PAYEE } from "../../../test/support/invoicing.ts";
import { lockBook } from "../../ledger/index.ts";
import { changeMerchant } from "../../merchants/index.ts";
import { readConfig } from "../../platform/config.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import { actorOf } from "../../platform/origin.ts";
import { approve, reject } from "../../approvals/index.ts";
import { dispatching } from "../../../test/support/dispatching.ts";
import { PayingBank } from "../../../test/support/paying-bank.ts";
import { codeOf, FUNDS_PAISE, PolicyStage } from "../../../test/support/policy-stage.ts";
import { claimTransfers, freeHeld, holdClaims, mayLeave, putBackClaims } from "./claim-transfers.ts";
import { listMerchantsHeld } from "./dispatch-store.ts";
import { PayoutMaker, type Payer, type PayoutRequest } from "../make-payout.ts";
import { OwnPayouts } from "../own-payouts.ts";
import { SIMULATOR } from "../rails/simulator.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { verify } from "../verify/verify.ts";

const PROVIDER = "provider";
const commissionPayer = new CommissionPayer(new OwnPayouts(readConfig({})));

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

const ravi = () => stage.as(actorOf("user", "3"));
const now = (): Temporal.Instant => Temporal.Now.instant();

async function setStatus(status: "active" | "suspended"): Promise<void> {
  await changeMerchant(stage.context, { status });
}

function goLive(): Promise<void> {
  return takeLive(stage.db.server, stage.merchant.merchantId);
}

/** Claims all of these, and returns the results by transfer. */
async function claimAll(transfers: readonly NewTransfer[], claim = newClaim()): Promise<bigint[]> {
  const claimed = await claimTransfers(stage.db.server, now(), claim, transfers);
  return claimed.map(({ instruction }) => instruction.transferId);
}

async function accepted(count = 1): Promise<NewTransfer[]> {
  const payoutRequests: NewTransfer[] = [];
  for (let place = 0; place < count; place += 1) payoutRequests.push(await stage.payoutRequest({ amountPaise: 10n }));
  await accept(stage.db.server, payoutRequests);
  return payoutRequests;
}

/** Where a transfer is: `claimed`, or in the queue and `held` or `due`. */
async function placeOf({ transferId }: NewTransfer): Promise<string> {
  const { rows } = await stage.db.owner.query<{ place: string }>(
    `select case when due_at is null and claim_id is not null then 'claimed' when due_at = 'infinity' then 'held' else 'due' end
       as place
     from transfer left join transfer_dispatch using (bucket, merchant_id, transfer_id) where transfer_id = $1`,
    [transferId],
  );
  return rows[0]!.place;
}

async function owedFranchise(): Promise<Franchise> {
  const franchise = await makeFranchise(stage.db, stage.merchant);
  await receive(stage.db, franchise, 10_000n);
  return franchise;
}

describe("the maker of payouts", () => {
  const to = { name: "Asha Rao", accountNumber: "026291800001191", ifsc: "YESB0000262", upi: null };
  const payoutRequest: PayoutRequest = {
    transferId: 1n,
    kind: "transfer",
    to,
    mode: null,
    amountPaise: 1n,
    referenceId: "r",
    narrative: "",
  };
  const payer = (fields: Partial<Payer>): Payer => ({ ...stage.merchant, ...fields });

  test("sends the sandbox to the simulator, and real money over the connected provider only", () => {
    const none = new PayoutMaker(readConfig({}));
    const connected = { payoutRails: { IMPS: PROVIDER } };
    expect(none.make(payer({}), payoutRequest).rail).toBe(SIMULATOR);
    expect(none.make(payer(connected), payoutRequest).rail).toBe(SIMULATOR);
    expect(none.make(payer({ ...connected, live: true }), payoutRequest).rail).toBe(PROVIDER);
    expect(() => none.make(payer({ live: true }), payoutRequest)).toThrow(
      expect.objectContaining({ code: "no_payout_provider" }),
    );
  });

  test("makes nothing for a suspended merchant", () => {
    const maker = new PayoutMaker(readConfig({}));
    expect(() => maker.make(payer({ status: "suspended" }), payoutRequest)).toThrow(
      expect.objectContaining({ code: "access_denied" }),
    );
  });
});

describe("acceptance", () => {
  test("refuses the simulator to a live merchant and a provider to the sandbox, and leaves the reference free", async () => {
    expect((await stage.ask({ amountPaise: 1n, rail: PROVIDER })).outcome).toBe("wrong_rail");
    await goLive();
    const refused = await stage.ask({ amountPaise: 1n, referenceId: "same" });
    expect([refused.outcome, refused.transferId]).toEqual(["wrong_rail", null]);
    expect((await stage.ask({ amountPaise: 1n, referenceId: "same", rail: PROVIDER })).outcome).toBe("created");
    expect(await stage.availablePaise()).toBe(FUNDS_PAISE - 1n);
  });

  test("refuses a suspended merchant, and still finds what was accepted before", async () => {
    const { transfer } = await stage.ask({ amountPaise: 5n, referenceId: "before" });
    await setStatus("suspended");
    expect((await stage.ask({ amountPaise: 5n })).outcome).toBe("suspended");
    const again = await stage.ask({ amountPaise: 5n, referenceId: "before" });
    expect([again.outcome, again.transferId]).toEqual(["existing", transfer.transferId]);
  });

  test.each(["live", "suspended"] as const)(
    "of many at once lets none pass once the merchant is %s",
    async (change) => {
      const refusal = change === "live" ? "wrong_rail" : "suspended";
      const askUntilRefused = async (): Promise<string[]> => {
        const outcomes = ["created"];
        while (outcomes.at(-1) === "created") outcomes.push((await stage.ask({ amountPaise: 1n })).outcome);
        return outcomes.slice(1);
      };
      const workers = Array.from({ length: 7 }, askUntilRefused);
      await expect.poll(() => stage.count("transfer where true"), { timeout: 120_000 }).toBeGreaterThan(20);
      await (change === "live" ? goLive() : setStatus(change));
      const outcomes = (await Promise.all(workers)).flat();
      expect(outcomes.filter((outcome) => outcome !== "created")).toEqual(workers.map(() => refusal));
      const { rows } = await stage.db.owner.query<{ late: bigint }>(
        `select count(*) as late from journal accepted join journal changed using (bucket, merchant_id)
       where merchant_id = $1 and accepted.type = 'transfer.accepted' and changed.type = 'merchant.changed'
         and accepted.entry_no > changed.entry_no`,
        [stage.merchant.merchantId],
      );
      expect(rows[0]!.late).toBe(0n);
      expect(await stage.availablePaise()).toBe(
        FUNDS_PAISE - BigInt(outcomes.filter((outcome) => outcome === "created").length),
      );
    },
  );
});

describe("what waits to be sent", () => {
  test("is held back while its merchant is suspended, does not come again, and goes on afterwards", async () => {
    const waiting = await accepted(3);
    await setStatus("suspended");
    expect(await claimAll(waiting)).toEqual([]);
    expect(await placeOf(waiting[0]!)).toBe("held");
    const { bucket, merchantId } = stage.merchant;
    expect(await listMerchantsHeld(stage.db.server)).toContainEqual({ bucket, merchantId });
    expect(await freeHeld(stage.db.server, now(), stage.merchant, 10)).toBe(0);
    await setStatus("active");
    expect(await freeHeld(stage.db.server, now(), stage.merchant, 2)).toBe(2);
    expect(await freeHeld(stage.db.server, now(), stage.merchant, 2)).toBe(1);
    expect(await listMerchantsHeld(stage.db.server)).not.toContainEqual({ bucket, merchantId });
    expect((await claimAll(waiting)).length).toBe(3);
  });

  test("by the simulator is never sent once the merchant is live", async () => {
    const waiting = await accepted(2);
    await goLive();
    expect(await claimAll(waiting)).toEqual([]);
    expect(await freeHeld(stage.db.server, now(), stage.merchant, 10)).toBe(0);
    expect(await placeOf(waiting[1]!)).toBe("held");
  });

  test("and was claimed before is looked at again: never sent, it is held back", async () => {
    const [mine, others] = await accepted(2);
    const claim = newClaim();
    await claimAll([mine!], claim);
    await setStatus("suspended");
    const claims = [mine!, others!].map((transfer) => ({ ...transfer, claimId: claim.claimId }));
    expect(await mayLeave(stage.db.server, claims)).toEqual([false, false]);
    await holdClaims(
      stage.db.server,
      claims.map((each) => ({ ...each, dueAt: null, attempts: 0, waitsFor: null })),
    );
    expect([await placeOf(mine!), await stage.stateOf(mine!)]).toEqual(["held", "RESERVED"]);
    // This process had not claimed it.
    expect(await placeOf(others!)).toBe("due");
    await setStatus("active");
    expect(await mayLeave(stage.db.server, claims)).toEqual([true, true]);
    expect(
      await mayLeave(
        stage.db.server,
        claims.map((each) => ({ ...each, rail: PROVIDER })),
      ),
    ).toEqual([false, false]);
  });

  test("and may have been sent is asked about further, and its outcome booked", async () => {
    const [sent] = await accepted(1);
    await claimAll([sent!]);
    await report(stage.db.server, sent!, "UNKNOWN");
    await setStatus("suspended");
    expect(await claimAll([sent!])).toEqual([sent!.transferId]);
    expect(await mayLeave(stage.db.server, [sent!])).toEqual([false]);
    expect(await placeOf(sent!)).toBe("claimed");
    await report(stage.db.server, sent!, "FAILED");
    expect(await stage.stateOf(sent!)).toBe("FAILED");
  });
});

describe("an approval", () => {
  beforeEach(() => stage.set({ approveOverPaise: 1000n }).then(() => undefined));

  test("is not given for a suspended merchant; it can be rejected, and given afterwards", async () => {
    const [kept, rejected] = [await stage.waiting(), await stage.waiting()];
    await setStatus("suspended");
    expect(
      await codeOf(approve({ pool: ravi(), merchant: stage.merchant }, { approvalId: kept.transferId, note: "" })),
    ).toBe("access_denied");
    expect(await stage.stateOf(kept)).toBe("AWAITING_APPROVAL");
    expect(
      await codeOf(reject({ pool: ravi(), merchant: stage.merchant }, { approvalId: rejected.transferId, note: "No" })),
    ).toBe("done");
    await setStatus("active");
    expect(
      await codeOf(approve({ pool: ravi(), merchant: stage.merchant }, { approvalId: kept.transferId, note: "" })),
    ).toBe("done");
  });

  test("of a payout of the sandbox is not given once the merchant is live", async () => {
    const transfer = await stage.waiting();
    await goLive();
    expect(
      await codeOf(approve({ pool: ravi(), merchant: stage.merchant }, { approvalId: transfer.transferId, note: "" })),
    ).toBe("no_payout_provider");
    expect(await stage.stateOf(transfer)).toBe("AWAITING_APPROVAL");
    expect(
      await codeOf(reject({ pool: ravi(), merchant: stage.merchant }, { approvalId: transfer.transferId, note: "No" })),
    ).toBe("done");
  });

  test("that meets a suspension ends before it or not at all", async () => {
    for (let round = 0; round < 8; round += 1) {
      const transfer = await stage.waiting();
      const [code] = await Promise.all([
        codeOf(approve({ pool: ravi(), merchant: stage.merchant }, { approvalId: transfer.transferId, note: "" })),
        setStatus("suspended"),
      ]);
      expect(["done", "access_denied"]).toContain(code);
      expect(await stage.stateOf(transfer)).toBe(code === "done" ? "RESERVED" : "AWAITING_APPROVAL");
      await setStatus("active");
    }
  });
});

describe.each([
  ["live", "no_payout_provider", goLive],
  ["suspended", "access_denied", () => setStatus("suspended")],
] as const)("what Nodal pays by itself for a merchant that is %s", (_, code, change) => {
  test("commission stays due, by hand and by the daily payout", async () => {
    const franchise = await owedFranchise();
    await change();
    expect(
      await codeOf(commissionPayer.settle(stage.context, { franchiseId: franchise.franchiseId, expectedPaise: null })),
    ).toBe(code);
    const context = { pool: stage.db.server, ids: stage.db.ids, commissionPayer, logger: createLogger("silent") };
    await payDueCommission(context, { dueBy: franchise.nextPayoutAt, signal: null, merchant: stage.merchant });
    expect(await stage.count("transfer where true")).toBe(0);
  });

  test("a credit note is issued, and its refund stays owed", async () => {
    const shop = await Invoicing.ofNewMerchant(stage.db, FUNDS_PAISE);
    stage.merchant = shop.merchant;
    const invoice = await shop.save();
    await shop.pay(invoice, 11_800n);
    await change();
    const { note, refund } = await shop.credit(invoice, 5900n, { refundTo: PAYEE });
    expect(refund).toMatchObject({ refusal: { code }, isPayeeNew: false });
    expect(await codeOf(shop.refund(note))).toBe(code);
    expect(await stage.count("transfer where true")).toBe(0);
  });
});

test("the book is held while a status changes, so that what saw the earlier one has been committed", async () => {
  let changed = false;
  const changes: Promise<void>[] = [];
  await inTransaction(stage.db.server, async (connection) => {
    await lockBook(connection, stage.merchant.bucket, stage.merchant.merchantId);
    changes.push(
      setStatus("suspended").then(() => {
        changed = true;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(changed).toBe(false);
  });
  await Promise.all(changes);
  expect(changed).toBe(true);
});

test("afterwards the books are sound, but for what is said of merchants that went live with payouts on their way", async () => {
  const { violations } = await verify(stage.db.owner, null, COMMISSION_CHECKS);
  expect(violations.filter(({ check }) => check !== "live_on_simulator")).toEqual([]);
});

describe("the bank", () => {
  test("is not told to pay whose beneficiary is gone, and is told once that is put back", async () => {
    const [transfer] = await accepted();
    const of = [stage.merchant.merchantId];
    const kept = await stage.db.owner.query(
      "select to_jsonb(beneficiary) as row from beneficiary where merchant_id = $1",
      of,
    );
    await stage.db.owner.query("delete from beneficiary where merchant_id = $1", of);
    const bank = new PayingBank();
    await dispatching(stage.db, bank, async () => {
      await vi.waitFor(async () => expect(await stage.stateOf(transfer!)).toBe("UNKNOWN"), 60_000);
      expect(bank.paidOf(stage.merchant)).toEqual([]);
      await stage.db.owner.query("insert into beneficiary select (jsonb_populate_record(null::beneficiary, $1)).*", [
        JSON.stringify((kept.rows[0] as { row: object }).row),
      ]);
      await vi.waitFor(async () => expect(await stage.stateOf(transfer!)).toBe("SUCCESS"), 60_000);
    });
    expect(bank.paidOf(stage.merchant)).toEqual([{ transferId: transfer!.transferId, payee: VENDOR }]);
  });

  test.each([
    ["is of another row", "account_number = other.account_number"],
    ["names a data key that is not there", `account_number = 'enc1:9999:${"A".repeat(64)}'`],
    ["is beside another name", "name = 'Asha R'"],
    ["is beside another IFSC", "ifsc = 'ICIC0000002'"],
  ])("is not told to pay whose account %s, and is told of others' meanwhile", async (_, change) => {
    const [spoilt] = await accepted();
    const of = stage.merchant.merchantId;
    await stage.renew();
    const [sound] = await accepted();
    const { rowCount } = await stage.db.owner.query(
      `update beneficiary set ${change} from beneficiary other
       where beneficiary.merchant_id = $1 and other.merchant_id = $2`,
      [of, stage.merchant.merchantId],
    );
    expect(rowCount).toBe(1);
    const bank = new PayingBank();
    await dispatching(stage.db, bank, async () => {
      await vi.waitFor(async () => expect(await stage.stateOf(sound!)).toBe("SUCCESS"), 60_000);
      await vi.waitFor(async () => expect(await stage.stateOf(spoilt!)).toBe("UNKNOWN"), 60_000);
    });
    expect(bank.paidOf({ merchantId: of })).toEqual([]);
    expect(bank.paidOf(stage.merchant)).toEqual([{ transferId: sound!.transferId, payee: VENDOR }]);
  });

  test("is not told to pay by a process that stood still for longer than its lease while it asked", async () => {
    const [transfer] = await accepted();
    const claim = newClaim();
    await claimAll([transfer!], claim);
    await putBackClaims(stage.db.server, claim.processId, [{ ...claim, bucket: transfer!.bucket }]);
    const bank = new PayingBank();
    await dispatching(stage.db, bank, async (lease) => {
      const standing = vi.spyOn(lease, "isHeld", "get");
      let asked = 0;
      bank.status = async ({ transferId }) => {
        if (transferId === transfer!.transferId && (asked += 1) === 1) standing.mockReturnValue(false);
        return null;
      };
      await vi.waitFor(() => expect(asked).toBe(1), 60_000);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(bank.paidOf(stage.merchant)).toEqual([]);
      standing.mockRestore();
      await vi.waitFor(async () => expect(await stage.stateOf(transfer!)).toBe("SUCCESS"), 60_000);
    });
    expect(bank.paidOf(stage.merchant)).toEqual([{ transferId: transfer!.transferId, payee: VENDOR }]);
  });
});
