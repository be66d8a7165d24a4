// A server behind PgBouncer in transaction mode: what goes through it, what past it, and what it is refused with where PgBouncer
// or its user is not as it must be. The wire tests run through it by `npm run test:pgbouncer`.
import { afterAll, beforeAll, expect, test } from "vitest";
import { GOOD_ACCOUNT, Installation } from "./support/installation.ts";
import { nodal, NodalProcess, type Environment } from "./support/nodal.ts";
import { pooledEnvironmentOf } from "./support/prepared-data.ts";
import { isServerRunning } from "../src/database.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.startProcess({}, pooledEnvironmentOf);
});
afterAll(() => installation.stop());

test("payouts and commands work through it, from many connections at once", async () => {
  const merchants = await Promise.all(
    Array.from({ length: 6 }, (_, index) => installation.newMerchant({ fund: "1000.00", name: `Merchant ${index}` })),
  );
  await Promise.all(
    merchants.map(async (merchant) => {
      const beneficiary = await merchant.addBeneficiary(GOOD_ACCOUNT);
      const body = { beneficiary_id: beneficiary, amount: "10.00", narrative: "x" };
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => merchant.transfer({ ...body, reference_id: `r${index}` })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      await Promise.all(
        answers.map(({ body: answer }) => merchant.recordWith("SUCCESS", answer.transfer_id as string)),
      );
      expect(await merchant.available()).toBe("900.00");
    }),
  );
  expect(await installation.findProblems()).toEqual([]);
});

test("only ids, the lease, metrics and owners' work go past it", async () => {
  const countOf = async (user: string): Promise<number> => {
    const { rows } = await installation.pool.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and usename = $1`,
      [user],
    );
    return rows[0]!.count;
  };
  // Beside these there may be the other connection of this test's own pool; what a command had ends a moment later.
  await expect.poll(() => countOf("nodal")).toBeLessThanOrEqual(5);
  expect(await countOf("nodal")).toBeGreaterThan(0);
  expect(await countOf("nodal_app")).toBeGreaterThan(0);
});

test("a server is seen to run while it does", async () => {
  expect(await isServerRunning(installation.pool)).toBe(true);
  const second = await NodalProcess.start(installation.environment);
  await second.stop();
  expect(await isServerRunning(installation.pool)).toBe(true);
});

async function refusalOf(change: Environment): Promise<string> {
  const { code, stderr } = await nodal({ ...installation.environment, ...change }, "merchant", "list");
  expect(code).toBe(1);
  return stderr;
}

test("what is not as it must be is refused with what to do", async () => {
  const { DATABASE_URL: pooled = "", DATABASE_DIRECT_URL: direct = "" } = installation.environment;
  expect(await refusalOf({ DATABASE_DIRECT_URL: "" })).toContain("DATABASE_DIRECT_URL is required");
  const unsaid = { DATABASE_URL: pooled.replace("?pgbouncer=true", ""), DATABASE_DIRECT_URL: "" };
  expect(await refusalOf(unsaid)).toContain("add pgbouncer=true to it");
  const { username, password } = new URL(direct);
  const asOwner = Object.assign(new URL(pooled), { username, password }).href;
  expect(await refusalOf({ DATABASE_URL: asOwner })).toContain("its user nodal can read or change rows without a role");
});
