// The UPI link: its content for a UPI app, and when there is none.
import jsQR from "jsqr";
import { encodeQR } from "qr";
import { expect, test } from "vitest";
import { qrSvg } from "../platform/html.ts";
import type { InvoiceDocument } from "./document.ts";
import { upiLink } from "./render-view.ts";
import { HOSTILE_TEXT, sampleDocument } from "../../test/support/invoice-documents.ts";

/** An invoice with a due amount at UPI's limit. */
function payable(changes: Partial<InvoiceDocument> = {}): InvoiceDocument {
  return sampleDocument({ duePaise: 98_765_00n, ...changes });
}

test("carries payee, amount, note and reference", () => {
  expect(upiLink(payable())).toBe(
    "upi://pay?pa=meridian@okbank&pn=Meridian%20Networks&am=98765.00&cu=INR" +
      "&tn=Invoice%20INV%2F26-27%2F00042&tr=INV%2F26-27%2F00042",
  );
});

test("an invoice of exactly what UPI carries has a link", () => {
  expect(upiLink(payable({ duePaise: 1_00_000_00n }))).toContain("am=100000.00");
});

test("hostile text stays inside its own field", () => {
  const link = upiLink(payable({ upi: { handle: "a@b&am=1", payee: `${HOSTILE_TEXT}&am=1\ud800` } }))!;
  const fields = new URLSearchParams(link.slice(link.indexOf("?") + 1));
  expect(fields.getAll("am")).toEqual(["98765.00"]);
  expect(fields.get("pa")).toBe("a@b&am=1");
  expect(fields.get("pn")).toBe(`${HOSTILE_TEXT}&am=1\ufffd`);
});

test("the note has at most 50 characters, and without a number there is no reference", () => {
  const recipient = { ...payable().recipient, code: "क".repeat(60) };
  const link = upiLink(payable({ number: null, recipient }))!;
  const fields = new URLSearchParams(link.slice(link.indexOf("?") + 1));
  expect([...fields.get("tn")!].length).toBe(50);
  expect(fields.has("tr")).toBe(false);
});

test.each([
  ["no handle", { upi: null }],
  ["nothing due", { duePaise: 0n }],
  ["more due than UPI carries", { duePaise: 1_00_000_01n }],
  ["a cancelled invoice", { status: "Cancelled" }],
  ["one carried forward", { status: "Carried forward" }],
  ["a credit note", { kind: "credit_note" as const }],
])("%s: no link", (_, changes) => {
  expect(upiLink(payable(changes))).toBeNull();
});

test("the drawn modules are those of the encoder, and decode to the text", () => {
  const text = upiLink(payable())!;
  const modules = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const drawn = [...qrSvg(text).matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map((match) => [Number(match[1]), Number(match[2])]);
  const scale = 4;
  const size = modules.length * scale;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (const [x, y] of drawn) {
    for (let dx = 0; dx < scale; dx += 1) {
      for (let dy = 0; dy < scale; dy += 1)
        pixels.fill(
          0,
          ((y! * scale + dy) * size + x! * scale + dx) * 4,
          ((y! * scale + dy) * size + x! * scale + dx) * 4 + 3,
        );
    }
  }
  expect(jsQR.default(pixels, size, size)?.data).toBe(text);
});
