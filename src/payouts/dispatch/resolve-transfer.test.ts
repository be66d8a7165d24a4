// Stuck transfers, and resolving them by hand. Later reports of the provider are booked after that.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { approve, reject } from "../../approvals/index.ts";
import {
  accept,
  applyReports,
  claim,
  newTransfer,
  openLedgerDatabase,
  report,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { readAccounts } from "../../../test/support/ledger-comparison.ts";
import { withTestSecrets } from "../../../test/support/secrets.ts";
import { openLivePayer } from "../../../test/support/stand-ins.ts";
import type { StandIn } from "../../../stand-ins/stand-in.ts";
import type { Merchant, Resolution } from "../../merchants/index.ts";
import { createPool, type OwnedPool } from "../../platform/database/pool.ts";
import { createLogger } from "../../platform/log.ts";
import { PaymentReview } from "../providers/payment-review.ts";
import { Rails } from "../providers/rails.ts";
import {
  listResolvedTransfers,
  listStuckTransfers,
  requestResolution,
  type ResolveTransfer,
} from "./resolve-transfer.ts";
import type { NewTransfer } from "../transfer-store.ts";
import { verify } from "../verify/verify.ts";

const FUNDS_PAISE = 100_000n;
const AMOUNT_PAISE = 30_000n;
const NEVER = new AbortController().signal;
const NO_DEBIT = "Statement of 18 to 23 November: no debit of 300.00";
const PAID = { as: "success", utr: "412345678901", reason: "Seen in the bank's statement", evidence: "" } as const;
const NOT_PAID = { as: "failed", utr: null, reason: "The bank says so on the telephone", evidence: NO_DEBIT } as const;
const WITHOUT_EVIDENCE = { ...NOT_PAID, evidence: "" } as const;

let db: LedgerDatabase;
let other: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  other = withTestSecrets(createPool({ url: db.url, size: 2, role: "nodal_server", actor: "user:77" }));
});
afterAll(async () => {
  await other.end();
  await db.close();
});

describe.each(["cashfree", "razorpayx"] as const)("%s", (name) => {
  let bank: StandIn;
  let merchant: Merchant;
  let rails: Rails;
  let rail: string;
  let stuck: NewTransfer;

  beforeEach(async () => {
    ({ bank, merchant, rail } = await openLivePayer(db, name, FUNDS_PAISE));
    rails = new Rails(db.server, null, 5000);
    stuck = await send("stuck");
    await age(stuck);
    return () => bank.stop();
  });

  /** A transfer that the provider has accepted without reporting a result. */
  async function send(reference: string): Promise<NewTransfer> {
    const transfer = await sendOver(rail, reference);
    const connector = await rails.connector(rail, merchant);
    await connector.submit({ ...transfer, mode: transfer.railMode }, NEVER);
    return transfer;
  }

  async function sendOver(over: string, reference: string): Promise<NewTransfer> {
    const transfer = { ...newTransfer(merchant, await db.ids.next(), AMOUNT_PAISE, reference), rail: over };
    await accept(db.server, [transfer]);
    await claim(db.server, [transfer]);
    await report(db.server, transfer, "PENDING");
    return transfer;
  }

  async function age({ transferId }: NewTransfer): Promise<void> {
    const before = "interval '20 days'";
    await db.owner.query(`update transfer set added_at = added_at - ${before} where transfer_id = $1`, [transferId]);
    await db.owner.query(
      `update journal set created_at = created_at - ${before} where subject_id = $1 and kind = 'reserve'`,
      [transferId],
    );
  }

  /** Makes the provider refuse the connected credentials. */
  function breakCredentials(): void {
    Object.assign(bank.desk.credentials, { secret: "nobody-has-this" });
  }

  function move(state: "PAID" | "FAILED"): void {
    bank.desk.book.move(bank.desk.book.listPayments()[0]!.providerId, state, null, bank.desk.clock.nowMs());
  }

  type ResolutionRequest = Omit<ResolveTransfer, "transferId">;
  const ask = (said: ResolutionRequest, transferId = stuck.transferId) =>
    requestResolution({ pool: db.server, ids: db.ids, merchant, accounts: db.server }, { transferId, ...said });
  const decide = (approvalId: bigint, how = approve) => how({ pool: other, merchant }, { approvalId, note: "Seen" });
  const accounts = async () => (await readAccounts(db, [merchant]))[0]!;
  const hear = async (): Promise<void> => {
    const said = await (await rails.connector(rail, merchant)).status(stuck, NEVER);
    await applyReports(db.server, Temporal.Now.instant(), [{ ...said!, dueAt: null, attempts: 1 }]);
  };

  async function find() {
    const { rows } = await db.owner.query<{ state: string; utr: string | null; resolved_as: string | null }>(
      "select state, utr, resolved_as from transfer where transfer_id = $1",
      [stuck.transferId],
    );
    return rows[0];
  }

  async function expectSound(): Promise<void> {
    const { violations } = await verify(db.owner, merchant);
    expect(violations).toEqual([]);
  }

  test("what has been open for too long, or without any answer for an hour, is listed; nothing else", async () => {
    const fresh = await send("fresh");
    await report(db.server, fresh, "UNKNOWN");
    expect(await listStuckTransfers(db.server, merchant)).toMatchObject([
      { transferId: stuck.transferId, amountPaise: AMOUNT_PAISE, state: "PENDING", rail },
    ]);
    const lost = { ...newTransfer(merchant, await db.ids.next(), 100n, "lost"), rail };
    await accept(db.server, [lost]);
    await claim(db.server, [lost]);
    await report(db.server, lost, "UNKNOWN");
    expect(await listStuckTransfers(db.server, merchant)).toHaveLength(1);
    await db.owner.query("update transfer set added_at = now() - interval '61 minutes' where transfer_id = $1", [
      lost.transferId,
    ]);
    expect((await listStuckTransfers(db.server, merchant)).map(({ transferId }) => transferId)).toEqual([
      stuck.transferId,
      lost.transferId,
    ]);
    expect((await listStuckTransfers(db.server, null)).length).toBeGreaterThanOrEqual(2);
  });

  test("a success is booked once a second person has approved it, with its reference and reason", async () => {
    const approvalId = await ask(PAID);
    expect(await find()).toMatchObject({ state: "PENDING", resolved_as: null });
    const same = approve({ pool: db.server, merchant }, { approvalId, note: "" });
    await expect(same).rejects.toMatchObject({ code: "same_person" });
    await decide(approvalId);
    expect(await find()).toEqual({ state: "SUCCESS", utr: PAID.utr, resolved_as: "success" });
    expect(await accounts()).toMatchObject({ held: 0n, payout_clearing: AMOUNT_PAISE });
    const { rows } = await db.owner.query(
      "select actor, after from journal where type = 'transfer.resolved' and subject_id = $1",
      [stuck.transferId],
    );
    const after = { resolved_as: "success", utr: PAID.utr, reason: PAID.reason, provider_status: "PENDING" };
    expect(rows).toEqual([{ actor: "user:77", after }]);
    expect(await listStuckTransfers(db.server, merchant)).toEqual([]);
    await expectSound();
  });

  test("what the provider says later comes after it: a return, or a late success", async () => {
    await decide(await ask(PAID));
    move("FAILED");
    await hear();
    expect(await find()).toMatchObject({ state: "REVERSED" });
    expect(await accounts()).toMatchObject({ available: FUNDS_PAISE, payout_clearing: 0n });
    await expectSound();
  });

  test("what was resolved as failed and is paid after all is a late success, also without a webhook", async () => {
    await decide(await ask(NOT_PAID));
    expect(await find()).toMatchObject({ state: "FAILED", resolved_as: "failed" });
    expect(await accounts()).toMatchObject({ available: FUNDS_PAISE, held: 0n });
    move("PAID");
    const review = new PaymentReview({
      pool: db.owner,
      rails,
      hear: async () => hear(),
      logger: createLogger("silent"),
    });
    await review.runDue(Temporal.Now.instant().add({ hours: 2 }));
    expect(await find()).toMatchObject({ state: "SUCCESS" });
    expect((await accounts()).payout_clearing).toBeGreaterThan(AMOUNT_PAISE);
    await expectSound();
  });

  test("is refused where the provider contradicts, agrees, or can't be asked; nothing is changed", async () => {
    bank.desk.faults.add({ kind: "error_before", on: "status" });
    await expect(ask(PAID)).rejects.toMatchObject({ code: "provider_check_failed" });
    bank.desk.faults.clear();
    move("PAID");
    await expect(ask(NOT_PAID)).rejects.toMatchObject({ code: "provider_contradicts" });
    await expect(ask(PAID)).rejects.toMatchObject({ code: "transfer_not_stuck" });
    const fresh = await send("fresh");
    await expect(ask(PAID, fresh.transferId)).rejects.toMatchObject({ code: "transfer_not_stuck" });
    await expect(ask(PAID, 1n)).rejects.toMatchObject({ code: "transfer_not_found" });
    const { rows } = await db.owner.query("select from approval where merchant_id = $1", [merchant.merchantId]);
    expect(rows).toEqual([]);
  });

  test("where the provider can't be asked at all, evidence and a second person stand in for its word", async () => {
    // Evidence doesn't help while the provider only fails temporarily.
    bank.desk.faults.add({ kind: "error_before", on: "status" });
    await expect(ask(NOT_PAID)).rejects.toMatchObject({
      code: "provider_check_failed",
      message: expect.stringMatching(/once it answers/) as string,
    });
    bank.desk.faults.clear();
    breakCredentials();
    await expect(ask(WITHOUT_EVIDENCE)).rejects.toMatchObject({
      message: expect.stringMatching(/enter what the bank statement shows/) as string,
    });
    const approvalId = await ask(NOT_PAID);
    expect(await find()).toMatchObject({ state: "PENDING" });
    const { rows: asked } = await db.owner.query<{ change: { resolution: Resolution } }>(
      "select change from approval where approval_id = $1",
      [approvalId],
    );
    expect(asked[0]!.change.resolution.unasked).toMatch(/refuses these credentials/);
    await decide(approvalId);
    expect(await find()).toMatchObject({ state: "FAILED", resolved_as: "failed" });
    const { rows } = await db.owner.query<{ after: object }>(
      "select after from journal where type = 'transfer.resolved' and subject_id = $1",
      [stuck.transferId],
    );
    const provider_not_asked = expect.stringMatching(/credentials/) as string;
    expect(rows[0]!.after).toMatchObject({ resolved_as: "failed", evidence: NO_DEBIT, provider_not_asked });
    await expectSound();
  });

  test("a provider that has been out of order for a day is not waited for; an account that is gone neither", async () => {
    bank.desk.faults.add({ kind: "error_before", on: "status" });
    const evident = { ...PAID, evidence: "Debit of 300.00 on the 18th" };
    const failing = "update provider_account set failing_since = now() - $2::interval where merchant_id = $1";
    await db.owner.query(failing, [merchant.merchantId, "23 hours"]);
    await expect(ask(evident)).rejects.toMatchObject({ code: "provider_check_failed" });
    await db.owner.query(failing, [merchant.merchantId, "25 hours"]);
    const approvalId = await ask(evident);
    await decide(approvalId);
    expect(await find()).toMatchObject({ state: "SUCCESS", utr: PAID.utr });
    const second = await sendOver(`${name}:1`, "second");
    await age(second);
    await decide(await ask(NOT_PAID, second.transferId));
    await expectSound();
  });

  test("what the provider says later is compared with what people said, and told", async () => {
    expect(await listResolvedTransfers(db.server, merchant)).toEqual([]);
    await decide(await ask(PAID));
    const [listed] = await listResolvedTransfers(db.server, merchant);
    expect(listed).toMatchObject({ resolvedAs: "success", resolvedBy: "user:77", contradicts: null, utr: PAID.utr });
    move("PAID");
    await new PaymentReview({
      pool: db.owner,
      rails,
      hear: async () => hear(),
      logger: createLogger("silent"),
    }).runDue(Temporal.Now.instant().add({ hours: 2 }));
    const [told] = await listResolvedTransfers(db.server, merchant);
    expect(told).toMatchObject({ contradicts: "utr", resolvedUtr: PAID.utr });
    expect(told!.utr).not.toBe(PAID.utr);

    const second = await send("second");
    await age(second);
    await decide(await ask(NOT_PAID, second.transferId));
    await report(db.server, second, "SUCCESS");
    expect((await listResolvedTransfers(db.server, null)).slice(0, 2)).toMatchObject([
      { transferId: second.transferId, contradicts: "outcome", state: "SUCCESS" },
      { transferId: stuck.transferId, contradicts: "utr" },
    ]);
    await expectSound();
  });

  test("an approval comes too late for what has ended; one that is rejected changes nothing", async () => {
    await decide(await ask(NOT_PAID), reject);
    expect(await find()).toMatchObject({ state: "PENDING", resolved_as: null });
    const approvalId = await ask(NOT_PAID);
    move("PAID");
    await hear();
    await expect(decide(approvalId)).rejects.toMatchObject({ code: "transfer_not_stuck" });
    expect(await find()).toMatchObject({ state: "SUCCESS", resolved_as: null });
    await expectSound();
  });

  test("of many who approve at once, and the provider beside them, it is booked once", async () => {
    const approvalIds = await Promise.all([ask(NOT_PAID), ask(NOT_PAID), ask(NOT_PAID)]);
    // A webhook reports the success before the provider's status does; each decision asks for the status.
    const hearOfSuccess = () => report(db.server, stuck, "SUCCESS");
    const decisions = approvalIds.map((approvalId) => decide(approvalId));
    await Promise.allSettled([...decisions, hearOfSuccess(), hearOfSuccess()]);
    await hearOfSuccess();
    expect(await find()).toMatchObject({ state: "SUCCESS" });
    await expectSound();
  });
});
