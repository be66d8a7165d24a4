// Warnings in answers: docs/rules/values-and-errors.md#warnings. What is taken and will surprise is said, and nothing else is.
import { afterAll, beforeAll, expect, test } from "vitest";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import { Installation, type Members } from "../support/installation.ts";
import { Invoices, PLAIN } from "../support/invoices.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

const TAXED = { item: "Work", gst: "18", total_amount: "100.00" };
const FREE = { item: "Work", total_amount: "100.00" };
const warning = (field: string): Members => ({
  code: "gst_not_charged",
  field,
  message: expect.stringMatching(/no GSTIN\. Enter the GSTIN/) as unknown,
});

test("GST that is not charged for want of a GSTIN is said, of each invoice, and again under its key", async () => {
  const invoices = await Invoices.ofNewMerchant(installation, { gstin: "" });
  const batch = [
    { ...PLAIN, particular_rows: [FREE] },
    { ...PLAIN, particular_rows: [FREE, TAXED, TAXED] },
    { ...PLAIN, particular_rows: [TAXED], tax_rows: [{ name: "GST", percentage: "18", applicable_on: "100.00" }] },
  ];
  const saved = await invoices.save(batch, { "idempotency-key": "w-1" });
  expect(saved.body.srvrsp.map(({ amount }: Members) => amount)).toEqual(["100.00", "300.00", "118.00"]);
  expect(saved.body.warnings).toEqual([warning("invoice[1].particular_rows[1].gst")]);
  const again = await invoices.save(batch, { "idempotency-key": "w-1" });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.body.warnings).toEqual(saved.body.warnings);

  const id = saved.body.srvrsp[0].invoice_id as string;
  const updated = await invoices.update(id, { particular_rows: [TAXED] });
  expect(updated.body.warnings).toEqual([warning("invoice.particular_rows[0].gst")]);
  expect((await invoices.cancel(id)).body).not.toHaveProperty("warnings");
});

test("an invoice whose GST is charged, or that has none, is saved without a warning", async () => {
  const invoices = await Invoices.ofNewMerchant(installation);
  const saved = await invoices.save([
    { ...PLAIN, particular_rows: [TAXED] },
    { ...PLAIN, particular_rows: [{ ...FREE, gst: "0" }] },
  ]);
  expect(saved.body.srvrsp[0].amount).toBe("118.00");
  expect(saved.body).not.toHaveProperty("warnings");
});

test("letters that no PDF has are said, once for each invoice; those of the country's languages are printed", async () => {
  const invoices = await Invoices.ofNewMerchant(installation);
  const saved = await invoices.save([
    {
      ...PLAIN,
      particular_rows: [
        { item: "శ్రీ, ಕೃಷ್ಣ, അവൻ, શ્રી, ਸਿੰਘ, ଶ୍ରୀ, श्री, ঠাকুর, ஸ்ரீ, محمد, ᱥᱟᱱ, ꯃꯤ → ✓ ≥ 5 👍", total_amount: "1.00" },
      ],
    },
    { ...PLAIN, bill_cycle_name: "十一月", particular_rows: [FREE, { ...FREE, description: "喜 and ไ喜" }] },
  ]);
  expect(saved.body.warnings).toEqual([
    {
      code: "letters_not_printed",
      field: "invoice[1].particular_rows[1].description",
      message: expect.stringMatching(/empty boxes for 喜 ไ 十 一 月:/) as unknown,
    },
  ]);
  const updated = await invoices.update(saved.body.srvrsp[0].invoice_id, { bill_cycle_name: "十一月" });
  expect(updated.body.warnings).toMatchObject([{ field: "invoice.bill_cycle_name" }]);
});

test("commission that would be paid out by itself, and is not, is said", async () => {
  const merchant = await installation.newMerchant();
  const save = (code: string, settlement: Members) =>
    merchant.post("/api/v1/franchise/save", { ...FRANCHISE_LEAST, franchise_code: code, ...settlement });
  const automatic = await save("W1", { settlement_type: "Auto", enable_online_settlement: 0 });
  const message: unknown = expect.stringMatching(/needs enable_online_settlement 1/);
  expect(automatic.body.warnings).toEqual([{ code: "commission_not_paid_out", field: "settlement_type", message }]);
  const account = { account_number: "00789101112", ifsc: "HDFC0000789", account_type: "Current" };
  const bank = { bank_holder_name: "F", bank_name: "HDFC", ...account };
  const paid = await save("W2", { settlement_type: "Auto", enable_online_settlement: 1, ...bank });
  const manual = await save("W3", { settlement_type: "Manual", enable_online_settlement: 0 });
  for (const { status, body } of [paid, manual]) {
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("warnings");
  }
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
