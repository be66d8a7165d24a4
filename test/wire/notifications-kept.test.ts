// Messages to customers that must not be lost: a server that is killed while it sends, and one that has no mail server.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { countMailQueue } from "../../src/notifications/index.ts";
import { readPdf } from "../support/pdf.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { MailServer } from "../support/mail.ts";
import { nodal, nodalJson, NodalProcess } from "../support/nodal.ts";
import { NOTIFY } from "../support/notifications.ts";

const TO = "kept@example.com";

let installation: Installation;
let mail: MailServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nodal-mail-"));
  mail = await MailServer.start();
  installation = await Installation.startProcess();
});
afterAll(async () => {
  await installation.stop();
  await mail.stop();
  await rm(folder, { recursive: true });
});

async function newInvoices(email = TO): Promise<Invoices> {
  const invoices = await Invoices.ofNewMerchant(installation, { name: "Asha Traders" });
  await invoices.addCustomer({ customer_code: "C2", customer_name: "Rohan Mehta", email });
  return invoices;
}

type Listed = { readonly mail_id: string; readonly state: string; readonly subject: string | null };

function listed(invoices: Invoices, ...more: string[]): Promise<Listed[]> {
  return nodalJson<Listed[]>(installation.environment, "mail", "list", "--merchant", invoices.merchant.id, ...more);
}

async function untilAll(state: string, invoices: Invoices): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await installation.pool.query<{ state: string }>(
        "select distinct state from notification where merchant_id = $1",
        [invoices.merchant.id],
      );
      expect(rows).toEqual([{ state }]);
    },
    { timeout: 180_000, interval: 100 },
  );
}

test("without a mail server everything is held, to be read and sent later", async () => {
  const [invoices, others] = [await newInvoices(), await newInvoices()];
  const { invoice_number, short_url } = await invoices.add(NOTIFY);
  await invoices.add(NOTIFY);
  await untilAll("Held", invoices);
  const list = await listed(invoices);
  expect(list).toHaveLength(2);
  expect(await listed(invoices, "--before", list[0]!.mail_id)).toEqual([list[1]]);
  expect(await listed(invoices, "--state", "Sent")).toEqual([]);
  expect(await listed(others)).toEqual([]);

  const option = ["--merchant", invoices.merchant.id, "--mail", list[1]!.mail_id] as const;
  const shown = await nodalJson<Record<string, string>>(installation.environment, "mail", "show", ...option);
  expect(shown).toMatchObject({ state: "Held", recipient: TO, sent_at: null });
  expect(shown["reason"]).toContain("SMTP_URL");
  expect(shown["text"]).toContain(short_url);
  const [html, eml] = [join(folder, "mail.html"), join(folder, "mail.eml")];
  const written = await nodal(installation.environment, "mail", "show", ...option, "--html", html, "--eml", eml);
  expect(written).toMatchObject({ code: 0, stderr: "" });
  expect(await readFile(html, "utf8")).toBe(shown["html"]);
  const whole = await PostalMime.parse(await readFile(eml));
  expect(whole.subject).toBe(shown["subject"]);
  const pdf = await readPdf(new Uint8Array(whole.attachments[0]!.content as ArrayBuffer));
  expect(pdf.pages[0]).toContain(invoice_number);

  const foreign = ["--merchant", others.merchant.id, "--mail", list[1]!.mail_id] as const;
  for (const act of ["show", "retry"]) {
    const refused = await nodal(installation.environment, "mail", act, ...foreign);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("message does not exist") as unknown });
  }
  // It was not sent, so the invoice is not.
  expect((await invoices.list({ filter_by: "sent_date" })).body.srvrsp).toEqual([]);
  expect(await installation.findProblems()).toEqual([]);
});

test("verify finds messages that contradict what they are about", async () => {
  const invoices = await newInvoices();
  await invoices.add(NOTIFY);
  await invoices.add(NOTIFY);
  await untilAll("Held", invoices);
  const [first, second] = await listed(invoices);
  const damage = (sql: string, id: string) =>
    installation.pool.query(`update notification set ${sql} where notification_id = $1`, [id]);
  await damage("state = 'Sent', sent_at = now()", first!.mail_id);
  await damage("body = null, subject_id = 1", second!.mail_id);
  const found = await nodal(installation.environment, "verify", "--merchant", invoices.merchant.id, "--json");
  const { violations } = JSON.parse(found.stdout) as { violations: { check: string }[] };
  expect(violations.map(({ check }) => check).toSorted()).toEqual([
    "invoice_sent",
    "notification_subject",
    "sent_words",
  ]);
  await installation.pool.query("delete from notification where merchant_id = $1", [invoices.merchant.id]);
});

test("what was held goes out once a mail server is configured, but for what is of no use any more", async () => {
  const to = "held@example.com";
  const [invoices, others] = [await newInvoices(to), await newInvoices(to)];
  for (let count = 0; count < 4; count += 1) await invoices.add(NOTIFY);
  await others.add(NOTIFY);
  await untilAll("Held", invoices);
  await untilAll("Held", others);
  const [fresh, old, late, phone] = (await listed(invoices)).map(({ mail_id }) => mail_id);
  const change = (sql: string, id: string) =>
    installation.pool.query(`update notification set ${sql} where notification_id = $1`, [id]);
  await change("created_at = now() - interval '6 days 23 hours'", fresh!);
  await change("created_at = now() - interval '7 days 1 minute'", old!);
  await change("created_at = now() - interval '25 hours', kind = 'reminder', reminder_days = 0", late!);
  await change("channel = 'sms'", phone!);
  // One that has no mail server would hold some of them again.
  await installation.server.stop();
  const { port } = new URL(installation.server.baseUrl);
  const server = await NodalProcess.start({ ...installation.environment, PORT: port, SMTP_URL: mail.url });
  try {
    await untilAll("Sent", others);
    await vi.waitFor(async () => {
      const states = new Map((await listed(invoices)).map(({ mail_id, state }) => [mail_id, state]));
      expect([fresh, old, late, phone].map((id) => states.get(id!))).toEqual(["Sent", "Held", "Held", "Held"]);
    }, 30_000);
    expect((await others.list({ filter_by: "sent_date" })).body.srvrsp).toHaveLength(1);
    expect(mail.to(to)).toHaveLength(2);
    await installation.pool.query("delete from notification where merchant_id = $1", [invoices.merchant.id]);
    expect(await installation.findProblems()).toEqual([]);
  } finally {
    await server.stop();
  }
});

test("a server that is killed while it sends loses nothing, and what comes twice bears the same name", async () => {
  // What the tests before have left held goes out too.
  const to = "killed@example.com";
  await installation.server.stop();
  const { port } = new URL(installation.server.baseUrl);
  const settings = { ...installation.environment, PORT: port, SMTP_URL: mail.url };
  let server = await NodalProcess.start(settings);
  const invoices = await newInvoices(to);
  const names: string[] = [];
  let isDawdling = true;
  // The server takes mail and keeps its answer to itself: the sender can't know whether it arrived.
  mail.refuseMail = async ({ to: [recipient], mail: { messageId } }) => {
    if (recipient !== to) return null;
    names.push(messageId!);
    while (isDawdling) await new Promise((resolve) => setTimeout(resolve, 50));
    return null;
  };
  for (let count = 0; count < 12; count += 1) await invoices.add(NOTIFY);
  // As many as one merchant has places for.
  await vi.waitFor(() => expect(names.length).toBeGreaterThanOrEqual(2), { timeout: 180_000 });
  await server.stop("SIGKILL");
  isDawdling = false;
  server = await NodalProcess.start(settings);
  try {
    await untilAll("Sent", invoices);
    const arrived = mail.to(to).map(({ messageId }) => messageId);
    expect(new Set(arrived).size).toBe(12);
    // What was under way at the kill came again: in the mail server's view it had come before.
    expect(names.length).toBeGreaterThan(12);
    expect(new Set(names).size).toBe(12);
    expect(await countMailQueue(installation.pool)).toMatchObject({ waiting: 0n, failed: 0n, oldestDueAt: null });
    expect(await installation.findProblems()).toEqual([]);
  } finally {
    await server.stop();
  }
});
