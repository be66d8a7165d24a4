// A node of Citus that is away, under load: its own merchants are told to come again, and everybody else is paid as before.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { CITUS_URL, cutOff, holdUp } from "../support/citus.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { nodal, NodalProcess, send } from "../support/nodal.ts";

const PAYOUTS = 12;
const PAUSE_MS = 200;
const PATIENCE = { timeout: 180_000, interval: 250 };

let installation: Installation;
let healthy: Payer;
let cut: Payer;

/** Longer than the test takes: a request that waits for a lock or a statement there is not answered before it is free. */
const NEVER = { LOCK_TIMEOUT_MS: "600000", STATEMENT_TIMEOUT_MS: "600000" };

beforeAll(async () => {
  installation = await Installation.startProcess({ RATE_LIMIT_PER_MINUTE: "100000", ...NEVER });
  if (CITUS_URL !== null) [healthy, cut] = await makePayers();
});
afterAll(() => installation.stop());

/** Longer than the test takes: a bank that does not answer. */
const NO_ANSWER_MS = "300000";

/** The port of the node that has a merchant's rows. */
async function portOf({ id }: TestMerchant): Promise<number> {
  const { pool } = installation;
  const { bucket } = await requireMerchant(pool, BigInt(id));
  const { rows } = await pool.query<{ port: number }>(
    `select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
     where shardid = get_shard_id_for_distribution_column('merchant', $1::smallint)`,
    [bucket],
  );
  return rows[0]!.port;
}

type Payer = { readonly merchant: TestMerchant; readonly beneficiaryId: string };

/** Two payers whose rows are on different nodes. */
async function makePayers(): Promise<[Payer, Payer]> {
  const byPort = new Map<number, Payer>();
  while (byPort.size < 2) {
    const merchant = await installation.newMerchant({ fund: "10000.00" });
    byPort.set(await portOf(merchant), { merchant, beneficiaryId: await merchant.addBeneficiary() });
  }
  return [...byPort.values()] as [Payer, Payer];
}

test.runIf(CITUS_URL !== null)(
  "a node that is away keeps nobody from being paid whose rows are elsewhere",
  async () => {
    const acknowledged: string[] = [];
    const pay = async ({ merchant, beneficiaryId }: Payer, reference: string) => {
      const body = { beneficiary_id: beneficiaryId, amount: "1.00", reference_id: reference };
      const answer = await merchant.transfer(body);
      if (answer.status === 200) acknowledged.push(reference);
      return answer;
    };
    const payMany = (payer: Payer, name: string) =>
      Promise.all(Array.from({ length: PAYOUTS }, (_, number) => pay(payer, `${name}-${number}`)));

    const comeBack = await cutOff(installation.databaseUrl, await portOf(cut.merchant));
    try {
      for (const name of ["first", "second", "third"]) {
        const [paid, refused] = await Promise.all([payMany(healthy, `healthy-${name}`), payMany(cut, `cut-${name}`)]);
        // To the end, not only accepted: the calls to the bank go on too.
        expect(paid.map(({ body }) => body)).toEqual(
          paid.map(() => expect.objectContaining({ transfer_status: "SUCCESS" })),
        );
        expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
        expect(refused[0]!.headers.get("retry-after")).toMatch(/^[0-9]+$/);
      }
    } finally {
      await comeBack();
    }
    await expect.poll(async () => (await pay(cut, "cut-back")).status, PATIENCE).toBe(200);
    const { rows } = await installation.pool.query<{ reference_id: string }>("select reference_id from transfer");
    const kept = new Set(rows.map((row) => row.reference_id));
    expect(acknowledged.filter((reference) => !kept.has(reference))).toEqual([]);
    expect(acknowledged).toHaveLength(3 * PAYOUTS + 1);
    await expectSound();
  },
);

test.runIf(CITUS_URL !== null)(
  "a node on which all have to wait keeps nobody waiting whose rows are elsewhere",
  async () => {
    const pay = ({ merchant, beneficiaryId }: Payer, reference: string) =>
      merchant.transfer({ beneficiary_id: beneficiaryId, amount: "1.00", reference_id: reference });
    const goOn = await holdUp(installation.databaseUrl, await portOf(cut.merchant));
    const held: Promise<unknown>[] = [];
    try {
      for (let number = 0; number < PAYOUTS; number += 1) {
        held.push(pay(cut, `held-${number}`));
        const { body } = await pay(healthy, `beside-held-${number}`);
        expect(body).toMatchObject({ transfer_status: "SUCCESS" });
        // Longer than keys are remembered, over all of them.
        await sleep(PAUSE_MS);
      }
    } finally {
      await goOn();
    }
    await Promise.all(held);
    await expect.poll(async () => (await pay(cut, "held-no-more")).status, PATIENCE).toBe(200);
    await expectSound();
  },
);

test.runIf(CITUS_URL !== null)(
  "while a node is away servers die, stop and start, and another takes over from them",
  async () => {
    // What is told is told by those that begin meanwhile.
    await installation.server.stop("SIGKILL");
    const settings = { SIMULATOR_LATENCY_MS: NO_ANSWER_MS, BANK_TIMEOUT_MS: NO_ANSWER_MS, TRANSFER_WAIT_MS: "0" };
    const busy = { ...installation.environment, ...settings, DRAIN_TIMEOUT_MS: "500" };
    const [dying, stopping] = await Promise.all([NodalProcess.start(busy), NodalProcess.start(busy)]);
    const paid: { readonly payer: Payer; readonly transferId: string }[] = [];
    for (const server of [dying, stopping]) {
      for (const payer of [healthy, cut])
        paid.push({ payer, transferId: await payAt(server, payer, `in-hand-${String(paid.length)}`) });
    }
    const comeBack = await cutOff(installation.databaseUrl, await portOf(cut.merchant));
    let started: NodalProcess | null = null;
    try {
      expect(await stopping.stop()).toBe(0);
      await dying.stop("SIGKILL");
      started = await NodalProcess.start(installation.environment);
      for (const { payer, transferId } of paid.filter((each) => each.payer === healthy))
        await expect.poll(() => statusAt(started!, payer, transferId), PATIENCE).toBe("SUCCESS");
      await comeBack();
      for (const { payer, transferId } of paid.filter((each) => each.payer === cut))
        await expect.poll(() => statusAt(started!, payer, transferId), PATIENCE).toBe("SUCCESS");
      expect(await started.stop()).toBe(0);
    } finally {
      await comeBack();
      for (const server of [dying, stopping, started]) await server?.stop("SIGKILL");
    }
    await expectSound();
  },
);

const headersOf = ({ merchant }: Payer) => ({ authorization: `Bearer ${merchant.token}` });

/** Has a server take a transfer in hand whose bank does not answer. Returns its id. */
async function payAt(server: NodalProcess, payer: Payer, reference: string): Promise<string> {
  const body = { beneficiary_id: payer.beneficiaryId, amount: "1.00", reference_id: reference };
  const answer = await send(server.baseUrl, "POST", "/api/v1/beneficiary/transfer", body, headersOf(payer));
  expect(answer).toMatchObject({ status: 200, body: { transfer_status: "PENDING" } });
  return answer.body.transfer_id as string;
}

async function statusAt(server: NodalProcess, payer: Payer, transferId: string): Promise<unknown> {
  const path = `/api/v1/payout/transferstatus/transferid/${transferId}`;
  const { body } = await send(server.baseUrl, "GET", path, undefined, headersOf(payer));
  return body.success?.transfer?.status;
}

async function expectSound(): Promise<void> {
  const { code, stdout } = await nodal(installation.environment, "verify");
  expect([code, stdout]).toEqual([0, expect.stringContaining("ok")]);
}
