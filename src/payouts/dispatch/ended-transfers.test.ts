// Ended transfers that are reopened with SQL: nothing is sent, and nothing is booked twice.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { dispatching } from "../../../test/support/dispatching.ts";
import { keepingRows } from "../../../test/support/earlier-rows.ts";
import { accept, claim, report } from "../../../test/support/ledger.ts";
import { PayingBank } from "../../../test/support/paying-bank.ts";
import { codeOf, PolicyStage } from "../../../test/support/policy-stage.ts";
import { approve, reject } from "../../approvals/index.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { findForgedUtrs } from "../utr-proof.ts";
import { cancelTransfer } from "./cancel-transfer.ts";
import { applyResolution } from "./resolve-transfer.ts";
import { endUnsent } from "./unsent-store.ts";

let stage: PolicyStage;

beforeAll(async () => {
  stage = await PolicyStage.open();
});
beforeEach(() => stage.renew());
afterAll(() => stage.db.close());

async function accepted(): Promise<NewTransfer> {
  const transfer = await stage.payoutRequest({ amountPaise: 10n });
  await accept(stage.db.server, [transfer]);
  return transfer;
}

async function sent(): Promise<NewTransfer> {
  const transfer = await accepted();
  await claim(stage.db.server, [transfer]);
  return transfer;
}

async function reported(...statuses: Parameters<typeof report>[2][]): Promise<NewTransfer> {
  const transfer = await sent();
  await report(stage.db.server, transfer, ...statuses);
  return transfer;
}

async function waiting(): Promise<NewTransfer> {
  await stage.set({ approveOverPaise: 0n });
  return stage.waiting(10n);
}

const REJECTION = { note: "no" };
const resolution = (as: "success" | "failed") =>
  ({
    as,
    utr: as === "success" ? "UTR1" : null,
    reason: "r",
    evidence: "",
    unasked: null,
    operatorsOnly: false,
  }) as const;

function resolve(transfer: NewTransfer, as: "success" | "failed"): Promise<void> {
  const decision = {
    people: ["user:1", "user:2"],
    word: { status: as === "failed" ? "NOT_FOUND" : "PENDING" },
  } as const;
  return inTransaction(stage.db.server, (connection) =>
    applyResolution(connection, Temporal.Now.instant(), transfer, resolution(as), decision),
  );
}

const decideAs = (transfer: NewTransfer) =>
  [
    { ...stage.context, pool: stage.as("user:2") },
    { approvalId: transfer.transferId, ...REJECTION },
  ] as const;

/** Every way in which a transfer ends. */
const ENDS: Readonly<Record<string, () => Promise<NewTransfer>>> = {
  paid: () => reported("SUCCESS"),
  failed: () => reported("FAILED"),
  "rejected by the bank": () => reported("REJECTED"),
  returned: () => reported("SUCCESS", "REVERSED"),
  "paid after it had failed": () => reported("FAILED", "SUCCESS"),
  cancelled: async () => {
    const transfer = await accepted();
    await cancelTransfer(stage.context, transfer.transferId);
    return transfer;
  },
  "given up": async () => {
    const transfer = await accepted();
    const end = { state: "FAILED", reason: "Given up", origin: null } as const;
    const ids = [transfer.transferId];
    await inTransaction(stage.db.server, (connection) =>
      endUnsent(connection, Temporal.Now.instant(), stage.merchant, ids, end),
    );
    return transfer;
  },
  "refused by a second person": async () => {
    const transfer = await waiting();
    await reject(...decideAs(transfer));
    return transfer;
  },
  "resolved as failed": async () => {
    const transfer = await reported("UNKNOWN");
    await resolve(transfer, "failed");
    return transfer;
  },
  "resolved as paid": async () => {
    const transfer = await reported("UNKNOWN");
    await resolve(transfer, "success");
    return transfer;
  },
};

const owner = (text: string, transfer: NewTransfer) => stage.db.owner.query(text, [transfer.transferId]);

async function openAgain(transfer: NewTransfer, state: string): Promise<void> {
  await owner(`update transfer set state = '${state}', claim_id = null where transfer_id = $1`, transfer);
  await owner(
    "insert into transfer_dispatch select bucket, merchant_id, transfer_id, now() from transfer where transfer_id = $1",
    transfer,
  );
}

/** The payments that the bank receives after a question about a transfer. */
async function paidFor(transfer: NewTransfer): Promise<unknown[]> {
  const bank = new PayingBank();
  await dispatching(stage.db, bank, async () => {
    const asked = "select from transfer_dispatch where transfer_id = $1 and attempts > 0 and due_at > now()";
    await vi.waitFor(async () => expect((await owner(asked, transfer)).rowCount).toBe(1), 60_000);
  });
  return bank.paidOf(stage.merchant);
}

test.each(Object.keys(ENDS).flatMap((end) => ["RESERVED", "UNKNOWN", "PENDING"].map((state) => [end, state] as const)))(
  "one that was %s and that SQL sets back to %s is not sent, and is reported",
  async (end, state) => {
    const transfer = await ENDS[end]!();
    const before = await stage.availablePaise();
    await openAgain(transfer, state);
    const forged = await findForgedUtrs(stage.db.owner, stage.merchant);
    expect(forged.map(({ check, subjectId }) => [check, subjectId])).toContainEqual([
      "transfer_proof",
      transfer.transferId,
    ]);
    expect(await paidFor(transfer)).toEqual([]);
    expect(await stage.availablePaise()).toBe(before);
  },
);

test.each(Object.keys(ENDS))("one that was %s is not sent when SQL puts its earlier row back", async (end) => {
  await keepingRows(stage.db.owner, "transfer", ["bucket", "merchant_id", "transfer_id"], async (earlier) => {
    const transfer = await ENDS[end]!();
    const before = await stage.availablePaise();
    await earlier.putBack(`transfer_id = ${transfer.transferId}`);
    await openAgain(transfer, "RESERVED");
    expect(await paidFor(transfer)).toEqual([]);
    expect(await codeOf(cancelTransfer(stage.context, transfer.transferId))).toBe("not_cancellable");
    expect(await stage.availablePaise()).toBe(before);
  });
});

test.each(Object.keys(ENDS))("of one that was %s and that SQL opens again nothing is booked", async (end) => {
  const transfer = await ENDS[end]!();
  const before = await stage.availablePaise();
  const entries = () => stage.count("journal where true");
  const written = await entries();
  await openAgain(transfer, "RESERVED");
  expect(await codeOf(cancelTransfer(stage.context, transfer.transferId))).toBe("not_cancellable");
  for (const status of ["FAILED", "REJECTED", "SUCCESS"] as const) {
    await owner("update transfer set state = 'UNKNOWN', claim_id = null where transfer_id = $1", transfer);
    await report(stage.db.server, transfer, status);
    expect(await stage.stateOf(transfer)).toBe("UNKNOWN");
  }
  for (const as of ["failed", "success"] as const)
    expect(await codeOf(resolve(transfer, as))).toBe("approval_not_allowed");
  await owner("update transfer set state = 'AWAITING_APPROVAL' where transfer_id = $1", transfer);
  await owner(
    "update approval set decision = null, decided_by = null, decided_at = null where subject_id = $1",
    transfer,
  );
  if (end === "refused by a second person") {
    expect(await codeOf(approve(...decideAs(transfer)))).toBe("approval_not_allowed");
    expect(await codeOf(reject(...decideAs(transfer)))).toBe("approval_not_allowed");
  }
  expect([await entries(), await stage.availablePaise()]).toEqual([written, before]);
});

test.each([
  ["RESERVED", "FAILED", "SUCCESS"],
  ["FAILED", "SUCCESS", "SUCCESS"],
  ["SUCCESS", "FAILED", "SUCCESS"],
  ["FAILED", "REVERSED", "REVERSED"],
] as const)("of one that is %s, and %s by SQL, a report of %s books nothing", async (state, changed, status) => {
  const transfer = state === "RESERVED" ? await sent() : await reported(state);
  const before = await stage.availablePaise();
  await owner(`update transfer set state = '${changed}' where transfer_id = $1`, transfer);
  await report(stage.db.server, transfer, status);
  expect(await stage.availablePaise()).toBe(before);
});

test.each(["amount_paise * 10", "amount_paise - 1"])(
  "reports and rejections of one whose amount SQL changed to %s move what was set aside",
  async (amount) => {
    const funds = await stage.availablePaise();
    const change = (transfer: NewTransfer) =>
      owner(`update transfer set amount_paise = ${amount} where transfer_id = $1`, transfer);
    const failed = await sent();
    await change(failed);
    await report(stage.db.server, failed, "FAILED");
    expect(await stage.availablePaise()).toBe(funds);
    const paid = await sent();
    await change(paid);
    await report(stage.db.server, paid, "SUCCESS");
    expect(await stage.availablePaise()).toBe(funds - 10n);
    await report(stage.db.server, paid, "REVERSED");
    expect(await stage.availablePaise()).toBe(funds);
    await report(stage.db.server, failed, "SUCCESS");
    expect(await stage.availablePaise()).toBe(funds - 10n);
    const refused = await waiting();
    await change(refused);
    await reject(...decideAs(refused));
    expect(await stage.availablePaise()).toBe(funds - 10n);
    const { rows } = await stage.db.owner.query(
      "select distinct amount_paise from journal where merchant_id = $1 and kind <> 'funds_in'",
      [stage.merchant.merchantId],
    );
    expect(rows).toEqual([{ amount_paise: 10n }]);
  },
);
