// What an invoice comes to and looks like, over real HTTP: its detail, and the page and PDF that its customer opens.
// How pages and PDFs are drawn is tested in src/invoices.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPdf } from "../support/pdf.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { nodalJson } from "../support/nodal.ts";
import { recordEventsOf } from "../support/record-events.ts";

const CUSTOMER = {
  customer_code: "C7",
  customer_name: "अनुष्का <b>Sharma</b>",
  email: "anushka@example.com",
  mobile: "9822200001",
  address: "5, Link Road",
  city: "Mumbai",
  state: "Karnataka",
  zipcode: "400001",
  custom_fields: [{ id: "17", name: "GST", type: "gst", value: "27AAACI1234K1Z5" }],
};
const INVOICE = {
  customer_code: "C7",
  bill_cycle_name: "June 2026",
  bill_date: "2026-06-01",
  due_date: "2026-06-15",
  custom_header_fields: [{ id: "1", name: "PO number", type: "text", value: "PO-77" }],
  particular_rows: [
    { item: "Rent", sac_code: "997212", description: "Office", gst: "18", total_amount: "1000.00" },
    { item: "Stones", sac_code: "7102", description: "", gst: "0.25", total_amount: "10.00" },
  ],
  previous_dues: "12.50",
};

let installation: Installation;
let invoices: Invoices;
let saved: Record<string, string>;

beforeAll(async () => {
  installation = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(installation, { name: "Meridian Networks" });
  await invoices.addCustomer(CUSTOMER);
  saved = await invoices.add(INVOICE);
});
afterAll(() => installation.stop());

function open(path: string, method = "GET"): Promise<Response> {
  return fetch(new URL(path, installation.server.baseUrl), { method });
}

test("the page is in the language that its reader chose, or that the browser prefers", async () => {
  const { short_url: url } = saved as { short_url: string };
  const languageOf = async (address: string, preferred: string) => {
    const answer = await fetch(address, { headers: { "accept-language": preferred } });
    expect(answer.headers.get("vary")?.toLowerCase()).toContain("accept-language");
    return /<html lang="([^"]*)">/.exec(await answer.text())![1];
  };
  expect(await languageOf(url, "hi-IN,hi;q=0.9,en;q=0.8")).toBe("hi");
  expect(await languageOf(url, "en-IN,hi;q=0.5")).toBe("en-IN");
  expect(await languageOf(`${url}?lang=hi`, "en-IN")).toBe("hi");
  expect(await languageOf(`${url}?lang=en`, "hi")).toBe("en-IN");
  expect(await languageOf(`${url}?lang=xx&lang=hi`, "hi")).toBe("hi");
  expect(await languageOf(`${url}-none`, "hi")).toBe("hi");
});

test("detail answers with the record and everything that was decided", async () => {
  const settled = await invoices.pay((await invoices.add(INVOICE))["invoice_id"], "100.00");
  const detail = await invoices.read(settled["invoice_id"]);
  const { custom_fields, ...contact } = CUSTOMER;
  const customer = { customer_id: expect.any(Number) as number, ...contact, custom_fields };
  expect(detail).toMatchObject({
    ...customer,
    bill_cycle_name: "June 2026",
    cycle_name: "June 2026",
    bill_date: "2026-06-01",
    due_date: "2026-06-15",
    custom_header_fields: [...INVOICE.custom_header_fields, { id: "2", name: "Notes", type: "textarea", value: "" }],
    particular_rows: INVOICE.particular_rows,
    tax_rows: [
      { name: "IGST", percentage: "18", applicable_on: "1000.00", amount: "180.00" },
      { name: "IGST", percentage: "0.25", applicable_on: "10.00", amount: "0.03" },
    ],
    sub_total: "1010.00",
    tax_total: "180.03",
    previous_dues: "12.50",
    amount: "1202.53",
    paid_amount: "100.00",
    due_amount: "1102.53",
    status: "Partially paid",
    settlements: [{ transaction_id: settled["transaction_id"], amount: "100.00", mode: "Online", status: "Recorded" }],
    customer,
    template_id: invoices.templateId,
  });
  const { short_url, pdf_url } = detail as { short_url: string; pdf_url: string };
  expect([short_url.startsWith(`${installation.server.baseUrl}/i/`), pdf_url]).toEqual([true, `${short_url}/pdf`]);
});

describe("tax", () => {
  test("follows the merchant's and the customer's states, and is none without a GSTIN", async () => {
    const taxed = { particular_rows: [{ gst: "18", total_amount: "99.99" }] };
    const taxesOf = async (merchant: Invoices) => {
      const { tax_rows, amount } = await merchant.read((await merchant.add(taxed))["invoice_id"]);
      return [(tax_rows as { name: string; amount: string }[]).map((tax) => `${tax.name} ${tax.amount}`), amount];
    };
    expect(await taxesOf(invoices)).toEqual([["CGST 9.00", "SGST 9.00"], "117.99"]);
    const small = await Invoices.ofNewMerchant(installation, { gstin: "" });
    expect(await taxesOf(small)).toEqual([[], "99.99"]);
  });

  test("stays as it was billed when the customer moves away, until an update names the customer", async () => {
    await invoices.addCustomer({ customer_code: "M", customer_name: "Mover", state: "Karnataka" });
    const { invoice_id } = await invoices.add({ ...INVOICE, customer_code: "M", previous_dues: "" });
    const { customer } = (await invoices.read(invoice_id)) as { customer: { customer_id: number } };
    const { customer_id } = customer;
    await invoices.ask("/api/v1/merchant/customer/update", { customer: [{ customer_id, state: "Goa" }] });
    expect(await invoices.read(invoice_id)).toMatchObject({ tax_rows: [{ name: "CGST" }, {}, {}, {}], state: "Goa" });
    await invoices.update(invoice_id, {});
    expect(await invoices.read(invoice_id)).toMatchObject({ tax_rows: [{ name: "CGST" }, {}, {}, {}] });
    await invoices.update(invoice_id, { customer_code: "M" });
    expect(await invoices.read(invoice_id)).toMatchObject({ tax_rows: [{ name: "IGST" }, { name: "IGST" }] });
  });
});

describe("the public page", () => {
  test("opens without a login, readable, and told to nobody", async () => {
    const page = await open(saved["short_url"]!);
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-robots-tag": "noindex, nofollow",
      "referrer-policy": "no-referrer",
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringContaining("default-src 'none'") as string,
    });
    const html = await page.text();
    for (const text of ["Meridian Networks", "INV-2627-00001", "₹1,202.53", "अनुष्का &lt;b&gt;Sharma", "PO-77"]) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain(invoices.merchant.keys.secret_access_key);
  });

  test("shows what is due today: paid, partially paid, cancelled", async () => {
    const { invoice_id, short_url } = await invoices.add({ particular_rows: [{ total_amount: "100.00" }] });
    await invoices.pay(invoice_id, "40.00");
    expect(await (await open(short_url!)).text()).toContain('<p class="due">₹60.00</p>');
    await invoices.pay(invoice_id, "60.00");
    expect(await (await open(short_url!)).text()).toMatch(/class="status [a-z]+">Paid/);
    const other = await invoices.add();
    await invoices.cancel(other["invoice_id"]);
    expect(await (await open(other["short_url"]!)).text()).toMatch(/class="status [a-z]+">Cancelled/);
  });

  test("opens nothing by any other address", async () => {
    const stranger = await Invoices.ofNewMerchant(installation);
    const theirs = new URL((await stranger.add())["short_url"]!).pathname;
    const path = new URL(saved["short_url"]!).pathname;
    const [bucket, merchant, invoice] = path.slice("/i/".length).split("-");
    const token = path.slice(-22);
    const [otherBucket, otherMerchant, otherInvoice] = theirs.slice("/i/".length).split("-");
    const wrong = [
      `/i/${bucket}-${merchant}-${invoice}-${"A".repeat(22)}`,
      path.slice(0, -1),
      `${path}A`,
      `/i/${otherBucket}-${otherMerchant}-${otherInvoice}-${token}`,
      `/i/${otherBucket}-${otherMerchant}-${invoice}-${token}`,
      `/i/${bucket}-${merchant}-${otherInvoice}-${token}`,
      `/i/${bucket}-${merchant}-9999999999999999-${token}`,
      `/i/999-${merchant}-${invoice}-${token}`,
      "/i/x",
      `/i/${"9".repeat(90)}`,
      "/i/%00",
    ];
    for (const address of wrong.flatMap((each) => [each, `${each}/pdf`])) {
      const answer = await open(address);
      expect([address, answer.status, answer.headers.get("x-robots-tag")]).toEqual([address, 404, "noindex, nofollow"]);
      expect(await answer.text()).not.toContain("Meridian");
    }
  });

  test("names the address that the server is configured with, whatever the request's Host says", async () => {
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const answer = await invoices.save([INVOICE], headers);
    expect(answer.body.srvrsp[0].short_url).toMatch(new RegExp(`^${installation.server.baseUrl}/`));
  });
});

describe("the PDF", () => {
  test("opens, and says what the page says", async () => {
    const answer = await open(`${saved["short_url"]}/pdf`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": 'inline; filename="INV-2627-00001.pdf"',
      "x-robots-tag": "noindex, nofollow",
      "cache-control": "private, no-store",
    });
    const { pages } = await readPdf(new Uint8Array(await answer.arrayBuffer()));
    expect(pages).toHaveLength(1);
    for (const text of ["INV-2627-00001", "Meridian Networks", "1,202.53", "IGST", "29AAACI1234K1Z5", "PO-77"]) {
      expect(pages[0]).toContain(text);
    }
  });

  test("is made at most 60 times a minute for one link, whatever the others do", async () => {
    const [busy, other] = [await invoices.add(INVOICE), await invoices.add(INVOICE)];
    const answers = await Promise.all(Array.from({ length: 61 }, () => open(`${busy["short_url"]}/pdf`)));
    const counts = Map.groupBy(answers, ({ status }) => status);
    expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([60, 1]);
    expect(Number(counts.get(429)![0]!.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await open(`${other["short_url"]}/pdf`)).status).toBe(200);
    expect((await open(busy["short_url"]!)).status).toBe(200);
  });

  test("is kept, and never older than the invoice, its payments and its template", async () => {
    const { invoice_id, short_url } = await invoices.add({
      particular_rows: [{ item: "Tea", total_amount: "100.00" }],
    });
    const read = async () => Buffer.from(await (await open(`${short_url}/pdf`)).arrayBuffer());
    const textOf = async () => (await readPdf(await read())).pages.join(" ");
    const [first, second] = [await read(), await read()];
    expect(first.equals(second)).toBe(true);
    await invoices.update(invoice_id, { particular_rows: [{ item: "Coffee", total_amount: "100.00" }] });
    expect(await textOf()).toMatch(/Coffee.*100\.00/);
    await invoices.pay(invoice_id, "40.00");
    expect(await textOf()).toMatch(/Paid −40\.00 Amount due ₹60\.00/);
    await installation.pool.query("update template set terms = 'Pay at the gate.' where merchant_id = $1", [
      invoices.merchant.id,
    ]);
    await recordEventsOf(installation.pool, invoices.merchant.id, "template.created", [invoices.templateId]);
    expect(await textOf()).toContain("Pay at the gate.");
    await invoices.pay(invoice_id, "60.00");
    expect(await textOf()).toMatch(/Amount due ₹0\.00/);
  });

  test("of an invoice from a template of its own has that template's terms and colour", async () => {
    const create = ["template", "create", "--merchant", invoices.merchant.id, "--name", "Rent", "--prefix", "R/{FY}/"];
    const more = ["--terms", "Pay within 15 days", "--company-name", "Meridian Estates", "--upi", "rent@upi"];
    const { template_id } = await nodalJson<{ template_id: string }>(installation.environment, ...create, ...more);
    const answer = await invoices.ask("/api/v3/merchant/invoice/save", { template_id, invoice: [INVOICE] });
    const { short_url } = answer.body.srvrsp[0] as { short_url: string };
    const pdf = await open(`${short_url}/pdf`);
    expect(pdf.headers.get("content-disposition")).toBe('inline; filename="R-2627-00001.pdf"');
    const { pages } = await readPdf(new Uint8Array(await pdf.arrayBuffer()));
    expect(pages.join(" ")).toContain("Pay within 15 days");
    expect(pages.join(" ")).toContain("Meridian Estates");
    // Nor is it signed in another name than that of its supplier.
    expect(pages.join(" ")).not.toContain("Meridian Networks");
  });
});

test("afterwards the installation is sound", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
