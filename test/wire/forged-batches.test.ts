// Batches of transfers that somebody changes with SQL while they wait: what was not asked for, or not approved, is not paid.
import { sealBooks } from "../../src/audit/seal-books.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { verifyInstallation } from "../../src/installation/index.ts";
import { changePayoutPolicy, requireMerchant, type PolicyChanges } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { nodalJson } from "../support/nodal.ts";
import "../support/expect-wire.ts";

const BATCH = "/api/v1/beneficiary/transfer/batch";
const SAVED = { account_number: "00011020001772", ifsc: "HDFC0000001" };

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

/** Which checks of a merchant's books find something. */
async function checksOf(merchant: { readonly id: string }): Promise<string[]> {
  const { violations } = await verifyInstallation(installation.pool, { merchant: BigInt(merchant.id) });
  return [...new Set(violations.map(({ check }) => check))];
}

type Line = Readonly<Record<string, string | number>>;
type Batch = Readonly<Record<string, unknown>> & { readonly outcomes: Readonly<Record<string, { count: number }>> };

async function set({ id }: TestMerchant, changes: PolicyChanges): Promise<void> {
  const { pool } = installation;
  await changePayoutPolicy(
    { pool, ids: new IdSource(pool), merchant: await requireMerchant(pool, BigInt(id)) },
    changes,
  );
}

async function ask(merchant: TestMerchant, transfers: readonly Members[]): Promise<string> {
  const answer = await merchant.post(BATCH, { name: "Salaries", transfers });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.batch_id as string;
}

async function read(merchant: TestMerchant, batchId: string): Promise<{ batch: Batch; lines: Line[] }> {
  const { body } = await merchant.get(`${BATCH}/status/${batchId}`);
  return { batch: body.success.batch as Batch, lines: body.success.transfers as Line[] };
}

/** The batch once no line of it waits for anything. */
async function settled(merchant: TestMerchant, batchId: string): Promise<{ batch: Batch; lines: Line[] }> {
  return vi.waitFor(
    async () => {
      const found = await read(merchant, batchId);
      expect(found.batch["batch_status"]).not.toBe("RUNNING");
      expect(found.lines.filter(({ status }) => ["WAITING", "PENDING"].includes(String(status)))).toEqual([]);
      return found;
    },
    { timeout: 180_000, interval: 100 },
  );
}

const brief = ({ line, reference_id: reference, status, code }: Line): string =>
  [line, reference, status, code].filter((each) => each !== "").join(" ");

describe("a batch", () => {
  test("of which a line was changed with SQL pays the others only, and verify says so", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    await set(merchant, { approveOverPaise: 20_000n });
    const batchId = await ask(merchant, [
      { beneficiary_id, amount: "150.00", reference_id: "kept" },
      { beneficiary_id, amount: "150.00", reference_id: "raised" },
    ]);
    const raise = "update payout_batch_line set amount_paise = 65000 where batch_id = $1 and reference_id = 'raised'";
    await installation.pool.query(raise, [batchId]);
    expect(await checksOf(merchant)).toEqual(["batch_line_proof", "batch_lines"]);
    await nodalJson(installation.environment, "approval", "approve", "--merchant", merchant.id, "--approval", batchId);
    const { lines } = await settled(merchant, batchId);
    expect(lines.map(brief)).toEqual(["1 kept SUCCESS", "2 raised REFUSED not_approved"]);
    expect(await merchant.available()).toBe("850.00");
    // What was planted is told for as long as it is there.
    expect(await checksOf(merchant)).toEqual(["batch_line_proof", "batch_lines"]);
    const mend = "update payout_batch_line set proof = null, amount_paise = 15000 where batch_id = $1";
    await installation.pool.query(mend, [batchId]);
  });

  test.each([
    ["IFSC", "ifsc = 'HDFC0009999'"],
    ["name", "name = 'Somebody Else'"],
  ])("pays nobody whose %s was changed with SQL, nor does a transfer", async (_, change) => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const spoilt = await merchant.addBeneficiary(SAVED);
    const sound = await merchant.addBeneficiary({ account_number: "00011020001773", ifsc: "HDFC0000001" });
    await set(merchant, { approveOverPaise: 20_000n });
    const batchId = await ask(merchant, [
      { beneficiary_id: spoilt, amount: "150.00", reference_id: "spoilt" },
      { beneficiary_id: sound, amount: "150.00", reference_id: "sound" },
    ]);
    const kept = (
      await installation.pool.query("select name, ifsc from beneficiary where beneficiary_id = $1", [spoilt])
    ).rows[0] as { name: string; ifsc: string };
    // As it was saved: afterwards it is mended, and must be as it was sealed.
    await sealBooks(installation.pool);
    await installation.pool.query(`update beneficiary set ${change} where beneficiary_id = $1`, [spoilt]);
    await nodalJson(installation.environment, "approval", "approve", "--merchant", merchant.id, "--approval", batchId);
    const { lines } = await settled(merchant, batchId);
    expect(lines.map(brief)).toEqual(["1 spoilt REFUSED beneficiary_not_approved", "2 sound SUCCESS"]);
    const direct = { beneficiary_id: spoilt, amount: "10.00", reference_id: "direct" };
    const refused = await merchant.post("/api/v1/beneficiary/transfer", direct);
    expect(refused).toBeRefusal({ status: 422, code: "beneficiary_not_approved" });
    expect(await merchant.available()).toBe("850.00");
    // The others are listed, and so is this one, without its account.
    const { body } = await merchant.get("/api/v1/beneficiary/list");
    expect(JSON.stringify(body)).toContain("00011020001773");
    expect(await checksOf(merchant)).toContain("encrypted_values");
    const mend = "update beneficiary set name = $2, ifsc = $3 where beneficiary_id = $1";
    await installation.pool.query(mend, [spoilt, kept.name, kept.ifsc]);
    expect((await merchant.post("/api/v1/beneficiary/transfer", direct)).status).toBe(200);
  });

  test("that is said with SQL to be approved is not paid before it really is", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    await set(merchant, { approveOverPaise: 20_000n });
    const batchId = await ask(merchant, [{ beneficiary_id, amount: "300.00", reference_id: "unseen" }]);
    const pretend =
      "update payout_batch set status = 'running', is_approved = true, due_at = now() where batch_id = $1";
    await installation.pool.query(pretend, [batchId]);
    // The worker has had it in hand once its turn is counted and it was given back.
    const turns = "select turn from payout_batch where batch_id = $1 and turn > 1";
    await expect.poll(async () => (await installation.pool.query(turns, [batchId])).rows.length).toBe(1);
    expect(await merchant.available()).toBe("1000.00");
    expect(await checksOf(merchant)).toContain("batch_proof");
    const back =
      "update payout_batch set status = 'awaiting_approval', is_approved = false, due_at = null where batch_id = $1";
    await installation.pool.query(back, [batchId]);
    await nodalJson(installation.environment, "approval", "approve", "--merchant", merchant.id, "--approval", batchId);
    const { lines } = await settled(merchant, batchId);
    expect(lines.map(brief)).toEqual(["1 unseen SUCCESS"]);
  });
});
