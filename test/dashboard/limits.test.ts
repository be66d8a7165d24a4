// What one merchant's people may ask of the dashboard at once: requests of a session, and files. The counts are tested
// beside them, on a clock.
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";

const PER_MINUTE = 60;
const PLENTY = 60_000;

let installation: Installation;
const open: ClientRequest[] = [];

beforeAll(async () => {
  installation = await Installation.start({ DASHBOARD_RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) });
});
afterAll(async () => {
  for (const each of open) each.destroy();
  await installation.stop();
});

async function signInto(merchantId: string): Promise<Browser> {
  return Browser.signIn(installation, await newPerson(installation, merchantId));
}

/** Asks for a file, and reads nothing of it. */
function askUnread(browser: Browser, path: string): Promise<IncomingMessage> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return new Promise((resolve, reject) => {
    const asked = request(`${installation.server.baseUrl}/api/v4${path}`, { headers: { cookie } }, (answer) => {
      answer.pause();
      resolve(answer);
    });
    open.push(asked);
    asked.once("error", reject).end();
  });
}

test("a session that asks too often gets 429 with Retry-After, and another one of the merchant is served", async () => {
  const merchant = await installation.newMerchant();
  const [busy, calm] = [await signInto(merchant.id), await signInto(merchant.id)];
  const statuses: number[] = [];
  for (let count = 0; count < PER_MINUTE; count += 1) statuses.push((await busy.get("/session")).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const refused = await busy.get("/session");
  expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await calm.get("/session")).status).toBe(200);
});

test("a merchant that leaves files unread has two of them, waits for more, and keeps nobody else waiting", async () => {
  const [hostile, good] = [await installation.newMerchant(), await installation.newMerchant()];
  // Far more than any buffer on the way takes.
  await installation.pool.query(
    `insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor, before)
     select bucket, merchant_id, last_entry_no + number, 'test.happened', 1, now(), 'command:test',
       jsonb_build_object('text', repeat('x', 20000))
     from ledger_book, generate_series(1, 1000) as number where merchant_id = $1`,
    [hostile.id],
  );
  await installation.pool.query("update ledger_book set last_entry_no = last_entry_no + 1000 where merchant_id = $1", [
    hostile.id,
  ]);
  const [bad, calm] = [await signInto(hostile.id), await signInto(good.id)];
  const unread = [await askUnread(bad, "/audit.csv"), await askUnread(bad, "/audit.csv")];
  expect(unread.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  const statuses: number[] = [];
  const others = Array.from({ length: 5 }, () =>
    askUnread(bad, "/audit.csv").then(
      ({ statusCode }) => statuses.push(statusCode!),
      () => 0,
    ),
  );
  // Four of them wait.
  await expect.poll(() => statuses, { timeout: PLENTY }).toEqual([503]);
  expect((await calm.get("/audit.csv")).status).toBe(200);
  expect((await calm.get("/statement.csv")).status).toBe(200);
  expect(statuses).toEqual([503]);
  // Who breaks off gives his place to the next one.
  open[0]!.destroy();
  await expect.poll(() => statuses, { timeout: PLENTY }).toEqual([503, 200]);
  for (const each of open) each.destroy();
  await Promise.all(others);
  await expect.poll(async () => (await bad.get("/statement.csv")).status, { timeout: PLENTY }).toBe(200);
});

/** Begins to send a file of 8 MB, and sends nothing of it. */
function sendNothing(browser: Browser): Promise<IncomingMessage> {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = {
    cookie,
    "x-nodal-csrf": browser.csrfToken,
    origin: installation.server.baseUrl,
    "content-type": "text/csv",
    "content-length": 8 * 1024 * 1024,
  };
  const url = `${installation.server.baseUrl}/api/v4/beneficiary-files/preview`;
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers }, resolve);
    open.push(asked);
    asked.once("error", reject).flushHeaders();
  });
}

test("a merchant whose files never arrive has few of them in hand, and keeps no other one's waiting", async () => {
  const [hostile, good] = [await installation.newMerchant(), await installation.newMerchant()];
  const [bad, calm] = [await signInto(hostile.id), await signInto(good.id)];
  const before = open.length;
  // Two have places, six wait for one, and the others are refused at once.
  const answers = Array.from({ length: 12 }, () => sendNothing(bad).catch(() => null));
  const refused = await Promise.any(answers);
  expect(refused!.statusCode).toBe(503);
  const file = "name,account_number,ifsc,upi\nAsha Rao,00011020001772,HDFC0000001,\n";
  const preview = (browser: Browser) =>
    browser.post("/beneficiary-files/preview", file, { "content-type": "text/csv" });
  expect((await preview(calm)).status).toBe(200);
  // Whoever breaks off gives the place back.
  for (const each of open.slice(before)) each.destroy();
  await Promise.all(answers);
  expect((await preview(bad)).status).toBe(200);
});

test("files of one merchant that come at once wait for each other, and each is read", async () => {
  const browser = await signInto((await installation.newMerchant()).id);
  const file = "name,account_number,ifsc,upi\nAsha Rao,00011020001772,HDFC0000001,\n";
  const preview = () => browser.post("/beneficiary-files/preview", file, { "content-type": "text/csv" });
  const answers = await Promise.all(Array.from({ length: 6 }, preview));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
});

const MANY = `{"list":[${"1e3,".repeat(249_000)}1]}`;

test.each([
  ["a body of 1 MB", MANY],
  ["64 KiB of unusual numbers", `{"list":[${"1e3,".repeat(15_000)}1]}`],
  ["64 KiB of values", `{"list":[${"1,".repeat(30_000)}1]}`],
  ["a little more than 64 KiB", `{"text":"${"x".repeat(64 * 1024)}"}`],
])("%s is refused before anything is made of it, at every form", async (_, body) => {
  const merchant = await installation.newMerchant();
  const browser = await signInto(merchant.id);
  for (const [method, path] of [
    ["POST", "/transfers"],
    ["POST", "/beneficiaries"],
    ["PUT", "/profile"],
    ["POST", "/users"],
  ] as const) {
    const answer = await browser.send(method, path, body, { "content-type": "application/json" });
    expect([path, answer.status, answer.body.code]).toEqual([path, 413, "body_too_large"]);
  }
});

test("the merchants' API takes no more values than a request has fields either", async () => {
  const merchant = await installation.newMerchant();
  const headers = { authorization: `Bearer ${merchant.token}`, "content-type": "application/json" };
  const answer = await installation.send("POST", "/api/v1/beneficiary/transfer", MANY, headers);
  expect([answer.status, answer.body.code]).toEqual([413, "body_too_large"]);
  const keyed = JSON.stringify(merchant.keys).slice(0, -1);
  const list = await installation.send(
    "POST",
    "/api/v1/merchant/invoice/getlist",
    `${keyed},${MANY.slice(1)}`,
    headers,
  );
  expect(list.status).toBe(413);
});

test("forms whose fields take more have limits of their own", async () => {
  const merchant = await installation.newMerchant();
  const browser = await signInto(merchant.id);
  const long = `{"text":"${"x".repeat(300 * 1024)}"}`;
  for (const path of ["/invoices", "/templates", "/subscriptions", "/customers/batch", "/invoice-files"]) {
    const answer = await browser.post(path, long, { "content-type": "application/json" });
    expect([path, answer.status]).toEqual([path, 400]);
  }
});

test("cookies without a session use up nothing of the good ones of their address", async () => {
  const merchant = await installation.newMerchant();
  const [ended, good] = [await signInto(merchant.id), await signInto(merchant.id)];
  const dead = ended.cookies.get("nodal")!;
  expect((await ended.post("/session/sign-out")).status).toBe(200);
  const statusOf = async (cookie: string): Promise<number> => {
    const answer = await fetch(`${installation.server.baseUrl}/api/session`, {
      headers: { cookie: `nodal=${cookie}` },
    });
    return answer.status;
  };
  const madeUp = (index: number): string => dead.replace(/[^.]{10}(?=\.[^.]*$)/, String(index).padStart(10, "A"));
  // One that was ended is looked up, and counted for itself; one that nobody was given is not looked up at all.
  const ofDead = await Promise.all(Array.from({ length: PER_MINUTE + 5 }, () => statusOf(dead)));
  expect(ofDead.filter((status) => status === 401)).toHaveLength(PER_MINUTE);
  expect(ofDead.filter((status) => status === 429)).toHaveLength(5);
  const ofMadeUp = await Promise.all(Array.from({ length: 3 * PER_MINUTE }, (_, index) => statusOf(madeUp(index))));
  expect(new Set(ofMadeUp)).toEqual(new Set([401]));
  expect((await good.get("/session")).status).toBe(200);
});
