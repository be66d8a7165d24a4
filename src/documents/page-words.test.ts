// The public page in Hindi: every label is translated, amounts are the same, and texts that the law prescribes stay in English.
import { expect, test } from "vitest";
import { sampleDocument, tax } from "../../test/support/invoice-documents.ts";
import type { InvoiceDocument } from "./document.ts";
import { pageLanguage } from "./page-words.ts";
import { renderInvoiceNotFoundPage, renderInvoicePage } from "./render-page.ts";

const BANK = { accountNumber: "00011020001772", ifsc: "HDFC0000001", holder: "Meridian Networks" };
const TODAY = Temporal.PlainDate.from("2026-11-18");
/** English words that Hindi uses too, and the numbers after them. */
const SAME = /^((HSN\/SAC|GSTIN|PAN|IFSC|UPI ID|GST|[CSI]GST)( [A-Z0-9.%]+)*|[\d,.₹ ]+)$/;
/** All labels: names of facts, headings, buttons, links, statuses and notes. */
const LABELS = /<(dt|h2|th|a|button|summary|p|figcaption)\b[^>]*?>(.*?)<\/\1>/gs;

const hindiPage = (changes: Partial<InvoiceDocument>, today?: Temporal.PlainDate): string =>
  pageIn("hi", changes, today);

function pageIn(language: "en" | "hi", changes: Partial<InvoiceDocument>, today = TODAY): string {
  const document = sampleDocument({ headerFields: [], bank: BANK, duePaise: 98_765_00n, ...changes });
  return renderInvoicePage(document, { pdfUrl: "/i/x/pdf", today, canCopy: true, language }).html;
}

const KINDS = [
  "tax_invoice",
  "bill_of_supply",
  "invoice",
  "opening_balance",
  "credit_note",
  "financial_credit_note",
  "debit_note",
] as const satisfies readonly InvoiceDocument["kind"][];

/** Leaves out texts marked as English, names, items and terms. */
function withoutContent(html: string): string {
  return html
    .replaceAll(/<(\w+)[^>]* lang="en(-IN)?"[^>]*>.*?<\/\1>/gs, "")
    .replaceAll(/<header.*?<p>.*?<\/p>|<footer.*?<\/footer>/gs, "")
    .replaceAll(/<p class="(strong|terms)">.*?<\/p>|<th scope="row" class="item">.*?<\/th>/gs, "");
}

test.each(KINDS)("every label of the page of a %s is in Hindi", (kind) => {
  const refunds = [{ date: TODAY, amountPaise: 5_00n }];
  const more = { kind, refunds, creditedPaise: 1_00n, paidPaise: 2_00n, previousDuesPaise: 3_00n };
  const shipping = { billNo: "7", billDate: "2026-11-02", portCode: "INNSA1" };
  const { supplier, recipient } = sampleDocument();
  const nowhere = { addressLines: [], email: "", mobile: "", state: null };
  const parties = { supplier: { ...supplier, ...nowhere }, recipient: { ...recipient, ...nowhere } };
  const html = hindiPage({
    ...more,
    ...parties,
    deliveryAddress: "Gate 4",
    country: "Nepal",
    shipping,
  });
  const labels = [...withoutContent(html).matchAll(LABELS)]
    .map((match) =>
      match[2]!
        .replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((label) => /[A-Za-z]/.test(label));
  expect(labels.filter((label) => !/[\u0900-\u097F]/.test(label) && !SAME.test(label))).toEqual([]);
  expect(labels.length).toBeGreaterThan(5);
  expect(html).toContain('<html lang="hi">');
});

test.each([
  [{}, "देय तिथि 15 Nov 2026 थी, 3 दिन पहले"],
  [{ status: "Cancelled" }, "यह इनवॉइस रद्द हो चुका है।"],
  [{ status: "Cancelled", creditedPaise: 1_00n }, "इस इनवॉइस की पूरी राशि क्रेडिट कर दी गई है।"],
  [{ status: "Carried forward" }, "देय राशि बाद के इनवॉइस में जोड़ दी गई है।"],
  [{ status: "Paid offline", duePaise: 0n, paidPaise: 5_00n }, "कुछ देय नहीं है। धन्यवाद।"],
  [
    { status: "Paid offline", duePaise: 0n, paidPaise: 5_00n, refunds: [{ date: TODAY, amountPaise: 5_00n }] },
    "कुछ देय नहीं है। ₹5.00 लौटाए गए, 18 Nov 2026 को।",
  ],
])("the note below the amount, for %o", (changes, note) => {
  expect(hindiPage(changes as Partial<InvoiceDocument>)).toContain(note);
});

test("amounts, numbers and what the law wants printed are the same in both languages", () => {
  const changes = { endorsement: "Supply meant for export under LUT", taxes: [tax("IGST", 1800n, 100_00n, 18_00n)] };
  const [english, hindi] = [pageIn("en", changes), pageIn("hi", changes)];
  const amounts = (html: string) => html.match(/₹?\d[\d,]*\.\d\d/g);
  expect(amounts(hindi)!.length).toBeGreaterThan(10);
  expect(amounts(hindi)).toEqual(amounts(english));
  for (const printed of ["Tax invoice", "Original for recipient", changes.endorsement, "IGST 18%"]) {
    expect(hindi).toContain(printed);
  }
  expect(hindi).toMatch(/lang="en-IN">Rupees One Lakh/);
  expect(hindi).toContain('href="?lang=en" lang="en" hreflang="en">English</a>');
  expect(english).toContain('href="?lang=hi" lang="hi" hreflang="hi">हिन्दी</a>');
  expect(renderInvoiceNotFoundPage("hi").html).toContain("इनवॉइस नहीं मिला");
});

test.each([
  ["hi", "en", "hi"],
  ["en", "hi-IN,hi;q=0.9", "en"],
  [undefined, "hi-IN,hi;q=0.9,en;q=0.8", "hi"],
  [undefined, "en-IN,en;q=0.9,hi;q=0.8", "en"],
  [undefined, "mr-IN, hi;q=0.5, en;q=0.4", "hi"],
  [undefined, "en;q=0.4,hi;q=0.5", "hi"],
  [undefined, "hi;q=0, en;q=0.1", "en"],
  [undefined, "hi;q=nonsense,*", "en"],
  [undefined, undefined, "en"],
  ["toString", ";;,,=", "en"],
  [["hi", "en"], "fr", "en"],
])("?lang=%s and Accept-Language %s: %s", (chosen, preferred, language) => {
  expect(pageLanguage(chosen, preferred)).toBe(language);
});
