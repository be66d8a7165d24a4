// Who may resolve a stuck transfer by hand, and when: the provider is asked at the request and again at the decision.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { approve, reject } from "../../approvals/index.ts";
import {
  accept,
  claim,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { connectStandIn, openLivePayer } from "../../../test/support/stand-ins.ts";
import type { StandIn } from "../../../stand-ins/stand-in.ts";
import { countWaitingFor, mayDecide, type Merchant } from "../../merchants/index.ts";
import { actingAs } from "../../platform/database/tenant.ts";
import type { Actor } from "../../platform/origin.ts";
import { railName } from "../providers/provider-account.ts";
import { Rails } from "../providers/rails.ts";
import { requestResolution, type ResolveTransfer } from "./resolve-transfer.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { verify } from "../verify/verify.ts";

const FUNDS_PAISE = 100_000n;
const AMOUNT_PAISE = 30_000n;
const NEVER = new AbortController().signal;
const NO_DEBIT = "Statement of 18 to 23 November: no debit of 300.00";
const PAID = { as: "success", utr: "412345678901", reason: "Seen in the bank's statement", evidence: "" } as const;
const NOT_PAID = { as: "failed", utr: null, reason: "The bank says so on the telephone", evidence: NO_DEBIT } as const;
const WITHOUT_EVIDENCE = { ...NOT_PAID, evidence: "" } as const;
const [RAVI, ASHA] = ["user:76", "user:77"] as const;
const [ONE, TWO] = ["operator:5", "operator:6"] as const;

let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

describe.each(["cashfree", "razorpayx"] as const)("%s", (name) => {
  let bank: StandIn;
  let merchant: Merchant;
  let rails: Rails;
  let rail: string;
  let stuck: NewTransfer;

  beforeEach(async () => {
    ({ bank, merchant, rail } = await openLivePayer(db, name, FUNDS_PAISE));
    rails = new Rails(db.server, null, 5000);
    stuck = await send("stuck", { isKnown: true, state: "PENDING" });
    return () => bank.stop();
  });

  /** A transfer from twenty days ago, which the provider has or hasn't. */
  async function send(
    reference: string,
    { isKnown, state, over = rail }: { isKnown: boolean; state: "PENDING" | "UNKNOWN"; over?: string },
  ): Promise<NewTransfer> {
    const transfer = { ...newTransfer(merchant, await db.ids.next(), AMOUNT_PAISE, reference), rail: over };
    await accept(db.server, [transfer]);
    await claim(db.server, [transfer]);
    if (isKnown) await (await rails.connector(over, merchant)).submit({ ...transfer, mode: transfer.railMode }, NEVER);
    await report(db.server, transfer, state);
    const { transferId } = transfer;
    const before = "interval '20 days'";
    await db.owner.query(`update transfer set added_at = added_at - ${before} where transfer_id = $1`, [transferId]);
    await db.owner.query(
      `update journal set created_at = created_at - ${before} where subject_id = $1 and kind = 'reserve'`,
      [transferId],
    );
    return transfer;
  }

  /** Makes the provider refuse the connected credentials. */
  function breakCredentials(): void {
    Object.assign(bank.desk.credentials, { secret: "nobody-has-this" });
  }

  function move(state: "PAID" | "FAILED"): void {
    bank.desk.book.move(bank.desk.book.listPayments()[0]!.providerId, state, null, bank.desk.clock.nowMs());
  }

  const as = (actor: Actor) => actingAs(db.server, actor);
  const askAs = (actor: Actor, said: Omit<ResolveTransfer, "transferId">) =>
    requestResolution(
      { pool: as(actor), ids: db.ids, merchant, accounts: db.server },
      { transferId: stuck.transferId, ...said },
    );
  const decideAs = (actor: Actor, approvalId: bigint, how = approve) =>
    how({ pool: as(actor), merchant }, { approvalId, note: "Seen" });
  const approveAs = (actor: Actor, approvalId: bigint) => decideAs(actor, approvalId);

  async function find() {
    const { rows } = await db.owner.query<{ state: string; resolved_as: string | null }>(
      "select state, resolved_as from transfer where transfer_id = $1",
      [stuck.transferId],
    );
    return rows[0];
  }

  async function expectSound(): Promise<void> {
    expect((await verify(db.owner, merchant)).violations).toEqual([]);
  }

  /** Nothing was decided. */
  async function expectOpen(approvalId: bigint): Promise<void> {
    expect(await find()).toMatchObject({ state: "PENDING", resolved_as: null });
    const { rows } = await db.owner.query("select decision from approval where approval_id = $1", [approvalId]);
    expect(rows).toEqual([{ decision: null }]);
  }

  test("a failure that the provider calls pending needs evidence and an operator", async () => {
    await expect(askAs(RAVI, WITHOUT_EVIDENCE)).rejects.toMatchObject({
      code: "validation_failed",
      errors: [expect.objectContaining({ field: "evidence" })],
    });
    const approvalId = await askAs(RAVI, NOT_PAID);
    await expect(approveAs(ASHA, approvalId)).rejects.toMatchObject({ code: "approval_not_allowed" });
    await expectOpen(approvalId);
    await approveAs(ONE, approvalId);
    expect(await find()).toMatchObject({ state: "FAILED", resolved_as: "failed" });
    const { rows } = await db.owner.query<{ after: object }>(
      "select after from journal where type = 'transfer.resolved' and subject_id = $1",
      [stuck.transferId],
    );
    expect(rows[0]!.after).toMatchObject({ evidence: NO_DEBIT, provider_status: "PENDING" });
    await expectSound();
  });

  test("a success that the provider has under way is for the merchant's own people", async () => {
    await approveAs(ASHA, await askAs(RAVI, PAID));
    expect(await find()).toMatchObject({ state: "SUCCESS" });
  });

  test("the provider is asked again at the decision", async () => {
    const approvalId = await askAs(RAVI, PAID);
    bank.desk.faults.add({ kind: "error_before", on: "status" });
    await expect(approveAs(ASHA, approvalId)).rejects.toMatchObject({
      code: "provider_check_failed",
      message: expect.stringMatching(/once it answers/) as string,
    });
    bank.desk.faults.clear();
    await expectOpen(approvalId);
    move("FAILED");
    await expect(approveAs(ASHA, approvalId)).rejects.toMatchObject({ code: "provider_contradicts" });
    await expectOpen(approvalId);
    // Rejecting it doesn't ask the provider.
    await decideAs(ASHA, approvalId, reject);
  });

  const codesOf = (decisions: readonly Promise<unknown>[]) =>
    Promise.all(
      decisions.map((decision) =>
        decision.then(
          () => "done",
          (error: unknown) => (error as { code?: string }).code ?? String(error),
        ),
      ),
    );

  test("it is decided once, however many people approve and reject it at once", async () => {
    const approvalId = await askAs(RAVI, PAID);
    const codes = await codesOf([
      ...[ONE, TWO, ASHA, ONE].map((actor) => approveAs(actor, approvalId)),
      decideAs(TWO, approvalId, reject),
    ]);
    expect(codes.toSorted()).toEqual([...Array.from({ length: 4 }, () => "approval_decided"), "done"]);
    await expectSound();
  });

  test("of two requests, one is decided", async () => {
    const [first, second] = [await askAs(RAVI, PAID), await askAs(ASHA, NOT_PAID)];
    const decisions = [approveAs(ONE, first), approveAs(TWO, second)];
    expect((await codesOf(decisions)).toSorted()).toEqual(["done", "transfer_not_stuck"]);
    const message = expect.stringMatching(/has ended since .* reject the request/) as string;
    await expect(Promise.all(decisions)).rejects.toMatchObject({ message });
    await expectSound();
  });

  test("what was decided with a key stays decided, whatever the provider says when it is sent again", async () => {
    const approvalId = await askAs(RAVI, PAID);
    const idempotency = { key: "approve-1", requestHash: Buffer.alloc(32) };
    const context = { pool: as(ASHA), merchant, idempotency };
    await approve(context, { approvalId, note: "" });
    move("FAILED");
    expect(await approve(context, { approvalId, note: "" })).toMatchObject({ decision: "approved" });
  });

  test("a payment that the provider does not know can't have been paid", async () => {
    stuck = await send("lost", { isKnown: false, state: "UNKNOWN" });
    await expect(askAs(RAVI, PAID)).rejects.toMatchObject({ code: "provider_contradicts" });
    await expect(askAs(ONE, { ...PAID, evidence: "Debit" })).rejects.toMatchObject({ code: "provider_contradicts" });
    await approveAs(ASHA, await askAs(RAVI, WITHOUT_EVIDENCE));
    expect(await find()).toMatchObject({ state: "FAILED" });
  });

  test.each([
    ["amount_paise * 100", "amount_paise / 100"],
    ["amount_paise - 1", "amount_paise + 1"],
  ])("no outcome is booked of one whose amount SQL changed to %s", async (spoil, mend) => {
    stuck = await send(`changed to ${spoil}`, { isKnown: false, state: "UNKNOWN" });
    const approvalId = await askAs(RAVI, WITHOUT_EVIDENCE);
    const change = (amount: string) =>
      db.owner.query(`update transfer set amount_paise = ${amount} where transfer_id = $1`, [stuck.transferId]);
    await change(spoil);
    await expect(approveAs(ASHA, approvalId)).rejects.toMatchObject({ code: "approval_not_allowed" });
    await change(mend);
    await approveAs(ASHA, approvalId);
    expect(await find()).toMatchObject({ state: "FAILED" });
    await expectSound();
  });

  test("a payment that it had accepted and no longer knows has not simply failed", async () => {
    stuck = await send("vanished", { isKnown: false, state: "PENDING" });
    await expect(askAs(RAVI, WITHOUT_EVIDENCE)).rejects.toMatchObject({ code: "validation_failed" });
    const approvalId = await askAs(RAVI, NOT_PAID);
    await expect(approveAs(ASHA, approvalId)).rejects.toMatchObject({ code: "approval_not_allowed" });
    await approveAs(ONE, approvalId);
  });

  test("where the provider can't be asked, two people of the merchant are not enough", async () => {
    const approvalId = await askAs(RAVI, NOT_PAID);
    breakCredentials();
    await expect(approveAs(ASHA, approvalId)).rejects.toMatchObject({ code: "approval_not_allowed" });
    await expectOpen(approvalId);
    await approveAs(ONE, approvalId);
    expect(await find()).toMatchObject({ state: "FAILED" });
  });

  test("while a server has it in hand, and might send it anew, it does not fail", async () => {
    const approvalId = await askAs(RAVI, NOT_PAID);
    await claim(db.server, [stuck]);
    await expect(approveAs(ONE, approvalId)).rejects.toMatchObject({ code: "unavailable" });
    await expectOpen(approvalId);
    await report(db.server, stuck, "PENDING");
    await approveAs(ONE, approvalId);
    expect(await find()).toMatchObject({ state: "FAILED" });
  });

  test("over the installation's account only operators do, two of them", async () => {
    await connectStandIn({ pool: db.server, ids: db.ids }, bank, null);
    const { rows } = await db.owner.query<{ account_id: bigint }>(
      "select max(account_id) as account_id from provider_account where merchant_id = 0",
    );
    const over = railName({ provider: name, merchantId: 0n, accountId: rows[0]!.account_id });
    stuck = await send("over the installation's", { isKnown: true, state: "PENDING", over });
    for (const said of [PAID, NOT_PAID])
      await expect(askAs(RAVI, said)).rejects.toMatchObject({ code: "approval_not_allowed" });
    const approvalId = await askAs(ONE, NOT_PAID);
    for (const actor of [RAVI, ASHA])
      await expect(approveAs(actor, approvalId)).rejects.toMatchObject({ code: "approval_not_allowed" });
    await expect(approveAs(ONE, approvalId)).rejects.toMatchObject({ code: "same_person" });
    await expectOpen(approvalId);
    expect(await countWaitingFor(db.server, merchant, ASHA)).toBe(0);
    await approveAs(TWO, approvalId);
    expect(await find()).toMatchObject({ state: "FAILED" });
  });

  test("nobody records the outcome of one whose account SQL changed, which no provider is asked about", async () => {
    const approvalId = await askAs(RAVI, NOT_PAID);
    const change = (to: string) =>
      db.owner.query("update transfer set rail = $2 where transfer_id = $1", [stuck.transferId, to]);
    await change(`${name}:999999`);
    await expect(askAs(ONE, NOT_PAID)).rejects.toMatchObject({ code: "approval_not_allowed" });
    await expect(approveAs(ONE, approvalId)).rejects.toMatchObject({ code: "approval_not_allowed" });
    await change(rail);
    await approveAs(ONE, approvalId);
    expect(await find()).toMatchObject({ state: "FAILED" });
  });

  test("operators decide stuck transfers, and nothing else of a merchant", () => {
    expect(mayDecide({ kind: "transfer", resolution: null }, ONE)).toBe(false);
    expect(mayDecide({ kind: "transfer", resolution: null }, ASHA)).toBe(true);
    const resolution = { ...NOT_PAID, unasked: null, operatorsOnly: false };
    expect(mayDecide({ kind: "transfer_resolution", resolution }, ONE)).toBe(true);
  });
});
