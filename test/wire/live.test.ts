// Going live, and a merchant that is live with no provider connected: by no entrance does its money leave.
// What belongs here: answers on the wire, in the dashboard and on the command line. The database is in src/payouts/leaving.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setPayoutPolicy, requireMerchant } from "../../src/merchants/index.ts";
import { verify } from "../../src/payouts/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { goLive } from "../../src/subscriptions/go-live.ts";
import { Browser, newPerson } from "../support/dashboard.ts";
import "../support/expect-wire.ts";
import { makeFranchise, receive } from "../support/franchises.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";
import { takeLive } from "../support/live.ts";
import { Invoices } from "../support/invoices.ts";
import { nodal } from "../support/nodal.ts";

let installation: Installation;
let operator: Browser;

beforeAll(async () => {
  installation = await Installation.start();
  operator = await Browser.signIn(installation, await newPerson(installation, null, "Operator"));
});
afterAll(() => installation.stop());

const provider = () => "provider";

function go({ id }: TestMerchant, connected = provider): Promise<unknown> {
  return goLive(installation.pool, BigInt(id), connected);
}

async function isLive({ id }: TestMerchant): Promise<boolean> {
  return (await requireMerchant(installation.pool, BigInt(id))).live;
}

function stage() {
  return { server: installation.pool, ids: new IdSource(installation.pool) };
}

describe("going live", () => {
  test("is refused while no provider is connected, by command and in the dashboard", async () => {
    const merchant = await installation.newMerchant();
    const command = ["merchant", "set", "--merchant", merchant.id, "--live"];
    const { code, stderr } = await nodal(installation.environment, ...command);
    expect([code, stderr]).toEqual([1, expect.stringContaining("No payout provider is connected")]);
    const mixed = await nodal(installation.environment, ...command, "--city", "Pune");
    expect([mixed.code, mixed.stderr]).toEqual([2, expect.stringContaining("--live")]);
    expect(
      (await nodal(installation.environment, "merchant", "set", "--merchant", merchant.id, "--sandbox")).code,
    ).toBe(2);
    const answer = await operator.post(`/merchants/${merchant.id}/go-live`, {});
    expect([answer.status, answer.body.code]).toEqual([403, "no_payout_provider"]);
    await operator.put(`/merchants/${merchant.id}/operator-view`, { live: "1" });
    expect(await isLive(merchant)).toBe(false);
  });

  test("with a provider goes well for a merchant of whom the sandbox has left nothing, once and for good", async () => {
    const merchant = await installation.newMerchant({ fund: "5.00", bank: GOOD_ACCOUNT });
    // What the sandbox has finished may be there.
    await merchant.withdraw({ amount: "5.00" });
    await expect.poll(() => go(merchant).then(() => "live", String), { timeout: 15_000 }).toBe("live");
    expect(await isLive(merchant)).toBe(true);
    await go(merchant);
    const { rows } = await installation.pool.query<{ count: bigint }>(
      "select count(*) as count from journal where merchant_id = $1 and type = 'merchant.changed'",
      [merchant.id],
    );
    expect(rows[0]!.count).toBe(1n);
  });

  const LEFTOVERS: [string, RegExp, (merchant: TestMerchant) => Promise<TestMerchant | void>][] = [
    ["a balance", /a balance of 9.00/, async () => undefined],
    [
      "commission",
      /commission of 10.00/,
      async ({ id }) => {
        const merchant = await requireMerchant(installation.pool, BigInt(id));
        await receive(stage(), await makeFranchise(stage(), merchant), 10_000n);
      },
    ],
    [
      "an open transfer",
      /1 open transfers/,
      async (merchant) => {
        const beneficiary_id = await merchant.addBeneficiary({ account_number: "007711000031", ifsc: "HDFC0000077" });
        await merchant.transfer({ beneficiary_id, amount: "9.00", reference_id: "open" });
      },
    ],
    [
      "an open approval",
      /1 open approvals/,
      async (merchant) => {
        const parts = { pool: installation.pool, ids: new IdSource(installation.pool) };
        const key = await requireMerchant(installation.pool, BigInt(merchant.id));
        await setPayoutPolicy(parts, key, { approvePayees: true });
        await merchant.addBeneficiary();
      },
    ],
    [
      "a payment that the bank has yet to finish",
      /the simulated bank has yet to finish/,
      async (merchant) => {
        await merchant.withdraw({ amount: "9.00" });
        await installation.pool.query("update simulator.payment set delivered = false where merchant_id = $1", [
          merchant.id,
        ]);
      },
    ],
    [
      "an invoice",
      /1 invoices and credit notes/,
      async () => {
        const shop = await Invoices.ofNewMerchant(installation);
        await shop.add();
        return shop.merchant;
      },
    ],
  ];
  test.each(LEFTOVERS)("is refused while there is %s", async (_, said, leave) => {
    const sandboxed = await installation.newMerchant({ fund: "9.00", bank: GOOD_ACCOUNT });
    const merchant = (await leave(sandboxed)) ?? sandboxed;
    await expect(go(merchant)).rejects.toMatchObject({
      code: "sandbox_not_empty",
      message: expect.stringMatching(said) as string,
    });
    expect(await isLive(merchant)).toBe(false);
  });
});

describe("a live merchant without a provider", () => {
  let merchant: TestMerchant;
  let franchise: string;
  beforeAll(async () => {
    merchant = await installation.newMerchant({ fund: "500.00", bank: GOOD_ACCOUNT });
    const stored = await requireMerchant(installation.pool, BigInt(merchant.id));
    const made = await makeFranchise(stage(), stored);
    await receive(stage(), made, 10_000n);
    franchise = String(made.franchiseId);
    await takeLive(installation.pool, BigInt(merchant.id));
  });

  test("is answered 403, with nothing to retry, and nothing moves", async () => {
    const beneficiary_id = await merchant.addBeneficiary({ upi: "success@upi" });
    const refusals = [
      await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "live" }),
      await merchant.withdraw({ amount: "1.00" }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toBeRefusal({ status: 403, code: "no_payout_provider" });
      expect(refusal.headers.get("retry-after")).toBeNull();
    }
    const settled = await nodal(
      installation.environment,
      "franchise",
      "settle",
      "--merchant",
      merchant.id,
      "--franchise",
      franchise,
    );
    expect([settled.code, settled.stderr]).toEqual([1, expect.stringContaining("No payout provider is connected")]);
    expect(await merchant.available()).toBe("500.00");
    const { rows } = await installation.pool.query<{ count: bigint }>(
      "select count(*) as count from transfer where merchant_id = $1",
      [merchant.id],
    );
    expect(rows[0]!.count).toBe(0n);
  });
});

test("afterwards the books are sound", async () => {
  await installation.pool.query("update simulator.payment set delivered = true");
  const { violations } = await verify(installation.pool, null);
  // The stage's commission was earned by no invoice.
  expect(violations.filter(({ check }) => check !== "commission_source")).toEqual([]);
});
