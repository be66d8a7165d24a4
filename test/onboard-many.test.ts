// A platform's program that opens 200 merchants with one operator's key, keeps to the rate limit, and is interrupted half-way.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basic } from "./support/access-keys.ts";
import { Installation, type Keys, type Members } from "./support/installation.ts";
import { nodalJson } from "./support/nodal.ts";

const MERCHANTS = 200;
/** Five for each merchant. */
const WRITES = 5 * MERCHANTS;
/** Fewer than the program sends in all: if it didn't wait, it would be refused, which ends it. */
const PER_MINUTE = 1400;
const SCOPES =
  "merchants.view,merchants.create,merchants.manage,profile.view,profile.manage,payouts.view,approvals.manage,keys.manage,invoices.view";
const TIMEOUT_MS = 600_000;

let installation: Installation;
let keys: Keys;

beforeAll(async () => {
  installation = await Installation.start({ DASHBOARD_RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) });
  const made = ["operator", "key", "create", "--name", "Onboarding", "--scopes", SCOPES];
  keys = await nodalJson<Keys>(installation.environment, ...made);
});
afterAll(() => installation.stop());

class Interrupted extends Error {}

/** One run of the program. */
class Run {
  replays = 0;
  writes = 0;
  readonly #writesLeft: number;

  /** @param writesLeft the answer to the last of them is lost, and the program ends */
  constructor(writesLeft = Infinity) {
    this.#writesLeft = writesLeft;
  }

  get(path: string): Promise<Members> {
    return this.#send("GET", path);
  }

  /** Sends a write under a key that is the same in each run. */
  async write(method: string, path: string, key: string, body: Members): Promise<Members> {
    const answer = await this.#send(method, path, body, { "idempotency-key": key });
    this.writes += 1;
    if (this.writes >= this.#writesLeft) throw new Interrupted();
    return answer;
  }

  /** Sends a request, and waits before the next one for as long as the headers say. */
  async #send(method: string, path: string, body?: Members, headers: Record<string, string> = {}): Promise<Members> {
    const sent = { authorization: basic(keys), ...headers };
    const answer = await installation.send(method, `/api/v4${path}`, body, sent);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    if (answer.headers.get("idempotent-replayed") === "true") this.replays += 1;
    const [remaining, seconds] = [answer.headers.get("ratelimit-remaining"), answer.headers.get("ratelimit-reset")];
    if (remaining === null || seconds === null) throw new Error(`${method} ${path}: no RateLimit headers`);
    if (remaining === "0") await sleep(Number(seconds) * 1000);
    return answer.body as Members;
  }
}

/** Opens every merchant with what it needs. */
async function onboardAll(run: Run): Promise<void> {
  for (let number = 1; number <= MERCHANTS; number += 1) {
    const shop = `shop-${number}`;
    const profile = { name: `Shop ${number}`, email: `${shop}@example.com`, state: "Karnataka" };
    const { merchant } = await run.write("POST", "/merchants", `${shop}-merchant`, profile);
    const path = `/merchants/${String((merchant as Members)["merchant_id"])}`;
    await run.write("PUT", `${path}/profile`, `${shop}-profile`, { city: "Bengaluru", zipcode: "560001" });
    const account = { bank_account: `5010001234${String(number).padStart(4, "0")}`, ifsc: "HDFC0000001" };
    await run.write("PUT", `${path}/bank-account`, `${shop}-account`, { ...account, bank_holder: profile.name });
    await run.write("PUT", `${path}/payout-policy`, `${shop}-limits`, { daily_limit: "50000.00" });
    await run.write("POST", `${path}/access-keys`, `${shop}-key`, { name: "Reports", scopes: ["invoices.view"] });
  }
}

/** The ids of all merchants, page by page. */
async function listMerchants(run: Run): Promise<string[]> {
  const ids: string[] = [];
  let after = "";
  do {
    const { merchants, next } = await run.get(`/merchants?limit=100${after}`);
    ids.push(...(merchants as Members[]).map(({ merchant_id }) => String(merchant_id)));
    after = next === null ? "" : `&after=${next as string}`;
  } while (after !== "");
  return ids;
}

test(
  "200 merchants: interrupted half-way and run again, the program makes none twice",
  { timeout: TIMEOUT_MS },
  async () => {
    const half = new Run(WRITES / 2);
    await expect(onboardAll(half)).rejects.toThrow(Interrupted);
    expect(await listMerchants(half)).toHaveLength(MERCHANTS / 2);

    const again = new Run();
    await onboardAll(again);
    expect([again.writes, again.replays]).toEqual([WRITES, WRITES / 2]);

    const ids = await listMerchants(again);
    expect(new Set(ids).size).toBe(MERCHANTS);
    for (const id of [ids.at(0)!, ids.at(MERCHANTS / 2 - 1)!, ids.at(-1)!]) {
      const { keys: listed } = await again.get(`/merchants/${id}/access-keys`);
      expect((listed as Members[]).filter(({ name }) => name === "Reports")).toHaveLength(1);
      expect((await again.get(`/merchants/${id}/payout-policy`))["daily_limit"]).toBe("50000.00");
      const { profile } = await again.get(`/merchants/${id}/profile`);
      expect(profile).toMatchObject({ city: "Bengaluru", ifsc: "HDFC0000001" });
    }
    expect(await installation.findProblems()).toEqual([]);
  },
);
