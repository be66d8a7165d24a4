// The public page: safe with any text, complete without scripts, and correct about due amounts.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { renderInvoiceNotFoundPage, renderInvoicePage } from "./render-page.ts";
import { upiLink } from "./render-view.ts";
import { HOSTILE_TEXT, row, sampleDocument, tax } from "../../test/support/invoice-documents.ts";

const PDF = { pdfUrl: "/i/3f9c0b7e5a2d/invoice.pdf" };
const ESCAPED = HOSTILE_TEXT.replaceAll("&", "&amp;")
  .replaceAll("<", "&lt;")
  .replaceAll(">", "&gt;")
  .replaceAll('"', "&quot;")
  .replaceAll("'", "&#39;");

test("has what is due, the way to pay it, and the PDF", () => {
  const document = sampleDocument({ duePaise: 98_765_00n });
  const { html } = renderInvoicePage(document, PDF);
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).toContain('<meta name="robots" content="noindex,nofollow" />');
  expect(html).toContain("<title>Tax invoice INV/26-27/00042 · Meridian Networks Pvt Ltd</title>");
  expect(html).toContain('<p class="due">₹98,765.00</p>');
  expect(html).toContain('<p class="status open">Unpaid</p>');
  expect(html).toContain('href="/i/3f9c0b7e5a2d/invoice.pdf" download');
  expect(html).toContain(`href="${upiLink(document)!.replaceAll("&", "&amp;")}"`);
  expect(html).toContain('aria-label="UPI QR code for ₹98,765.00"><svg');
  expect(html).toContain("Rupees One Lakh Twenty-Three Thousand Four Hundred Fifty-Six Only");
});

test("bank details are on the page of what is to be paid, escaped, and on no other", () => {
  const bank = { accountNumber: "00011020001772", ifsc: "HDFC0000001", holder: HOSTILE_TEXT };
  const pageOf = (changes: object) => renderInvoicePage(sampleDocument({ bank, ...changes }), PDF).html;
  expect(pageOf({})).toMatch(/<h2>Bank transfer<\/h2>\s*<dl class="facts"><dt>Account name<\/dt>/);
  expect(pageOf({})).toContain(`<dd>${ESCAPED}</dd>`);
  expect(pageOf({})).toMatch(/<dd>00011020001772<\/dd>.*<dd>HDFC0000001<\/dd>/s);
  for (const none of [{ bank: null }, { duePaise: 0n, status: "Paid offline" }, { status: "Cancelled" }]) {
    expect(pageOf(none)).not.toMatch(/Bank transfer|HDFC0000001/);
  }
});

test("a page with copy buttons has one script, which its policy allows by hash, and buttons that are hidden without it", () => {
  const bank = { accountNumber: "00011020001772", ifsc: "HDFC0000001", holder: `${HOSTILE_TEXT} Ltd` };
  const page = renderInvoicePage(sampleDocument({ bank, duePaise: 98_765_00n }), { ...PDF, canCopy: true });
  const scripts = [...page.html.matchAll(/<script>(.*?)<\/script>/gs)].map((match) => match[1]!);
  expect(scripts.length).toBe(1);
  const hash = createHash("sha256").update(scripts[0]!).digest("base64");
  expect(page.contentSecurityPolicy).toContain(`default-src 'none'; script-src 'sha256-${hash}'; style-src`);
  const buttons = page.html.match(/<button[^>]*>/g)!;
  expect(buttons.map((button) => /data-copy="([^"]*)"/.exec(button)![1])).toEqual([
    "98765.00",
    expect.stringContaining("@"),
    expect.stringContaining("&lt;"),
    "00011020001772",
    "HDFC0000001",
  ]);
  expect(buttons.filter((button) => !/\shidden\s*>/.test(button))).toEqual([]);
  const paid = renderInvoicePage(sampleDocument({ status: "Paid offline", duePaise: 0n, bank }), {
    ...PDF,
    canCopy: true,
  });
  expect(paid.html).not.toContain("<button");
});

test("a header field of several lines keeps them", () => {
  const headerFields = [{ name: "Delivery", value: "Gate 4\nBehind the temple" }];
  const { html } = renderInvoicePage(sampleDocument({ headerFields }), PDF);
  expect(html).toContain("<dd>Gate 4\nBehind the temple</dd>");
  expect(html).toMatch(/\.facts dd \{[^}]*white-space: pre-line/);
});

test("the policy allows its one style, and there is nothing else to allow", () => {
  for (const page of [renderInvoicePage(sampleDocument(), PDF), renderInvoiceNotFoundPage()]) {
    const styles = [...page.html.matchAll(/<style>(.*?)<\/style>/gs)].map((match) => match[1]!);
    expect(styles.length).toBe(1);
    const hash = createHash("sha256").update(styles[0]!).digest("base64");
    expect(page.contentSecurityPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page.html).not.toMatch(/<script|<link|\sstyle=|\son\w+=|url\(|@import|src="(?!data:)/);
  }
});

test("hostile text is text everywhere", () => {
  const sample = sampleDocument();
  const { html } = renderInvoicePage(
    sampleDocument({
      number: HOSTILE_TEXT,
      cycleName: HOSTILE_TEXT,
      supplier: { ...sample.supplier, name: HOSTILE_TEXT, addressLines: [HOSTILE_TEXT], gstin: HOSTILE_TEXT },
      recipient: { ...sample.recipient, name: HOSTILE_TEXT, email: HOSTILE_TEXT, code: HOSTILE_TEXT },
      headerFields: [{ name: HOSTILE_TEXT, value: HOSTILE_TEXT }],
      rows: [row(HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT, 1n)],
      taxes: [tax(HOSTILE_TEXT, 900n, 1n, 1n)],
      terms: HOSTILE_TEXT,
      signatory: HOSTILE_TEXT,
      accentColour: "</style><script>",
      upi: { handle: HOSTILE_TEXT, payee: HOSTILE_TEXT },
      status: HOSTILE_TEXT,
    }),
    { pdfUrl: `/x"><script>` },
  );
  expect(html).not.toMatch(/<script|<b |&amp;amp;lt|<\/style><s/);
  expect(html.split(ESCAPED).length - 1).toBeGreaterThanOrEqual(15);
  expect(html.split(HOSTILE_TEXT).length - 1).toBe(0);
});

test.each([
  ["Paid", { status: "Paid offline", paidPaise: 1_23_456_00n, duePaise: 0n }, "good", "Nothing is due"],
  ["Cancelled", { status: "Cancelled" }, "muted", "This invoice was cancelled."],
  ["Credited", { status: "Cancelled", creditedPaise: 100_00n }, "muted", "This invoice was credited in full."],
  ["Carried forward", { status: "Carried forward" }, "muted", "moved to a later invoice"],
])("an invoice whose page says %s asks for nothing", (status, changes, tone, words) => {
  const { html } = renderInvoicePage(sampleDocument(changes), PDF);
  expect(html).toContain(`<p class="status ${tone}">${status}</p>`);
  expect(html).toContain(words);
  expect(html).not.toContain("upi://");
  expect(html).not.toContain("<svg");
});

test.each([
  ["2026-11-14", "Unpaid", "Due on 15 Nov 2026, in 1 day"],
  ["2026-11-15", "Unpaid", "Due today, 15 Nov 2026"],
  ["2026-11-18", "Overdue", "Was due on 15 Nov 2026, 3 days ago"],
])("on %s the status is %s", (today, status, note) => {
  const { html } = renderInvoicePage(sampleDocument(), { ...PDF, today: Temporal.PlainDate.from(today) });
  expect(html).toContain(`">${status}</p>`);
  expect(html).toContain(note);
});

test("an address that names its state gets the code only", () => {
  const recipient = {
    ...sampleDocument().recipient,
    addressLines: ["12 Temple Street", "Bengaluru, Karnataka, 560003"],
  };
  const { html } = renderInvoicePage(sampleDocument({ recipient }), PDF);
  expect(html).toContain('Bengaluru, Karnataka, 560003</p><p class="quiet small">State code 29</p>');
});

test("months away are still counted in days", () => {
  const { html } = renderInvoicePage(sampleDocument(), { ...PDF, today: Temporal.PlainDate.from("2026-08-01") });
  expect(html).toContain("in 106 days");
});

test("the logo stands in the page as the bitmap that it is", () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const { html } = renderInvoicePage(sampleDocument({ logo: { mimeType: "image/png", bytes } }), PDF);
  expect(html).toContain(`<img alt="" src="data:image/png;base64,${Buffer.from(bytes).toString("base64")}" />`);
});

test("the page of an unknown link names no invoice", () => {
  const { html } = renderInvoiceNotFoundPage();
  expect(html).toContain("Invoice not found");
  expect(html).toContain('content="noindex,nofollow"');
});
