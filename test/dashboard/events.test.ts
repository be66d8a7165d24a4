// Events, webhooks, KYC and usage over /api/v4: of a merchant, and of the installation for operators.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { Receiver, until, verifySignature } from "../support/webhooks.ts";

type Event = Readonly<Record<"id" | "type" | "timestamp" | "merchant_id", string>> & {
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
};
type Page = { readonly events: readonly Event[]; readonly next: string | null };

let site: Installation;
let merchant: TestMerchant;
let other: TestMerchant;
let owner: Browser;
let stranger: Browser;
let operator: Browser;
let receiver: Receiver;

beforeAll(async () => {
  site = await Installation.start({ WEBHOOK_ALLOW_PRIVATE: "on" });
  receiver = await Receiver.start();
  merchant = await site.newMerchant({
    fund: "1000.00",
    bank: { account_number: "00011020001772", ifsc: "HDFC0000001" },
  });
  other = await site.newMerchant({ fund: "1.00" });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  stranger = await Browser.signIn(site, await newPerson(site, other.id));
  operator = await Browser.signIn(site, await newPerson(site, null));
});
afterAll(async () => {
  await receiver.stop();
  await site.stop();
});

/** All pages of a list of events. */
async function listAll(browser: Browser, path: string): Promise<Event[]> {
  const found: Event[] = [];
  for (let after: string | null = "0"; after !== null;) {
    const { status, body } = await browser.get(`${path}${path.includes("?") ? "&" : "?"}after=${after}&limit=2`);
    expect(status).toBe(200);
    const page = body as Page;
    found.push(...page.events);
    after = page.next;
  }
  return found;
}

describe("events of a merchant", () => {
  test("are those that webhooks deliver, in order, by pages and by type", async () => {
    const made = await owner.post("/webhooks", { url: receiver.url("/events"), events: null });
    const { secret } = made.body as { secret: string };
    const beneficiary_id = await merchant.addBeneficiary();
    await merchant.transfer({ beneficiary_id, amount: "10.00", reference_id: "order-1" });
    const types = ["beneficiary.created", "transfer.accepted", "transfer.success"];
    await receiver.waitFor(types.length);
    const events = await listAll(owner, "/events");
    expect(events.map(({ type }) => type)).toEqual(["balance.funded", ...types]);
    for (const received of receiver.received) {
      verifySignature(secret, received);
      const event = events.find(({ id }) => id === received.headers["webhook-id"])!;
      const { id: _id, data, ...message } = event;
      // The object is as it was when it was sent: what was read later may have moved on.
      const { data: sent, ...body } = JSON.parse(received.body) as Event;
      expect(message).toEqual(body);
      if (event.type !== "transfer.accepted") expect(data).toEqual(sent);
    }
    expect((await listAll(owner, "/events?type=transfer.*")).map(({ type }) => type)).toEqual(types.slice(1));
    const last = events.at(-1)!;
    expect((await owner.get(`/events/${last.id}`)).body).toEqual(last);
    expect((await owner.get(`/events/${last.sequence}`)).body).toEqual(last);
  });

  test("are not found by others, and bad input is refused by field", async () => {
    const [event] = await listAll(owner, "/events");
    for (const id of [event!.id, "evt_1_1", "evt_x", "999999"]) {
      expect([id, (await stranger.get(`/events/${id}`)).status]).toEqual([id, 404]);
    }
    for (const query of ["type=transfer.sent", "type=merchant.live,", "after=x", "limit=0", "limit=201"]) {
      const { status, body } = await owner.get(`/events?${query}`);
      expect([query, status, JSON.stringify(body)]).toEqual([
        query,
        400,
        expect.stringContaining(`"${query.split("=")[0]!}"`),
      ]);
    }
  });

  test("an endpoint is changed, its deliveries listed, and a range sent again; its secret is shown once", async () => {
    const url = receiver.url("/again");
    const made = await owner.post("/webhooks", { url, events: ["balance.*"] });
    const { endpoint, secret } = made.body as { endpoint: { endpoint_id: string }; secret: string };
    const path = `/webhooks/${endpoint.endpoint_id}`;
    const changed = await owner.put(path, { events: ["beneficiary.*", "transfer.success"], description: "Ledger" });
    expect(changed.body.endpoint).toMatchObject({
      url,
      events: "beneficiary.*,transfer.success",
      description: "Ledger",
    });
    for (const address of ["/webhooks", path, `${path}/attempts`, `${path}/deliveries`]) {
      const { status, body } = await owner.get(address);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain(secret);
    }
    const from = receiver.received.length;
    expect((await owner.post(`${path}/redeliver`, { from: 1, to: 10_000 })).body).toEqual({ queued: 2 });
    await receiver.waitFor(from + 2);
    const again = receiver.received.slice(from).map(({ type }) => type);
    expect(again.toSorted()).toEqual(["beneficiary.created", "transfer.success"]);
    for (const [body, field] of [
      [{}, "event"],
      [{ event: 1, to: 2 }, "event"],
      [{ from: 5, to: 4 }, "to"],
      [{ from: 1, to: 10_001 }, "to"],
      [{ event: "x" }, "event"],
    ] as const) {
      const { status, body: refused } = await owner.post(`${path}/redeliver`, body);
      expect([body, status]).toEqual([body, 400]);
      expect(JSON.stringify(refused)).toContain(`"${field}"`);
    }
    expect((await owner.put(path, { events: ["merchant.live"] })).status).toBe(400);
    expect((await stranger.put(path, { description: "mine" })).status).toBe(404);
    expect((await stranger.get(`${path}/deliveries`)).status).toBe(404);
  });
});

describe("the installation", () => {
  test("sends operators what happens to merchants", async () => {
    const made = await operator.post("/installation/webhooks", { url: receiver.url("/installation") });
    expect(made.status).toBe(200);
    const { endpoint, secret } = made.body as { endpoint: { endpoint_id: string }; secret: string };
    const profile = { name: "Ravi Stores", email: "ravi@example.com" };
    const created = (await operator.post("/merchants", profile)).body as { merchant: { merchant_id: string } };
    const id = created.merchant.merchant_id;
    expect((await operator.put(`/merchants/${id}/kyc`, { status: "pending", documents: ["dms:1"] })).status).toBe(200);
    expect((await operator.put(`/merchants/${id}/operator-view`, { status: "suspended" })).status).toBe(200);
    const aboutIt = () => receiver.received.filter(({ body }) => body.includes(`"merchant_id":"${id}"`));
    await until(() => aboutIt().length === 3);
    const types = ["merchant.created", "merchant.kyc_changed", "merchant.suspended"];
    expect(aboutIt().map(({ type }) => type)).toEqual(types);
    for (const each of aboutIt()) verifySignature(secret, each);
    const events = await listAll(operator, "/installation/events?type=merchant.*");
    expect(events.filter(({ merchant_id }) => merchant_id === id).map(({ type }) => type)).toEqual(types);
    expect((await operator.get(`/installation/events/${events[0]!.id}`)).body).toEqual(events[0]);
    const path = `/installation/webhooks/${endpoint.endpoint_id}`;
    expect((await operator.post(`${path}/test`)).body.attempt).toMatchObject({ succeeded: true, seq: "test" });
    expect((await operator.put(path, { events: ["merchant.created"] })).body.endpoint).toMatchObject({
      events: "merchant.created",
    });
    expect((await operator.post(`${path}/disable`)).body.endpoint).toMatchObject({ status: "Disabled" });
    expect((await operator.put(path, { events: ["transfer.*"] })).status).toBe(400);
  });

  test("shows none of it to merchants", async () => {
    for (const path of ["/installation/webhooks", "/installation/events", "/installation/usage"]) {
      expect([path, (await owner.get(`${path}?from=2026-01-01&to=2026-01-02`)).status]).toEqual([path, 403]);
    }
    expect((await owner.post("/installation/webhooks", { url: receiver.url() })).status).toBe(403);
  });
});

describe("KYC", () => {
  test("is changed by operators and seen by the merchant, who is found by it", async () => {
    const path = `/merchants/${merchant.id}`;
    const rejected = { status: "rejected", reasons: ["PAN card not readable"] };
    const { body } = await operator.put(`${path}/kyc`, rejected);
    expect(body).toEqual({ ...rejected, documents: [] });
    expect((await owner.get("/kyc")).body).toEqual(body);
    expect((await operator.get(`${path}/operator-view`)).body.merchant).toMatchObject({ kyc: body });
    const { merchants } = (await operator.get("/merchants?kyc=rejected")).body as { merchants: object[] };
    expect(merchants).toMatchObject([{ merchant_id: merchant.id, kyc_status: "rejected" }]);
    expect((await owner.get("/go-live")).body).toMatchObject({ needs_kyc: false, kyc: body });
  });

  test.each([
    [{}, "status"],
    [{ status: "fine" }, "status"],
    [{ status: "rejected" }, "reasons"],
    [{ status: "pending", reasons: ["?"] }, "reasons"],
    [{ status: "rejected", reasons: ["x".repeat(201)] }, "reasons[0]"],
    [{ status: "pending", documents: "dms:1" }, "documents"],
    [{ status: "pending", documents: [""] }, "documents[0]"],
  ])("refuses %j by field, and changes nothing", async (change, field) => {
    const path = `/merchants/${merchant.id}/kyc`;
    const before = (await operator.get(path)).body as object;
    const { status, body } = await operator.put(path, change);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(JSON.stringify(field));
    expect((await operator.get(path)).body).toEqual(before);
  });

  test("is not changed by the merchant, or for a merchant that there is not", async () => {
    expect((await owner.put("/kyc", { status: "approved" })).status).toBe(403);
    expect((await operator.put("/merchants/5/kyc", { status: "approved" })).status).toBe(404);
  });
});

test("usage counts what each merchant did", async () => {
  const day = Temporal.Now.plainDateISO("Asia/Kolkata");
  const period = `from=${day.subtract({ days: 1 }).toString()}&to=${day.add({ days: 1 }).toString()}`;
  const { body } = await operator.get(`/merchants/${merchant.id}/usage?${period}`);
  expect(body).toMatchObject({ payout_count: 1, payout_amount: "10.00", invoices_created: 0 });
  const { merchants } = (await operator.get(`/installation/usage?${period}`)).body as { merchants: object[] };
  expect(merchants).toContainEqual(expect.objectContaining({ merchant_id: merchant.id, payout_count: 1 }));
  expect(merchants).toContainEqual(expect.objectContaining({ merchant_id: other.id, payout_count: 0 }));
  for (const query of ["", "?from=2026-02-01&to=2026-01-01", "?from=x&to=2026-01-01"]) {
    expect([query, (await operator.get(`/installation/usage${query}`)).status]).toEqual([query, 400]);
  }
  expect((await owner.get(`/usage?${period}`)).status).toBe(403);
});
