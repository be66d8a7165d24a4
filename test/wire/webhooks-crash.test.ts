// kill -9 of the server while it sends webhooks: no event is lost, and none comes out of order but those sent again.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runChecks } from "../../src/ledger/index.ts";
import { WEBHOOK_CHECKS } from "../../src/webhooks/index.ts";
import { CrashSite, type SiteMerchant } from "../crash/site.ts";
import { send } from "../support/nodal.ts";
import { makeEndpoint, Receiver, until } from "../support/webhooks.ts";

const ROUNDS = 3;
const TRANSFERS = 120;

let site: CrashSite;
let receiver: Receiver;

beforeAll(async () => {
  site = await CrashSite.open({ WEBHOOK_ALLOW_PRIVATE: "on" });
  receiver = await Receiver.start();
});
afterAll(async () => {
  await receiver.stop();
  await site.close();
});

/** Asks for transfers at once. Some get no answer where the server dies. */
function pay(merchant: SiteMerchant, round: number): Promise<unknown> {
  const beneficiary_id = merchant.beneficiaryIds.success;
  const requests = Array.from({ length: TRANSFERS }, (_, index) =>
    send(
      site.baseUrl,
      "POST",
      "/api/v1/beneficiary/transfer",
      { beneficiary_id, amount: "1.00", reference_id: `${round}-${index}` },
      { authorization: `Bearer ${merchant.token}` },
    ),
  );
  return Promise.allSettled(requests);
}

async function lastEventOf({ merchantId }: SiteMerchant): Promise<number> {
  const { rows } = await site.pool.query<{ last: bigint }>(
    "select last_event_no as last from ledger_book where merchant_id = $1",
    [merchantId],
  );
  return Number(rows[0]!.last);
}

test("every event comes, and each for the first time in order, however often the server is killed", async () => {
  const merchants = await site.newMerchants([100_000_000n, 100_000_000n]);
  const paths = new Map<string, number[]>();
  receiver.respond = (response, { sequence }, { url }) => {
    paths.set(url!, [...(paths.get(url!) ?? []), sequence]);
    // Some answers are on their way when the server dies.
    setTimeout(() => response.writeHead(200).end(), 2);
  };
  for (const merchant of merchants) {
    await makeEndpoint({ server: site.pool, ids: site.ids }, merchant, receiver.url(`/${merchant.merchantId}`));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const paying = Promise.all(merchants.map((merchant) => pay(merchant, round)));
    await sleep(600 + 300 * round);
    await site.killServer();
    await paying;
    await site.start();
  }
  for (const merchant of merchants) {
    const seen = (): number[] => paths.get(`/${merchant.merchantId}`) ?? [];
    await until(async () => new Set(seen()).size >= (await lastEventOf(merchant)) - 1, 30_000);
    const last = await lastEventOf(merchant);
    expect(last).toBeGreaterThan(TRANSFERS);
    expect([...new Set(seen())]).toEqual(Array.from({ length: last - 1 }, (_, index) => index + 2));
    // Only what was not written when the server died is sent again.
    expect(seen().length - (last - 1)).toBeLessThan(ROUNDS * 100);
  }
  await until(
    async () => (await site.pool.query("select from webhook_endpoint where holder is not null")).rowCount === 0,
  );
  expect((await runChecks(site.pool, WEBHOOK_CHECKS, null, 100)).violations).toEqual([]);
});
