// A server with more to do than it can: requests beyond its limit are turned away while those inside are finished, and
// a statement that goes on too long is given up.
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";
import { send } from "../support/nodal.ts";
import { SERVERS } from "../support/proxied-servers.ts";

const IN_FLIGHT = 10;
/** What fills all servers. */
const TRANSFERS = IN_FLIGHT * SERVERS;

let installation: Installation;
let merchant: TestMerchant;

beforeAll(async () => {
  installation = await Installation.startProcess({
    MAX_REQUESTS_IN_FLIGHT: String(IN_FLIGHT),
    STATEMENT_TIMEOUT_MS: "1500",
    RATE_LIMIT_PER_MINUTE: "100000",
  });
  merchant = await installation.newMerchant({ fund: "1000.00" });
});
afterAll(() => installation.stop());

/** Holds a table, so that nobody else can use it, while `work` goes on. */
function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  return inTransaction(installation.pool, async (connection) => {
    await connection.query(`lock table ${table} in access exclusive mode`);
    return work();
  });
}

test("beyond its limit the server answers 503 with Retry-After, and finishes the transfers in hand", async () => {
  const beneficiaryId = await merchant.addBeneficiary();
  const inProgress: ReturnType<TestMerchant["transfer"]>[] = [];
  await whileLocked("ledger_book", async () => {
    for (let number = 0; number < TRANSFERS; number += 1) {
      inProgress.push(
        merchant.transfer({ beneficiary_id: beneficiaryId, amount: "1.00", reference_id: `in-hand-${number}` }),
      );
    }
    await expect.poll(async () => (await merchant.list()).status, { timeout: 180_000 }).toBe(503);
    const refused = await merchant.list();
    expect([refused.body.code, refused.headers.get("retry-after")]).toEqual(["unavailable", "1"]);
    expect((await send(installation.server.baseUrl, "GET", "/healthz")).status).toBe(200);
  });
  for (const answer of await Promise.all(inProgress)) {
    expect(answer.body).toMatchObject({ status: "1", transfer_status: "SUCCESS" });
  }
  expect((await merchant.list()).status).toBe(200);
});

test("a statement that takes too long is given up with 503, and leaves nothing behind", async () => {
  const answer = await whileLocked("beneficiary", () =>
    merchant.save({ name: "Late", ...GOOD_ACCOUNT, upi: "late@upi" }),
  );
  expect([answer.status, answer.body.code, answer.headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
  expect((await merchant.list()).body).toMatchObject({ total_records: 1 });
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
