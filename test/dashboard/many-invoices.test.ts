// Several invoices at once, as the dashboard answers: sent, reminded of, and as one file of PDFs. Pages are walked in
// test/browser.
import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { settledToday } from "../support/days.ts";
import { saveFranchiseWithLogin } from "../support/franchises.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { Messages } from "../support/notifications.ts";
import { readPdf } from "../support/pdf.ts";
import { readZip } from "../support/zip.ts";

const MAIL = "rohan@example.com";

let site: Installation;
let messages: Messages;
let invoices: Invoices;
let owner: Browser;
let viewer: Browser;

beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  messages = await Messages.ofNewMerchant(site, MAIL);
  ({ invoices } = messages);
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
  viewer = await Browser.signIn(site, await newPerson(site, invoices.merchant.id, "Viewer"));
});

const day = async (days: number): Promise<string> => (await settledToday()).add({ days }).toString();

/** An invoice of C2, who has an address, or another customer. */
async function bill(billDays = -40, dueDays = -10, customer_code = "C2"): Promise<string> {
  const [bill_date, due_date] = [await day(billDays), await day(dueDays)];
  const rows = [{ item: "Work", total_amount: "100.00" }];
  const { body } = await invoices.save([{ customer_code, bill_date, due_date, particular_rows: rows }]);
  return (body.srvrsp as { invoice_id: string }[])[0]!.invoice_id;
}

const chosen = (ids: readonly string[]) => ids.map((invoice_id) => ({ invoice_id, request_key: randomUUID() }));
const ask = (browser: Browser, what: "send" | "remind", asked: unknown) =>
  browser.post(`/invoices/${what}`, { invoices: asked });
const because = (text: string): unknown => expect.stringContaining(text);

test("several are sent, each to its customer, each with its own outcome; the same again with the same keys sends nothing", async () => {
  const [first, nobodys, cancelled, second] = [await bill(), await bill(-40, -10, "C1"), await bill(), await bill()];
  await invoices.cancel(cancelled);
  const asked = chosen([first, nobodys, cancelled, "R999999999999", second]);
  const expected = {
    status: 200,
    body: {
      outcomes: [
        { invoice_id: first, error: null },
        { invoice_id: nobodys, error: because("no e-mail address") },
        { invoice_id: cancelled, error: because("was cancelled") },
        { invoice_id: "R999999999999", error: because("invoice does not exist") },
        { invoice_id: second, error: null },
      ],
    },
  };
  const twice = await Promise.all([ask(owner, "send", asked), ask(owner, "send", asked)]);
  for (const answer of [...twice, await ask(owner, "send", asked)]) expect(answer).toMatchObject(expected);
  expect(await messages.until("Held", "Held")).toHaveLength(2);
  const { body } = await owner.get(`/invoices/${first}`);
  expect(body["messages"]).toMatchObject([{ kind: "invoice", channel: "mail", recipient: MAIL }]);
  const { body: history } = await owner.get(`/invoices/${first}/history`);
  expect(history["history"]).toContainEqual(expect.objectContaining({ type: "invoice.mail_queued", note: MAIL }));
});

test("several are reminded of, once a day each, and only of what is due and older than today", async () => {
  const [late, soon, paid, fresh] = [await bill(), await bill(-1, 5), await bill(), await bill(0, 0)];
  const [far, nobodys] = [await bill(-1, 400), await bill(-40, -10, "C1")];
  await invoices.pay(paid, "100.00");
  const all = [late, soon, paid, fresh, far, nobodys];
  const refusals = [
    because("Nothing is due"),
    because("dated today or later"),
    because("reminders can start 365 days before"),
  ];
  const twice = await Promise.all([ask(owner, "remind", chosen(all)), ask(owner, "remind", chosen(all))]);
  const errors = twice.map(({ body }) => (body["outcomes"] as { error: string | null }[]).map(({ error }) => error));
  for (const each of errors) expect(each.slice(2)).toEqual([...refusals, because("no e-mail address")]);
  // Of two who ask at the same time one is told that it was done.
  for (const index of [0, 1]) {
    const both = errors.map((each) => each[index] ?? "").toSorted();
    expect(both).toEqual(["", because("already got a reminder of this invoice today")]);
  }
  const queued = await messages.until("Held", "Held");
  expect(queued.map(({ reminder_days }) => reminder_days!).toSorted((a, b) => a - b)).toEqual([-5, 10]);
  const key = chosen([await bill()]);
  for (const answer of [await ask(owner, "remind", key), await ask(owner, "remind", key)]) {
    expect(answer.body["outcomes"]).toMatchObject([{ error: null }]);
  }
});

test("a reminder goes on the channels that were chosen and reach the customer, and not to an address that is dead", async () => {
  const [first, second] = [await bill(), await bill()];
  await owner.put("/notification-settings", { reminder_days: [], channels: ["mail", "sms"] });
  await site.pool.query(
    `insert into mail_address (bucket, merchant_id, address, reason, dead_since)
     select bucket, merchant_id, $2, '550 no such user', now() from merchant where merchant_id = $1`,
    [invoices.merchant.id, MAIL],
  );
  expect((await ask(owner, "remind", chosen([first]))).body["outcomes"]).toMatchObject([{ error: null }]);
  expect((await messages.until("Held")).map(({ channel }) => channel)).toEqual(["sms"]);
  await owner.put("/notification-settings", { reminder_days: [], channels: ["mail"] });
  const dead = because("address is dead: 550 no such user");
  expect((await ask(owner, "remind", chosen([second]))).body["outcomes"]).toMatchObject([{ error: dead }]);
});

test("the PDFs come as one file with a list of them, which also names what is not there", async () => {
  const [first, second] = [await bill(), await bill()];
  const path = `/invoices/pdfs.zip?invoices=${[first, "R999999999999", second, first].join(",")}`;
  for (const browser of [owner, viewer]) {
    const { status, headers, bytes } = await browser.getFile(path);
    expect([status, headers.get("content-type")]).toEqual([200, "application/zip"]);
    const files = readZip(bytes);
    const names = [...files.keys()];
    expect(names).toHaveLength(3);
    const [one, two] = names.map((name) => name.replace(".pdf", ""));
    expect((await readPdf(files.get(names[0]!)!)).pages[0]).toContain(one);
    expect(files.get("invoices.csv")!.toString().split("\r\n")).toEqual([
      "\uFEFFinvoice_id,invoice_number,file,problem",
      `${first},${one},${one}.pdf,`,
      because("R999999999999,,,"),
      `${second},${two},${two}.pdf,`,
      "",
    ]);
  }
});

test("who may not write may not send or remind; nobody gets another merchant's, nor a franchise another's", async () => {
  const [id] = [await bill()];
  for (const what of ["send", "remind"] as const) {
    expect(await ask(viewer, what, chosen([id]))).toMatchObject({ status: 403 });
    const many = chosen(Array.from({ length: 101 }, () => id));
    const tooMany = { status: 400, body: { errors: [{ field: "invoices", code: "too_long" }] } };
    expect(await ask(owner, what, many)).toMatchObject(tooMany);
  }
  for (const wrong of ["", id.slice(1), Array.from({ length: 101 }, () => id).join(",")]) {
    expect(await owner.get(`/invoices/pdfs.zip?invoices=${wrong}`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "invoices" }] },
    });
  }
  const login = { email: "east@example.com", password: "a long password" };
  await saveFranchiseWithLogin(site, invoices.merchant, login, { franchise_code: "F9", franchise_name: "East" });
  const franchise = await Browser.signIn(site, { ...login, merchant: invoices.merchant.id });
  const other = await Invoices.ofNewMerchant(site, { gstin: "" });
  const stranger = await Browser.signIn(site, await newPerson(site, other.merchant.id));
  for (const browser of [franchise, stranger]) {
    const { bytes } = await browser.getFile(`/invoices/pdfs.zip?invoices=${id}`);
    expect([...readZip(bytes).keys()]).toEqual(["invoices.csv"]);
  }
  expect((await ask(stranger, "send", chosen([id]))).body["outcomes"]).toMatchObject([
    { error: because("invoice does not exist") },
  ]);
  expect(await messages.read()).toEqual([]);
});

test("afterwards the books are sound", async () => {
  expect(await site.findProblems()).toEqual([]);
});
