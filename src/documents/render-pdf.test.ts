// The invoice as PDF, read back: its texts, its number of pages, and the content of its QR code.
import jsQR from "jsqr";
import { existsSync, readFileSync } from "node:fs";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import type { Picture } from "../platform/pdf/messages.ts";
import { unprintableLetters } from "../platform/pdf/fonts.ts";
import { createPdfRenderer } from "../platform/pdf/renderer.ts";
import { drawnPng, JPEG, svgOf } from "../../test/support/pictures.ts";
import { drawPdfPage, readPdf } from "../../test/support/pdf.ts";
import type { InvoiceDocument } from "./document.ts";
import { drawLogo } from "../invoices/templates/template-logo.ts";
import { renderInvoicePdf } from "./render-pdf.ts";
import { upiLink } from "./render-view.ts";
import { HOSTILE_TEXT, longDocument, row, sampleDocument, tax } from "../../test/support/invoice-documents.ts";

const OWNER = { bucket: 7, merchantId: 1001n };
const workers: number[] = [];
const write = (line: string) => void workers.push((JSON.parse(line) as { pid: number }).pid);
const renderer = createPdfRenderer({ logger: pino({ level: "debug", base: null }, { write }) });
afterAll(() => renderer.close());

async function read(document: InvoiceDocument) {
  return readPdf(await renderInvoicePdf(renderer, OWNER, document));
}

test("a document that is not saved is marked on each page, and no other is", async () => {
  const draft = await read(sampleDocument({ ...longDocument(60), isDraft: true }));
  expect(draft.pages.length).toBeGreaterThan(1);
  for (const page of draft.pages) expect(page).toContain("DRAFT");
  for (const page of (await read(sampleDocument())).pages) expect(page).not.toContain("DRAFT");
});

test("a tax invoice says all that Rule 46 asks for", async () => {
  const { pages, title, author } = await read(sampleDocument());
  expect(pages.length).toBe(1);
  for (const words of [
    "Tax invoice",
    "ORIGINAL FOR RECIPIENT",
    "Meridian Networks Pvt Ltd 4th Floor, 27 Residency Road Bengaluru 560025 Karnataka (29)",
    "GSTIN 29AABCM1234E1ZK",
    "Asha Rao 12 Temple Street, Malleshwaram Bengaluru 560003 Karnataka (29)",
    "GSTIN 29ABCDE1234F1Z5",
    "Invoice no. INV/26-27/00042",
    "Invoice date 1 Nov 2026",
    "Due date 15 Nov 2026",
    "Place of supply Karnataka (29)",
    "Reverse charge No",
    "Purchase order PO-7781",
    "Leased line, 200 Mbps 1 to 30 November 2026, with a static IP address 998422 18% 1,00,000.00",
    "Taxable value 1,04,623.00",
    "CGST 9% 9,416.07",
    "SGST 9% 9,416.07",
    "Round off 0.86",
    "Total ₹1,23,456.00",
    "Rupees One Lakh Twenty-Three Thousand Four Hundred Fifty-Six Only",
    "998422 18% 1,00,000.00 9,000.00 9,000.00 18,000.00",
    "Total 1,04,623.00 9,416.07 9,416.07 18,832.14",
    "Interest of 1.5% a month",
    "For Meridian Networks Pvt Ltd",
    "Kavya Menon Authorised signatory",
    "Page 1 of 1",
  ]) {
    expect(pages[0]).toContain(words);
  }
  expect(title).toBe("Tax invoice INV/26-27/00042");
  expect(author).toBe("Meridian Networks Pvt Ltd");
});

test("between states there is IGST, and dues, payments and reverse charge are told", async () => {
  const { pages } = await read(
    sampleDocument({
      taxes: [tax("IGST", 1800n, 1_04_623_00n, 18_832_14n)],
      placeOfSupply: { code: "33", name: "Tamil Nadu" },
      reverseCharge: true,
      roundOffPaise: 0n,
      previousDuesPaise: 5_000_50n,
      totalPaise: 1_28_455_64n,
      paidPaise: 28_455_64n,
      duePaise: 1_00_000_00n,
      status: "Partially paid",
    }),
  );
  for (const words of ["IGST 18% 18,832.14", "Place of supply Tamil Nadu (33)", "Reverse charge Yes"]) {
    expect(pages[0]).toContain(words);
  }
  expect(pages[0]).toContain("This invoice 1,23,455.14 Previous dues 5,000.50 Total payable ₹1,28,455.64");
  expect(pages[0]).toContain("Paid −28,455.64 Amount due ₹1,00,000.00");
  expect(pages[0]).not.toMatch(/CGST|SGST|Round off/);
});

test("without a GSTIN it is an invoice, and parts that are empty leave no word behind", async () => {
  const sample = sampleDocument();
  const blank = { addressLines: [], gstin: null, pan: null, state: null, email: "", mobile: "" };
  const { pages } = await read(
    sampleDocument({
      kind: "invoice",
      number: null,
      cycleName: "",
      headerFields: [],
      placeOfSupply: null,
      supplier: { ...sample.supplier, ...blank },
      recipient: { ...sample.recipient, ...blank, code: "" },
      rows: [row("Cleaning", "", "", 1_00_000_00n, 0n)],
      taxes: [],
      subTotalPaise: 1_00_000_00n,
      taxTotalPaise: 0n,
      roundOffPaise: 0n,
      totalPaise: 1_00_000_00n,
      duePaise: 1_00_000_00n,
      terms: "",
      signatory: "",
      upi: null,
      publicUrl: "",
    }),
  );
  expect(pages[0]).toMatch(/^Meridian Networks Pvt Ltd Invoice BILLED TO Asha Rao Invoice date/);
  expect(pages[0]).not.toMatch(/GST|HSN|Reverse|RECIPIENT|TERMS|Scan|online|Place of supply|no\./);
});

test("a credit note names its invoice and asks for nothing", async () => {
  const originalInvoice = { number: "INV/26-27/00042", date: Temporal.PlainDate.from("2026-11-01") };
  const { pages } = await read(
    sampleDocument({ kind: "credit_note", number: "CN/26-27/00001", originalInvoice, status: "" }),
  );
  expect(pages[0]).toContain("Credit note");
  expect(pages[0]).toContain("Against invoice INV/26-27/00042 Dated 1 Nov 2026");
  expect(pages[0]).not.toMatch(/Amount due|AMOUNT DUE|Due date|Scan to pay/);
});

test("eight items with a logo, eight codes, taxes, terms and how to pay fit one page", async () => {
  const rows = Array.from({ length: 8 }, (_, index) =>
    row(
      `Leased line ${index + 1}, 200 Mbps`,
      `99842${index}`,
      "1 to 30 November 2026, with a static IP address",
      10_000_00n,
    ),
  );
  const logo = { mimeType: "image/png" as const, bytes: drawnPng(60, 20, () => [200, 10, 20, 255]) };
  const { pages } = await read(sampleDocument({ rows, logo, bank: BANK }));
  expect(pages).toHaveLength(1);
  expect(pages[0]).toMatch(/998427 18% 10,000\.00 .*Authorised signatory.* Page 1 of 1$/);
});

test("200 rows: every row once, headings and page numbers on every page", async () => {
  const { pages } = await read(longDocument(200));
  expect(pages.length).toBeGreaterThan(3);
  const rows = pages.join(" ").match(/Item \d+ 998422/g) ?? [];
  expect(rows).toEqual(Array.from({ length: 200 }, (_, index) => `Item ${index + 1} 998422`));
  pages.forEach((page, index) => {
    expect(page).toContain("# Item HSN/SAC Amount (₹)");
    expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
  });
});

test("the sum stands below at least two rows, wherever the page ends", async () => {
  for (let count = 9; count <= 34; count++) {
    const { pages } = await read(longDocument(count));
    const page = pages.find((text) => text.includes("AMOUNT IN WORDS")) ?? "";
    expect(page.match(/Item \d+ 998422/g)?.length ?? 0, `${count} rows`).toBeGreaterThanOrEqual(2);
  }
});

test("a description longer than a page, and words longer than a line, are printed whole", async () => {
  const description = Array.from({ length: 1500 }, (_, index) => `word${index}`).join(" ");
  const { pages } = await read(
    sampleDocument({ rows: [row("Long", "998422", description, 1n), row("x".repeat(500), "998422", "", 1n)] }),
  );
  const text = pages.join(" ").replace(/\s/g, "");
  for (const index of [0, 700, 1499]) expect(text).toContain(`word${index}`);
  expect(text.match(/x{10,}/g)?.join("").length).toBe(500);
});

test("long words and a long link stay inside the margins, with nothing invisible in their text", async () => {
  const { recipient } = sampleDocument();
  const publicUrl = `https://billing.of-a-merchant.example.co.in/path/i/${"3f9c0b7e5a2d4c1b".repeat(12)}`;
  const { pages, rightEdge } = await read(
    sampleDocument({
      publicUrl,
      duePaise: 98_765_00n,
      cycleName: "c".repeat(100),
      recipient: { ...recipient, name: "n".repeat(200), email: `${"e".repeat(60)}@example.com` },
      headerFields: [{ name: "f".repeat(100), value: "v".repeat(500) }],
      rows: [row("i".repeat(200), "9".repeat(20), "d".repeat(500), 1n)],
    }),
  );
  const text = pages.join(" ");
  expect(text).not.toMatch(/\u200b/);
  expect(text.replace(/\s/g, "")).toContain(`Viewor payonline:${publicUrl}`.replace(" ", ""));
  // A4 is 595 points wide, with margins of 16 mm.
  expect(rightEdge).toBeLessThan(595.3 - 45.3 + 0.5);
});

const BANK = { accountNumber: "00011020001772", ifsc: "HDFC0000001", holder: "Meridian Networks Pvt Ltd" };

test("bank details stand on what is to be paid, where they are asked for, and nowhere else", async () => {
  const details = "BANK TRANSFER Account name Meridian Networks Pvt Ltd Account number 00011020001772 IFSC HDFC0000001";
  const { pages } = await read(sampleDocument({ bank: BANK, upi: null }));
  expect(pages).toHaveLength(1);
  expect(pages[0]).toContain(details);
  expect((await read(sampleDocument({ bank: BANK, duePaise: 98_765_00n }))).pages[0]).toMatch(
    new RegExp(`meridian@okbank .*${details}`),
  );
  for (const none of [{ bank: null }, { bank: BANK, duePaise: 0n, status: "Paid offline" }]) {
    expect((await read(sampleDocument(none))).pages[0]).not.toMatch(/BANK TRANSFER|HDFC0000001|00011020001772/);
  }
});

test("a header field of several lines keeps them", async () => {
  const pdf = await renderInvoicePdf(
    renderer,
    OWNER,
    sampleDocument({ headerFields: [{ name: "Delivery", value: "Gate 4\nBehind the temple" }] }),
  );
  expect((await readPdf(pdf)).pages[0]).toContain("Delivery Gate 4 Behind the temple");
});

test.each([
  ["Hindi", "मेरिडियन नेटवर्क्स", "NotoSans"],
  ["Tamil", "செந்தில் குமார்", "NotoSansTamil"],
  ["Bengali", "রবীন্দ্রনাথ ঠাকুর", "NotoSansBengali"],
  ["Telugu", "శ్రీ వేంకటేశ్వర ట్రేడర్స్", "NotoSansTelugu"],
  ["Kannada", "ಶ್ರೀ ಕೃಷ್ಣ ಟ್ರೇಡರ್ಸ್", "NotoSansKannada"],
  ["Malayalam", "ശ്രീകൃഷ്ണ അവൻ", "NotoSansMalayalam"],
  ["Gujarati", "શ્રી કૃષ્ણ ટ્રેડર્સ", "NotoSansGujarati"],
  ["Gurmukhi", "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", "NotoSansGurmukhi"],
  ["Odia", "ଶ୍ରୀ ଜଗନ୍ନାଥ ରାଷ୍ଟ୍ର", "NotoSansOriya"],
  ["Urdu", "محمد علی", "NotoSansArabic"],
  ["Santali", "ᱥᱟᱱᱛᱟᱲᱤ", "NotoSansOlChiki"],
  ["Manipuri", "ꯃꯤꯇꯩ ꯃꯌꯦꯛ", "NotoSansMeeteiMayek"],
  ["Emoji's", "Asha 👍🎉", "NotoEmoji"],
  ["Arrows' and ticks'", "Delhi → Mumbai ✓", "NotoSansSymbols"],
])("%s names are drawn with glyphs of their own, in no font but those that we ship", async (_, name, font) => {
  const recipient = { ...sampleDocument().recipient, name };
  const pdf = await renderInvoicePdf(renderer, OWNER, sampleDocument({ recipient }));
  const fonts =
    Buffer.from(pdf)
      .toString("latin1")
      .match(/(?<=\/FontName \/[A-Z]{6}\+)[A-Za-z]+/g) ?? [];
  expect(new Set(fonts)).toEqual(new Set(["NotoSans", font]));
  expect(unprintableLetters(name)).toBe("");
  const { pages } = await readPdf(pdf);
  // A letter without a glyph can't be read back.
  for (const letter of name.match(/[\p{L}\p{Emoji_Presentation}]/gu)!) expect(pages[0]).toContain(letter);
});

test("what no font has is an empty box, and is told beforehand", async () => {
  const name = "Signs ≥ 5, 李明 株式会社, 김철수, ไทย and é";
  const missing = unprintableLetters(name);
  expect(missing).toBe("李明株式会社김철수ไทย");
  const recipient = { ...sampleDocument().recipient, name };
  const { pages } = await read(sampleDocument({ recipient }));
  expect(pages[0]).toContain("Signs ≥ 5, ");
  for (const letter of missing) expect(pages[0]).not.toContain(letter);
});

test("hostile text is printed as it is, wherever it stands", async () => {
  const sample = sampleDocument();
  const { pages, title, author } = await read(
    sampleDocument({
      number: "#1/$x$",
      cycleName: HOSTILE_TEXT,
      supplier: { ...sample.supplier, name: HOSTILE_TEXT, addressLines: [HOSTILE_TEXT] },
      recipient: { ...sample.recipient, name: HOSTILE_TEXT, addressLines: [HOSTILE_TEXT], code: HOSTILE_TEXT },
      headerFields: [{ name: HOSTILE_TEXT, value: HOSTILE_TEXT }],
      rows: [row(HOSTILE_TEXT, HOSTILE_TEXT, HOSTILE_TEXT, 1n)],
      taxes: [tax(HOSTILE_TEXT, 900n, 1n, 1n)],
      terms: `${HOSTILE_TEXT}\n${HOSTILE_TEXT}`,
      signatory: HOSTILE_TEXT,
      upi: { handle: "a@b", payee: HOSTILE_TEXT },
      status: HOSTILE_TEXT,
      publicUrl: "https://pay.example/#$*_",
    }),
  );
  expect(title).toBe("Tax invoice #1/$x$");
  expect(author).toBe(HOSTILE_TEXT);
  const bare = (text: string) => text.replace(/\s/g, "");
  const printed = bare(pages.join(" "));
  expect(printed.split(bare(HOSTILE_TEXT)).length - 1).toBeGreaterThanOrEqual(12);
});

test.each([
  ["short words", "ten words of a usual length here, and a few ".repeat(9)],
  ["words longer than a line", "abcdefghijklmnopqrstuvwxyz0123456789".repeat(9)],
])("the largest invoice that can be saved, of %s, is of bounded size", async (_, words) => {
  const patient = createPdfRenderer({ logger: pino({ level: "silent" }), timeoutMs: 100_000 });
  try {
    const rows = Array.from({ length: 500 }, (__, index) => row(`${index}`, `99${index}`, words.slice(0, 196), 1n));
    const taxes = Array.from({ length: 50 }, (__, index) => tax(`Tax ${index}`, 100n, 500n, 5n));
    const headerFields = Array.from({ length: 50 }, () => ({ name: "n".repeat(100), value: "v".repeat(500) }));
    const document = sampleDocument({ rows, taxes, headerFields, terms: "t".repeat(2000) });
    // The time depends on the page's content: its bytes measure that, even on a busy machine.
    expect((await renderInvoicePdf(patient, OWNER, document)).length).toBeLessThan(3 * 2 ** 20);
  } finally {
    await patient.close();
  }
});

test("a logo is printed, in its colours and with the paper where it is transparent", async () => {
  const left = (x: number): readonly [number, number, number, number] => (x < 30 ? [200, 10, 20, 255] : [0, 0, 0, 0]);
  const given: Picture[] = [
    { mimeType: "image/png", bytes: drawnPng(60, 20, left) },
    { mimeType: "image/jpeg", bytes: JPEG },
    { mimeType: "image/svg+xml", bytes: svgOf('<path d="M0 0h150v100H0z" fill="#c80a14"/>') },
  ];
  const drawer = createPdfRenderer({ logger: pino({ level: "silent" }) });
  for (const picture of given) {
    const logo = await drawLogo(drawer, OWNER, picture);
    const pdf = await renderInvoicePdf(renderer, OWNER, sampleDocument({ logo }));
    const { data, width } = await drawPdfPage(pdf, 1, 1);
    // In the letterhead, 16 mm from the left and 15 mm from the top, 15 mm high: a point of it near its left edge.
    const at = (y: number, x: number): number[] => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
    const [red, green, blue] = at(60, 55) as [number, number, number];
    const [wanted, isHalf] = picture.mimeType === "image/jpeg" ? [[0x20, 0x50, 0xc0], false] : [[200, 10, 20], true];
    expect(
      Math.max(Math.abs(red - wanted[0]!), Math.abs(green - wanted[1]!), Math.abs(blue - wanted[2]!)),
    ).toBeLessThan(6);
    if (isHalf) expect(at(60, 150)).toEqual([255, 255, 255]);
  }
  await drawer.close();
});

test("a logo that can't be drawn is left out", async () => {
  const broken = { mimeType: "image/png" as const, bytes: new Uint8Array([1, 2, 3]) };
  const { pages } = await read(sampleDocument({ logo: broken }));
  expect(pages[0]).toContain("Total ₹1,23,456.00");
});

test("the QR code on the page says the UPI link", async () => {
  const document = sampleDocument({ duePaise: 98_765_00n });
  const pdf = await renderInvoicePdf(renderer, OWNER, document);
  const { data, width, height } = await drawPdfPage(pdf, 1, 2.5);
  expect(jsQR.default(data, width, height)?.data).toBe(upiLink(document));
});

test("the same document gives the same bytes, without a path of this machine in them", async () => {
  const [first, second] = [
    await renderInvoicePdf(renderer, OWNER, sampleDocument()),
    await renderInvoicePdf(renderer, OWNER, sampleDocument()),
  ];
  expect(Buffer.compare(first, second)).toBe(0);
  expect(Buffer.from(first).toString("latin1")).not.toContain(import.meta.dirname.split("/").slice(0, 3).join("/"));
});

test.runIf(existsSync("/proc/self/statm"))("memory stays flat over some hundred documents", async () => {
  const workerMemory = async (first: number, count: number) => {
    for (let index = first; index < first + count; index += 1) {
      await renderInvoicePdf(renderer, OWNER, sampleDocument({ number: `INV/${index}`, duePaise: BigInt(index) }));
    }
    const pages = Number(readFileSync(`/proc/${workers.at(-1)!}/statm`, "utf8").split(" ")[1]);
    return { worker: (pages * 4096) / 2 ** 20, server: process.memoryUsage.rss() / 2 ** 20 };
  };
  const early = await workerMemory(0, 50);
  const late = await workerMemory(50, 350);
  expect(workers.length).toBe(2);
  expect(late.worker).toBeLessThan(early.worker + 60);
  expect(late.server).toBeLessThan(early.server + 60);
});
