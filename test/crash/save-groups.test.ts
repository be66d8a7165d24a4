// kill -9 of server or database in the middle of groups of saves: nothing acknowledged is lost, nothing is half there.
// Crashes under every kind of write are in crash.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodalJson, send } from "../support/nodal.ts";
import { CUSTOMER_SAVE } from "../support/merchant-wire.ts";
import { INVOICE_SAVE, PLAIN } from "../support/invoices.ts";
import { seededRandom } from "./load.ts";
import { chooseSeed } from "./seed.ts";
import { CrashSite, until, type SiteMerchant } from "./site.ts";

const ROUNDS = 4;
const CLIENTS = 24;
/** How long a client waits before it asks a server again that did not answer. */
const PAUSE_MS = 100;
const PATIENCE_MS = 180_000;
const RUN_TIMEOUT_MS = 300_000;

let site: CrashSite;
beforeEach(async () => {
  site = await CrashSite.open({ RATE_LIMIT_PER_MINUTE: "1000000" });
});
afterEach(() => site.close());

type Answer = { readonly status: number; readonly numbers: string };

/** Saves two invoices under a key. Returns `null` where nobody knows whether they were saved. */
async function save({ keys }: SiteMerchant, key: string): Promise<Answer | null> {
  try {
    const body = { ...keys, template_id: "", invoice: [PLAIN, { ...PLAIN, bill_cycle_name: key }] };
    const { status, body: answer } = await send(site.baseUrl, "POST", INVOICE_SAVE, body, { "idempotency-key": key });
    if (status >= 500) return null;
    const saved = (answer as { srvrsp: { invoice_number: string }[] | null }).srvrsp ?? [];
    return { status, numbers: saved.map((each) => each.invoice_number).join(" ") };
  } catch {
    return null;
  }
}

test(
  "groups that are killed again and again leave each save whole or not there, and each key saves once",
  async () => {
    const random = seededRandom(chooseSeed("kill while saving"));
    const merchants = await site.newMerchants([100n, 100n]);
    for (const { keys } of merchants) {
      const customer = [{ customer_code: "C1", customer_name: "Asha Rao" }];
      expect((await send(site.baseUrl, "POST", CUSTOMER_SAVE, { ...keys, customer })).status).toBe(200);
    }
    const acknowledged = new Map<string, string>();
    const asked = new Map<string, SiteMerchant>();
    let unanswered = 0;
    let isOver = false;
    const client = async (number: number): Promise<void> => {
      for (let turn = 0; !isOver; turn += 1) {
        const key = `client-${number}-${turn}`;
        const merchant = merchants[number % merchants.length]!;
        asked.set(key, merchant);
        const answer = await save(merchant, key);
        if (answer?.status === 200) acknowledged.set(key, answer.numbers);
        else {
          unanswered += 1;
          await sleep(PAUSE_MS);
        }
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = acknowledged.size;
      await until(async () => acknowledged.size > before + CLIENTS, PATIENCE_MS, "saves are answered");
      await sleep(random() * 100);
      if (round % 2 === 1) await site.killDatabase();
      else {
        await site.killServer();
        await site.start();
      }
    }
    isOver = true;
    await Promise.all(clients);
    expect(unanswered).toBeGreaterThan(0);

    // Whatever was not answered is asked again; what was, is answered as it was.
    const askAgain = async ([key, merchant]: [string, SiteMerchant]): Promise<void> => {
      let answer: Answer | null = null;
      await until(async () => (answer = await save(merchant, key)) !== null, PATIENCE_MS, `${key} is answered`);
      expect(answer).toEqual({ status: 200, numbers: acknowledged.get(key) ?? expect.any(String) });
    };
    const left = [...asked];
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let next = left.pop(); next; next = left.pop()) await askAgain(next);
      }),
    );
    for (const { merchantId } of merchants) {
      const { rows } = await site.pool.query<{ invoice_number: string }>(
        "select invoice_number from invoice where merchant_id = $1 order by invoice_number",
        [merchantId],
      );
      const ours = [...asked.values()].filter((merchant) => merchant.merchantId === merchantId).length;
      expect(rows).toHaveLength(2 * ours);
      expect(rows.map((row) => row.invoice_number)).toEqual(
        rows.map((_row, index) => `INV-2627-${String(index + 1).padStart(5, "0")}`),
      );
    }
    expect(await nodalJson(site.environment, "verify")).toMatchObject({ ok: true, violations: [] });
  },
  RUN_TIMEOUT_MS,
);
