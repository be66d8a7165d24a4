// GST of advances by API: docs/rules/receipts.md#gst-of-advances
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import type { Answer } from "../support/nodal.ts";
import { readPdf } from "../support/pdf.ts";
import { rawOf, type Raw } from "../support/raw-api.ts";

type Body = Answer["body"];

const PAID = { date: "2026-07-01", mode: "NEFT", bank_ref_no: "UTR7788" };
const GST = { rate: "18", description: "Website design" };

let site: Installation;
let shop: Invoices;
let owner: Browser;
let call: Raw;
beforeAll(async () => {
  site = await Installation.shared();
});
beforeEach(async () => {
  shop = await Invoices.ofNewMerchant(site);
  await shop.addCustomer({ customer_code: "KA", customer_name: "Malnad Mills", state: "Karnataka" });
  await shop.addCustomer({ customer_code: "GA", customer_name: "Panjim Foods", state: "Goa" });
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  call = rawOf(site, owner);
});
afterAll(() => site?.stop());

async function signedIn({ merchant }: Invoices): Promise<Raw> {
  return rawOf(site, await Browser.signIn(site, await newPerson(site, merchant.id)));
}
/** A file of the signed-in user, as text. */
async function file(path: string): Promise<{ readonly bytes: string }> {
  const { status, bytes } = await owner.getFile(path);
  expect(status).toBe(200);
  return { bytes: Buffer.from(bytes).toString("utf8") };
}
async function customerId(code: string, by = call): Promise<string> {
  const { body } = await by("GET", "/customers");
  return body.customers.find((each: Body) => each.customer_code === code).customer_id;
}
async function record(code: string, members: object): Promise<Answer> {
  return call("POST", "/receipts", { customer_id: await customerId(code), ...PAID, advance_gst: GST, ...members });
}
async function done(answer: Promise<Answer>): Promise<Body> {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBe(200);
  return body.receipt;
}
const recorded = (code: string, members: object): Promise<Body> => done(record(code, members));
const at = (receipt: Body, rest: string): string => `/receipts/${receipt.receipt_id}${rest}`;
const bill = async (code: string, amount: string): Promise<string> =>
  (await shop.add({ customer_code: code, particular_rows: [{ item: "Work", total_amount: amount }] }))["invoice_id"]!;
/** An account's balance at the end of a day: debit above 0. */
async function balance(account: string, day = "2026-12-31"): Promise<number> {
  const { body } = await call("GET", `/reports/trial-balance?as_of=${day}`);
  const found = body.accounts.find((each: Body) => each.account === account);
  return Number(found.debit) - Number(found.credit);
}
const refusal = ({ status, body }: Answer): unknown[] => [
  status,
  body.error.code,
  (body.error.fields ?? []).map(({ path }: Body) => path),
];
const sound = async () => expect(await site.findProblems()).toEqual([]);

describe("an advance for services", () => {
  test("has a receipt voucher with the tax that it contains, by the customer's state", async () => {
    const inState = await recorded("KA", { amount: "118.00" });
    expect(inState).toMatchObject({ advance_amount: "118.00", advance_gst_amount: "18.00" });
    expect(inState.vouchers).toEqual([
      {
        voucher_id: inState.receipt_id,
        voucher_kind: "receipt_voucher",
        voucher_number: "RV-2627-00001",
        date: "2026-07-01",
        status: "Issued",
        description: "Website design",
        rate: "18",
        place_of_supply: "29",
        amount: "118.00",
        taxable_value: "100.00",
        igst: "0.00",
        cgst: "9.00",
        sgst: "9.00",
      },
    ]);
    // 100.00 × 18 / 118 = 15.254…
    const [voucher] = (await recorded("GA", { amount: "100.00" })).vouchers;
    expect(voucher).toMatchObject({ voucher_number: "RV-2627-00002", place_of_supply: "30", igst: "15.25" });
    // Nobody knows where C1 is: the supply is taxed as one between states.
    const [unknown] = (await recorded("C1", { amount: "100.00" })).vouchers;
    expect(unknown).toMatchObject({ place_of_supply: "", igst: "15.25", cgst: "0.00" });
    const [said] = (await recorded("C1", { amount: "100.00", advance_gst: { rate: "5", place_of_supply: "29" } }))
      .vouchers;
    expect(said).toMatchObject({ cgst: "2.38", sgst: "2.38", taxable_value: "95.24", rate: "5" });
    expect(await balance("advance_tax")).toBeCloseTo(18 + 15.25 + 15.25 + 4.76, 5);
    expect(await balance("output_cgst")).toBeCloseTo(-11.38, 5);
    expect(await balance("output_igst")).toBeCloseTo(-30.5, 5);
    expect(await balance("advances")).toBe(-418);
    await sound();
  });

  test("is taxed for what no invoice uses, and not at all without advance_gst", async () => {
    await bill("KA", "82.00");
    const part = await recorded("KA", { amount: "200.00" });
    expect(part.vouchers).toMatchObject([{ amount: "118.00", cgst: "9.00" }]);
    await bill("GA", "50.00");
    expect(await recorded("GA", { amount: "50.00" })).toMatchObject({ vouchers: [], advance_gst_amount: "0.00" });
    const plain = await recorded("GA", { amount: "50.00", advance_gst: null });
    expect(plain).toMatchObject({ advance_amount: "50.00", vouchers: [], advance_gst_amount: "0.00" });
    await sound();
  });

  test("gives its tax back as it is used and refunded, to the paisa, on the day of each", async () => {
    const receipt = await recorded("KA", { amount: "118.00" });
    const first = await bill("KA", "50.00");
    // 68.00 are left, with 68.00 × 9 / 118 = 5.19 of each tax.
    const used = await done(
      call("POST", at(receipt, "/allocate"), {
        date: "2026-08-03",
        allocations: [{ invoice_id: first, amount: "50.00" }],
      }),
    );
    expect(used).toMatchObject({ advance_amount: "68.00", advance_gst_amount: "10.38" });
    const back = { date: "2026-09-05", mode: "Cash", amount: "18.00" };
    const refunded = await done(call("POST", at(receipt, "/refund"), back));
    expect(refunded).toMatchObject({ advance_amount: "50.00", advance_gst_amount: "7.62" });
    expect(refunded.vouchers[1]).toMatchObject({
      voucher_kind: "refund_voucher",
      voucher_number: "RFV-2627-00001",
      voucher_id: refunded.refunds[0].refund_id,
      date: "2026-09-05",
      amount: "18.00",
      taxable_value: "15.24",
      cgst: "1.38",
      sgst: "1.38",
    });
    const months = ["2026-07-01&to_date=2026-07-31", "2026-08-01&to_date=2026-09-30", "2026-07-01&to_date=2026-09-30"];
    const reports = await Promise.all(months.map((month) => call("GET", `/reports/tax-summary?from_date=${month}`)));
    const place = { place_of_supply: "29", state_name: "Karnataka", rate: "18", igst: "0.00" };
    expect(reports.map(({ body }) => body.advances)).toMatchObject([
      { received: [{ ...place, taxable_value: "100.00", cgst: "9.00", sgst: "9.00" }], adjusted: [] },
      { received: [], adjusted: [{ ...place, taxable_value: "57.62", cgst: "5.19", sgst: "5.19" }] },
      { received: [{ ...place, taxable_value: "42.38", cgst: "3.81", sgst: "3.81" }], adjusted: [] },
    ]);
    const days = ["2026-07-01", "2026-08-03", "2026-09-05"];
    expect(await Promise.all(days.map((day) => balance("advance_tax", day)))).toEqual([18, 10.38, 7.62]);
    expect(await Promise.all(days.map((day) => balance("output_sgst", day)))).toEqual([-9, -5.19, -3.81]);
    await sound();
    const last = await bill("KA", "50.00");
    const spent = await done(
      call("POST", at(receipt, "/allocate"), { allocations: [{ invoice_id: last, amount: "50.00" }] }),
    );
    expect(spent).toMatchObject({ advance_amount: "0.00", advance_gst_amount: "0.00" });
    expect([await balance("advance_tax"), await balance("output_cgst")]).toEqual([0, 0]);
    await sound();

    const { transaction_id } = spent.allocations.at(-1);
    const undo = await call("POST", `/invoices/${last}/payments/${transaction_id}/reverse`, {
      reason: "Wrong invoice",
    });
    expect(undo.status).toBe(200);
    const released = (await call("GET", at(receipt, ""))).body.receipt;
    expect(released).toMatchObject({ advance_amount: "50.00", advance_gst_amount: "7.62" });
    await sound();
  });

  test("has a cancelled voucher and no tax once its receipt is reversed", async () => {
    const first = await bill("KA", "20.00");
    const receipt = await recorded("KA", { amount: "138.00" });
    await done(call("POST", at(receipt, "/reverse"), { reason: "Cheque bounced" }));
    const { body } = await call("GET", at(receipt, ""));
    expect(body.receipt).toMatchObject({ advance_gst_amount: "0.00", vouchers: [{ status: "Cancelled" }] });
    expect([await balance("advance_tax"), await balance("output_cgst")]).toEqual([0, 0]);
    expect((await shop.read(first))["due_amount"]).toBe("20.00");
    await sound();
  });

  test("keeps a voucher of the money when its TDS is put back to due", async () => {
    const receipt = await recorded("KA", { amount: "108.00", tds_amount: "10.00", tds_code: "1027" });
    expect(receipt.vouchers).toMatchObject([{ amount: "118.00" }]);
    const put = await call("POST", `/tds-claims/${receipt.receipt_id}/put-back`, { reason: "Not in Form 26AS" });
    expect(put.status, JSON.stringify(put.body)).toBe(200);
    const { body } = await call("GET", "/receipts");
    const [again] = body.receipts;
    expect((await call("GET", at(again, ""))).body.receipt).toMatchObject({
      advance_amount: "108.00",
      vouchers: [{ voucher_number: "RV-2627-00002", amount: "108.00", cgst: "8.24" }],
    });
    expect(await balance("advance_tax")).toBe(16.48);
    await sound();
  });

  test("a hundred at once take a number each, without gaps", async () => {
    await bill("KA", "300.00");
    await bill("GA", "300.00");
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, place) => record(place % 2 ? "KA" : "GA", { amount: "11.80" })),
    );
    const taken = answers.filter(({ status }) => status === 200).map(({ body }) => body.receipt);
    for (const answer of answers) expect([200, 429, 503]).toContain(answer.status);
    expect(taken.length).toBeGreaterThan(60);
    await Promise.all(
      taken.flatMap((receipt) =>
        receipt.vouchers.length > 0 ? [call("POST", at(receipt, "/refund"), { ...PAID, amount: "1.00" })] : [],
      ),
    );
    const { rows } = await site.pool.query<{ kind: string; numbers: number[] }>(
      `select kind, array_agg(right(voucher_number, 5)::integer order by voucher_number) as numbers
       from advance_voucher where merchant_id = $1 group by kind order by kind`,
      [shop.merchant.id],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(["receipt_voucher", "refund_voucher"]);
    for (const { numbers } of rows) expect(numbers).toEqual(numbers.map((_, place) => place + 1));
    await sound();
  });
});

test("its tax is in the day book, in the files for Tally and in the document series, and not in the customer's statement", async () => {
  const receipt = await recorded("KA", { amount: "118.00" });
  await recorded("GA", { amount: "11.80" }).then((each) => call("POST", at(each, "/reverse"), { reason: "Bounced" }));
  await done(call("POST", at(receipt, "/refund"), { ...PAID, amount: "18.00" }));
  const day = "from_date=2026-07-01&to_date=2026-07-01";
  const { body: book } = await call("GET", `/reports/day-book?${day}`);
  const entries = book.entries
    .filter((each: Body) => each.voucher_type === "GST on advance" && each.customer_code === "KA")
    .map(({ number, lines }: Body) => [
      number,
      lines.map(({ account, debit, credit }: Body) => [account, debit, credit]),
    ]);
  expect(entries).toEqual([
    [
      receipt.receipt_number,
      [
        ["advance_tax", "18.00", "0.00"],
        ["output_cgst", "0.00", "9.00"],
        ["output_sgst", "0.00", "9.00"],
      ],
    ],
    [
      receipt.receipt_number,
      [
        ["advance_tax", "0.00", "2.74"],
        ["output_cgst", "1.37", "0.00"],
        ["output_sgst", "1.37", "0.00"],
      ],
    ],
  ]);
  const customer = await customerId("KA");
  const { body: statement } = await call("GET", `/customers/${customer}/statement?${day}`);
  expect(statement.lines.map((line: Body) => line.voucher_type)).toEqual(["Receipt", "Receipt refunded"]);
  const { bytes } = await file(`/reports/tally-vouchers.xml?${day}`);
  const taxed = [...bytes.matchAll(/<VOUCHER .*?<\/VOUCHER>/g)].filter(([voucher]) =>
    voucher.includes("GST on Advances"),
  );
  expect(taxed.map(([voucher]) => [...voucher.matchAll(/<AMOUNT>(.*?)</g)].map(([, amount]) => amount))).toEqual(
    expect.arrayContaining([
      ["-18.00", "9.00", "9.00"],
      ["2.74", "-1.37", "-1.37"],
    ]),
  );
  const { body: documents } = await call("GET", `/reports/document-series?${day}`);
  expect(documents.series).toMatchObject([
    { kind: "receipt_voucher", from: "RV-2627-00001", to: "RV-2627-00002", total: 2, cancelled: 1, net: 1, missing: 0 },
    { kind: "refund_voucher", from: "RFV-2627-00001", total: 1, cancelled: 0 },
  ]);
  await sound();
});

/** The first page of a voucher's PDF. */
async function printed(receipt: Body, { voucher_id }: Body, by = owner): Promise<string> {
  const { status, bytes } = await by.getFile(at(receipt, `/vouchers/${voucher_id}/pdf`));
  expect(status).toBe(200);
  const { pages } = await readPdf(bytes);
  expect(pages).toHaveLength(1);
  return pages[0]!;
}

describe("the PDF of a voucher", () => {
  test("has the particulars of rules 50 and 51", async () => {
    const receipt = await recorded("KA", { amount: "118.00" });
    const paper = await printed(receipt, receipt.vouchers[0]);
    for (const words of [
      "Invoice Traders",
      "GSTIN 29AAACI1234K1Z5",
      "Receipt voucher",
      "RV-2627-00001",
      "1 Jul 2026",
      "Malnad Mills, Karnataka",
      "Website design",
      "₹118.00",
      "Rupees One Hundred Eighteen Only",
      "18 %",
      "Taxable value ₹100.00",
      "CGST 9 % ₹9.00",
      "SGST 9 % ₹9.00",
      "Place of supply Karnataka (29)",
      "Tax payable on reverse charge No",
      "NEFT · UTR7788",
      "Authorised signatory",
    ]) {
      expect(paper).toContain(words);
    }
    const refunded = await done(
      call("POST", at(receipt, "/refund"), { date: "2026-07-05", mode: "Cash", amount: "18.00" }),
    );
    const refund = await printed(receipt, refunded.vouchers[1]);
    for (const words of [
      "Refund voucher",
      "RFV-2627-00001",
      "5 Jul 2026",
      "Receipt voucher no. RV-2627-00001",
      "Receipt voucher dated 1 Jul 2026",
      "Refund, tax included ₹18.00",
      "CGST 9 % ₹1.37",
      "Paid by Cash",
    ]) {
      expect(refund).toContain(words);
    }
    expect(refund).not.toContain("Cancelled");
  });

  test("says that nobody knows the place, and that a reversed receipt's is cancelled", async () => {
    const receipt = await recorded("C1", { amount: "100.00" });
    expect(await printed(receipt, receipt.vouchers[0])).toContain("IGST 18 % ₹15.25");
    await done(call("POST", at(receipt, "/reverse"), { reason: "Cheque bounced" }));
    const paper = await printed(receipt, receipt.vouchers[0]);
    expect(paper).toContain("Not known: taxed as a supply between states");
    expect(paper).toContain("Cancelled");
  });

  test("is found by its own receipt and merchant alone", async () => {
    const receipt = await recorded("KA", { amount: "118.00" });
    const other = await recorded("KA", { amount: "118.00" });
    const path = at(receipt, `/vouchers/${receipt.receipt_id}/pdf`);
    expect(refusal(await call("GET", at(other, `/vouchers/${receipt.receipt_id}/pdf`)))).toEqual([
      404,
      "receipt_not_found",
      [],
    ]);
    const outside = await signedIn(await Invoices.ofNewMerchant(site));
    expect(refusal(await outside("GET", path))).toEqual([404, "receipt_not_found", []]);
  });
});

describe("bad input", () => {
  test("is refused by the name of the field, and changes nothing", async () => {
    const refused = async (members: object) => refusal(await shop.unmoved(() => record("KA", members)));
    for (const [gst, field] of [
      [{ rate: "17" }, "advance_gst.rate"],
      [{ rate: "0" }, "advance_gst.rate"],
      [{ rate: "28" }, "advance_gst.rate"],
      [{ rate: "-18" }, "advance_gst.rate"],
      [{}, "advance_gst.rate"],
      [{ rate: "18", place_of_supply: "Atlantis" }, "advance_gst.place_of_supply"],
      [{ rate: "18", place_of_supply: "96" }, "advance_gst.place_of_supply"],
      [{ rate: "18", description: "x".repeat(301) }, "advance_gst.description"],
      ["18", "advance_gst"],
    ] as const) {
      expect(await refused({ amount: "118.00", advance_gst: gst }), JSON.stringify(gst)).toEqual([
        400,
        "validation_failed",
        [field],
      ]);
    }
  });

  test("a merchant without a GSTIN takes advances without GST alone", async () => {
    const bare = await Invoices.ofNewMerchant(site, { gstin: "" });
    const theirs = await signedIn(bare);
    const sent = { customer_id: await customerId("C1", theirs), ...PAID, amount: "118.00" };
    const answer = await bare.unmoved(() => theirs("POST", "/receipts", { ...sent, advance_gst: GST }));
    expect(refusal(answer)).toEqual([400, "validation_failed", ["advance_gst"]]);
    expect(await done(theirs("POST", "/receipts", sent))).toMatchObject({ vouchers: [] });
  });

  test("nothing is posted to a locked period", async () => {
    const receipt = await recorded("KA", { amount: "118.00" });
    const invoice_id = await bill("KA", "50.00");
    await call("PUT", "/book-settings", { locked_until: "2026-07-31" });
    expect(refusal(await shop.unmoved(() => record("KA", { amount: "118.00" })))).toEqual([
      409,
      "period_locked",
      ["date"],
    ]);
    const use = { date: "2026-07-31", allocations: [{ invoice_id, amount: "50.00" }] };
    const refused = await shop.unmoved(() => call("POST", at(receipt, "/allocate"), use));
    expect(refusal(refused)).toEqual([409, "period_locked", ["date"]]);
  });
});
