// `nodal credit-note` and `nodal invoice` as an operator has them, and credit notes in the dashboard, on a running
// server with the simulated bank. Rules are tested beside the use case.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { nodal, nodalJson } from "../support/nodal.ts";
import { readPdf } from "../support/pdf.ts";

/** Accounts of the sandbox. */
const PAID = ["--account", "026291800001191", "--ifsc", "YESB0000262"];
const REFUSED = ["--account", "026291800001190", "--ifsc", "YESB0000262"];
const TAXED = { particular_rows: [{ item: "Work", sac_code: "9983", gst: "18", total_amount: "100.00" }] };

let installation: Installation;
let shop: Invoices;
let folder: string;

beforeAll(async () => {
  installation = await Installation.shared();
  shop = await Invoices.ofNewMerchant(installation);
  await nodalJson(
    installation.environment,
    "fund",
    "--merchant",
    shop.merchant.id,
    "--amount",
    "1000",
    "--reference",
    "a",
  );
  folder = await mkdtemp(join(tmpdir(), "nodal-notes-"));
});
afterAll(async () => {
  await installation.stop();
  await rm(folder, { recursive: true });
});

type Note = Record<string, string> & { readonly credit_note_id: string };

function note<T = Note>(command: string, ...args: string[]): Promise<T> {
  return nodalJson<T>(installation.environment, "credit-note", command, "--merchant", shop.merchant.id, ...args);
}

function create(invoice: Readonly<Record<string, string>>, ...args: string[]): Promise<Note> {
  return note("create", "--invoice", invoice["invoice_id"]!, "--reason", "Goods returned", ...args);
}

function invoice<T = Members>(command: string, ...args: string[]): Promise<T> {
  return nodalJson<T>(installation.environment, "invoice", command, "--merchant", shop.merchant.id, ...args);
}

async function pdfText(path: string): Promise<string> {
  return (await readPdf(new Uint8Array(await readFile(path)))).pages.join(" ");
}

/** An invoice of 118.00, paid in part. */
async function partlyPaid(amount: string): Promise<Record<string, string>> {
  const saved = await shop.add(TAXED);
  await shop.pay(saved["invoice_id"], amount);
  return saved;
}

test("a note reduces what is due, says so in the invoice's detail, and prints", async () => {
  const saved = await shop.add(TAXED);
  const issued = await create(saved, "--amount", "59.00", "--date", "2026-07-01");
  expect(issued).toMatchObject({
    credit_note_number: "CN-2627-00001",
    credit_note_date: "2026-07-01",
    invoice_number: saved["invoice_number"],
    invoice_date: "2026-06-01",
    amount: "59.00",
    taxable: "50.00",
    tax: "9.00",
    reduces_due: "59.00",
    refund: "0.00",
    refund_status: "none",
    refund_transfer_id: null,
    invoice_status: "Unpaid",
    due_amount: "59.00",
  });
  expect(await shop.read(saved["invoice_id"])).toMatchObject({
    due_amount: "59.00",
    status: "Unpaid",
    credit_notes: [
      {
        credit_note_id: issued.credit_note_id,
        credit_note_number: "CN-2627-00001",
        credit_note_date: "2026-07-01",
        amount: "59.00",
        reduces_due: "59.00",
        refund: "0.00",
        refunded: "0.00",
        reason: "Goods returned",
      },
    ],
  });
  expect(await note("show", "--credit-note", issued.credit_note_id)).toMatchObject({
    reason: "Goods returned",
    tax_rows: [
      { name: "CGST", amount: "4.50" },
      { name: "SGST", amount: "4.50" },
    ],
  });
  expect(await note<Note[]>("list")).toMatchObject([{ credit_note_id: issued.credit_note_id }]);
  const out = join(folder, "note.pdf");
  await note("pdf", "--credit-note", issued.credit_note_id, "--out", out);
  const text = await pdfText(out);
  for (const printed of ["Credit note", "CN-2627-00001", saved["invoice_number"]!, "59.00", "Goods returned"]) {
    expect(text).toContain(printed);
  }
  expect((await shop.update(saved["invoice_id"], { bill_cycle_name: "June" })).body.errcode).toBe(
    "invoice_already_paid",
  );
  expect((await shop.cancel(saved["invoice_id"])).body.errcode).toBe("invoice_already_paid");
});

test("an invoice that is credited in full unpaid is cancelled", async () => {
  const saved = await shop.add(TAXED);
  expect(await create(saved, "--full")).toMatchObject({
    amount: "118.00",
    invoice_status: "Cancelled",
    due_amount: "0.00",
  });
  expect((await shop.list({ invoice_status: "Cancelled" })).body.srvrsp).toMatchObject([
    { invoice_id: saved["invoice_id"] },
  ]);
  expect((await shop.settle({ invoice_id: saved["invoice_id"], amount: "1" })).body.errcode).toBe("invoice_cancelled");
});

test("what was paid goes back through the bank, to an account that is then the merchant's beneficiary", async () => {
  const before = await shop.merchant.available();
  const issued = await create(await partlyPaid("118.00"), "--amount", "59", "--refund", ...PAID);
  expect(issued).toMatchObject({ reduces_due: "0.00", refund: "59.00", refunded: "59.00", refund_owed: "0.00" });
  expect(issued["refund_status"]).toBe("refunded");
  expect(Number(before) - Number(await shop.merchant.available())).toBe(59);
  const record = await shop.merchant.record(issued["refund_transfer_id"]!);
  expect(record).toMatchObject({ status: "SUCCESS", referenceId: `refund-${issued.credit_note_id}-1` });
  const saved = await shop.merchant.list();
  expect(JSON.stringify(saved.body)).toContain('"Asha Rao"');
});

test("a refund that the bank refuses stays owed, and can be tried again", async () => {
  const before = await shop.merchant.available();
  const issued = await create(await partlyPaid("118.00"), "--full", "--refund", ...REFUSED, "--name", "Ravi Rao");
  expect(issued).toMatchObject({ refund: "118.00", refunded: "0.00", refund_owed: "118.00", refund_status: "owed" });
  expect(await shop.merchant.available()).toBe(before);
  const again = await note("refund", "--credit-note", issued.credit_note_id, "--upi", "success@upi");
  expect(again).toMatchObject({ refunded: "118.00", refund_owed: "0.00", refund_status: "refunded" });
  const refund = ["credit-note", "refund", "--merchant", shop.merchant.id, "--credit-note", issued.credit_note_id];
  const third = await nodal(installation.environment, ...refund);
  expect(third).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing to refund") as unknown });
});

test("too little balance leaves the note, and the refund owed", async () => {
  const poor = await Invoices.ofNewMerchant(installation);
  const saved = await poor.add(TAXED);
  await poor.pay(saved["invoice_id"], "118.00");
  const args = ["--merchant", poor.merchant.id, "--invoice", saved["invoice_id"]!, "--full", "--reason", "Returned"];
  const { environment } = installation;
  const issued = await nodalJson<Note>(environment, "credit-note", "create", ...args, "--refund", ...PAID);
  expect(issued).toMatchObject({ refund_owed: "118.00", refund_status: "owed", invoice_status: "Paid offline" });
  const refund = ["credit-note", "refund", "--merchant", poor.merchant.id, "--credit-note", issued.credit_note_id];
  expect(await nodal(environment, ...refund)).toMatchObject({ code: 1 });
  await nodalJson(environment, "fund", "--merchant", poor.merchant.id, "--amount", "118", "--reference", "more");
  expect(await nodalJson(environment, ...refund)).toMatchObject({ refund_status: "refunded", refund_owed: "0.00" });
});

test("more than the invoice, a date before it, or one in the future, is refused and changes nothing", async () => {
  const saved = await shop.add(TAXED);
  const given = ["--merchant", shop.merchant.id, "--invoice", saved["invoice_id"]!, "--reason", "Returned"];
  const tooMuch = await nodal(installation.environment, "credit-note", "create", ...given, "--amount", "118.01");
  expect(tooMuch).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("118.00") as unknown });
  const tooEarly = ["--amount", "1", "--date", "2026-05-31"];
  const early = await nodal(installation.environment, "credit-note", "create", ...given, ...tooEarly);
  expect(early).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("2026-06-01") as unknown });
  const future = Temporal.Now.plainDateISO("Asia/Kolkata").add({ years: 1 }).toString();
  const tooLate = ["--amount", "1", "--date", future];
  const late = await nodal(installation.environment, "credit-note", "create", ...given, ...tooLate);
  expect(late).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("must not be after") as unknown });
  expect((await shop.read(saved["invoice_id"]))["credit_notes"]).toEqual([]);
});

test("another merchant's invoice and note are not found", async () => {
  const other = await Invoices.ofNewMerchant(installation);
  const saved = await shop.add(TAXED);
  const { credit_note_id: id } = await create(saved, "--amount", "1");
  const { environment } = installation;
  const owner = ["--merchant", other.merchant.id];
  for (const args of [
    ["credit-note", "create", ...owner, "--invoice", saved["invoice_id"]!, "--full", "--reason", "Mine"],
    ["credit-note", "show", ...owner, "--credit-note", id],
    ["credit-note", "refund", ...owner, "--credit-note", id, "--upi", "success@upi"],
    ["invoice", "show", ...owner, "--invoice", saved["invoice_id"]!],
  ]) {
    expect(await nodal(environment, ...args)).toMatchObject({ code: 1, stdout: "" });
  }
});

test("nodal invoice lists, shows, prints and takes a payment back", async () => {
  const saved = await partlyPaid("18.00");
  const id = saved["invoice_id"]!;
  const detail = await invoice<{ settlements: { transaction_id: string }[] }>("show", "--invoice", id);
  expect(detail).toMatchObject({ invoice_id: id, paid_amount: "18.00", status: "Partially paid" });
  const listed = await invoice("list", "--status", "Partially paid", "--customer", "C1", "--from", "2026-06-01");
  expect(listed).toMatchObject({ total_records: 1, invoices: [{ invoice_id: id, due_amount: "100.00" }] });
  expect(await invoice("list", "--customer", "nobody")).toEqual({ total_records: 0, invoices: [] });
  const out = join(folder, "invoice.pdf");
  await invoice("pdf", "--invoice", id, "--out", out);
  expect(await pdfText(out)).toContain(saved["invoice_number"]);
  const settlement = detail.settlements[0]!.transaction_id;
  const reversed = await invoice("reverse-settlement", "--settlement", settlement, "--reason", "Cheque bounced");
  expect(reversed).toMatchObject({ status: "Unpaid", due_amount: "118.00", settlements: [{ status: "Reversed" }] });
  const args = ["--merchant", shop.merchant.id, "--settlement", settlement, "--reason", "Again"];
  expect(await nodal(installation.environment, "invoice", "reverse-settlement", ...args)).toMatchObject({ code: 1 });
  const text = await nodal(
    installation.environment,
    "invoice",
    "show",
    "--merchant",
    shop.merchant.id,
    "--invoice",
    id,
  );
  expect(text.stdout).toContain("particular_rows:");
});

test("a fixed commission is what the credit note leaves of it, also when the payment is reversed and comes again", async () => {
  const { body } = await shop.merchant.post("/api/v1/franchise/save", FRANCHISE_LEAST);
  const franchise = body["franchise_id"] as string;
  const due = async (): Promise<unknown> => {
    const options = ["--merchant", shop.merchant.id, "--franchise", franchise];
    return (await nodalJson<Members>(installation.environment, "franchise", "show", ...options))["commission_due"];
  };
  const saved = await shop.add({ ...TAXED, franchise_id: franchise });
  const paid = await shop.settle({ invoice_id: saved["invoice_id"], amount: "118.00" });
  await create(saved, "--amount", "59.00");
  expect(await due()).toBe("25.00");
  const { transaction_id: settlement } = paid.body.srvrsp as Record<string, string>;
  await invoice("reverse-settlement", "--settlement", settlement!, "--reason", "Cheque bounced");
  expect(await due()).toBe("0.00");
  await shop.pay(saved["invoice_id"], "59.00");
  expect(await due()).toBe("25.00");
});

test("everything verifies, and every answer is documented", async () => {
  expect(await installation.findProblems()).toEqual([]);
});

describe("in the dashboard", () => {
  type Shown = Record<string, string> & { readonly attempts: number };
  let owner: Browser;
  beforeAll(async () => {
    owner = await Browser.signIn(installation, await newPerson(installation, shop.merchant.id));
  });

  /** An invoice of 118.00, paid in full, 50.00 of it credited; and the paths of both. */
  async function credited(): Promise<{ invoicePath: string; notePath: string; read: () => Promise<Shown> }> {
    const { invoice_id: id } = await shop.add(TAXED);
    await shop.pay(id, "118.00");
    const invoicePath = `/invoices/${id}`;
    const sent = { request_key: `credit-${id}`, amount: "50", reason: "Short delivery" };
    await owner.post(`${invoicePath}/credit-notes`, sent);
    const read = async (): Promise<Shown> => (await owner.get(invoicePath)).body.credit_notes[0] as Shown;
    return { invoicePath, notePath: `${invoicePath}/credit-notes/${(await read())["credit_note_id"]}`, read };
  }
  const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

  test("a refund is paid once, however often it is asked for, and only as it was agreed to", async () => {
    const { notePath, read } = await credited();
    expect(await read()).toMatchObject({ owed: "50.00", attempts: 0, payee: "", transfer_id: "" });
    const asked = { amount: "50.00", attempts: 0, upi: "success@upi" };
    const refund = (changes: object) => owner.post(`${notePath}/refund`, { ...asked, ...changes });
    expect(codeOf(await refund({ amount: "49.00" }))).toEqual([409, "refund_changed"]);
    expect(codeOf(await refund({ attempts: 1 }))).toEqual([409, "refund_changed"]);
    for (const [changes, field] of [
      [{ upi: "" }, "account_number"],
      [{ upi: "", account_number: "026291800001191" }, "ifsc"],
      [{ account_number: "026291800001191", ifsc: "YESB0000262" }, "upi"],
    ] as const) {
      const { status, body } = await refund(changes);
      expect([status, body.errors[0].field]).toEqual([400, field]);
    }
    expect((await read())["transfer_id"]).toBe("");
    const answers = await Promise.all([refund({}), refund({}), refund({})]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    const { transfer_id: id } = answers.find(({ status }) => status === 200)!.body as { transfer_id: string };
    expect(await shop.merchant.recordWith("SUCCESS", id)).toMatchObject({ status: "SUCCESS" });
    expect(await read()).toMatchObject({ owed: "0.00", refunded: "50.00", attempts: 1, transfer_id: id });
    expect((await read())["payee"]).not.toContain("success@upi");
    expect(codeOf(await refund({}))).toEqual([409, "refund_not_owed"]);
  });

  test("the invoice, its public page, its PDF and the note's say what was refunded and when, once it was paid", async () => {
    const { invoicePath, notePath } = await credited();
    const pageOf = async (): Promise<string> => (await owner.get(`${invoicePath}/page`)).body.html as string;
    const { body: first } = await owner.post(`${notePath}/refund`, {
      amount: "50.00",
      attempts: 0,
      account_number: REFUSED[1],
      ifsc: REFUSED[3],
    });
    await shop.merchant.recordWith("FAILED", first.transfer_id);
    expect((await owner.get(invoicePath)).body).toMatchObject({ refunds: [], refunded: "0.00" });
    expect(await pageOf()).not.toContain("efunded");
    const { body: paid } = await owner.post(`${notePath}/refund`, { amount: "50.00", attempts: 1, upi: "success@upi" });
    await shop.merchant.recordWith("SUCCESS", paid.transfer_id);
    const record = (await owner.get(invoicePath)).body;
    const number = record.credit_notes[0].credit_note_number as string;
    expect(record).toMatchObject({ refunded: "50.00", refunds: [{ credit_note_number: number, amount: "50.00" }] });
    const [year, month, day] = (record.refunds[0].refunded_at as string).slice(0, 10).split("-") as [
      string,
      string,
      string,
    ];
    const monthName = new Intl.DateTimeFormat("en", { month: "short" }).format(new Date(`${year}-${month}-01T12:00Z`));
    const told = `₹50.00 refunded on ${Number(day)} ${monthName} ${year}.`;
    expect(await pageOf()).toContain(told);
    expect(await (await fetch(record.short_url as string)).text()).toContain(told);
    const pdf = new Uint8Array(await (await fetch(record.pdf_url as string)).arrayBuffer());
    expect((await readPdf(pdf)).pages[0]).toContain(`Refunded on ${Number(day)} ${monthName} ${year} 50.00`);
    const out = join(folder, "refunded-note.pdf");
    await note("pdf", "--credit-note", notePath.split("/").at(-1)!, "--out", out);
    expect(await pdfText(out)).toContain(told);
  });

  test("what the bank refused is tried again elsewhere, which a retry of the first try does not do", async () => {
    const { notePath, read } = await credited();
    const first = { amount: "50.00", attempts: 0, account_number: REFUSED[1], ifsc: REFUSED[3] };
    const { body } = await owner.post(`${notePath}/refund`, first);
    await shop.merchant.recordWith("FAILED", body.transfer_id);
    expect(await read()).toMatchObject({ owed: "50.00", attempts: 1 });
    expect(codeOf(await owner.post(`${notePath}/refund`, first))).toEqual([409, "refund_changed"]);
    const second = await owner.post(`${notePath}/refund`, { amount: "50.00", attempts: 1, upi: "success@upi" });
    expect(second.status).toBe(200);
  });

  test("only who may transfer refunds, to a new payee who may make one, a note of its own invoice; its PDF is for who sees the invoice", async () => {
    const { notePath } = await credited();
    const other = await credited();
    const accountant = await Browser.signIn(
      installation,
      await newPerson(installation, shop.merchant.id, "Accountant"),
    );
    const asked = { amount: "50.00", attempts: 0, upi: "success@upi" };
    expect(codeOf(await accountant.post(`${notePath}/refund`, asked))).toEqual([403, "access_denied"]);
    await owner.post("/roles", { name: "Payer", permissions: ["payouts.transfer", "invoices.view"] });
    const payer = await Browser.signIn(installation, await newPerson(installation, shop.merchant.id, "Payer"));
    const elsewhere = await payer.post(`${notePath}/refund`, asked);
    expect([elsewhere.status, elsewhere.body.error]).toEqual([403, expect.stringContaining("can't add beneficiaries")]);
    const astray = `${other.invoicePath}/credit-notes/${notePath.split("/").at(-1)}`;
    expect(codeOf(await owner.post(`${astray}/refund`, asked))).toEqual([404, "credit_note_not_found"]);
    expect(codeOf(await owner.get(`${astray}/pdf`))).toEqual([404, "credit_note_not_found"]);
    const { status, headers, body } = await accountant.get(`${notePath}/pdf`);
    expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect((body as string).slice(0, 5)).toBe("%PDF-");
  });

  test("an invoice's history tells what was done, newest first, and by whom", async () => {
    const { invoicePath } = await credited();
    type Told = { type: string; amount: string; note: string; actor: string; address: string };
    const { body } = await owner.get(`${invoicePath}/history`);
    const told = body.history as Told[];
    expect(told.map(({ type, amount }) => [type, amount])).toEqual([
      ["credit_note.issued", "50.00"],
      ["invoice.paid", ""],
      ["settlement.recorded", "118.00"],
      ["invoice.created", "118.00"],
    ]);
    expect(told[0]).toMatchObject({
      note: "Short delivery",
      actor: expect.stringMatching(/^user:/) as string,
      actor_name: expect.stringMatching(/@example\.com$/) as string,
    });
    const pages = [await owner.get(`${invoicePath}/history?limit=3`)];
    pages.push(await owner.get(`${invoicePath}/history?limit=3&after=${pages[0]!.body.next}`));
    expect(pages.flatMap((page) => page.body.history as Told[])).toEqual(told);
    const viewer = await Browser.signIn(installation, await newPerson(installation, shop.merchant.id, "Viewer"));
    const seen = (await viewer.get(`${invoicePath}/history`)).body.history as Told[];
    expect(seen.map(({ address }) => address)).toEqual(["", "", "", ""]);
    expect(told.some(({ address }) => address !== "")).toBe(true);
  });
});
