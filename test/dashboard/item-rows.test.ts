// Rows that name an item of the catalogue, over the wire, in files and in subscriptions; and the supply of invoices in files.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation, type Members } from "../support/installation.ts";
import { INVOICE_SAVE, Invoices, PLAIN } from "../support/invoices.ts";

let site: Installation;
let shop: Invoices;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  shop = await Invoices.ofNewMerchant(site);
  owner = await Browser.signIn(site, await newPerson(site, shop.merchant.id));
  const items = [
    {
      item_code: "TILE-1",
      name: "Tiles",
      description: "Vitrified, 60 cm",
      sac_code: "6907",
      unit: "SQM",
      unit_price: "400.00",
      gst: "18",
    },
    {
      item_code: "KETTLE",
      name: "Kettle",
      sac_code: "8516",
      unit: "NOS",
      unit_price: "1180.00",
      price_includes_tax: "1",
      gst: "18",
    },
    { item_code: "RICE", name: "Rice", sac_code: "1006", unit: "KGS", unit_price: "60.00", tax_treatment: "exempt" },
    { item_code: "HOURS", name: "Work", sac_code: "998311", gst: "18" },
    { item_code: "OLD", name: "Old", unit_price: "1.00", gst: "0" },
  ];
  await owner.post("/items/batch", { item: items });
  const all = (await owner.get("/items")).body as unknown as { items: { item_id: string; item_code: string }[] };
  const old = all.items.find(({ item_code }) => item_code === "OLD")!;
  await owner.post(`/items/${old.item_id}/archive`, {});
});
afterAll(() => site?.stop());

async function rowsOf(rows: readonly Members[]): Promise<{ amount: string; rows: unknown[]; id: string }> {
  const { invoice_id: id, amount } = (await shop.add({ particular_rows: rows })) as Record<
    "invoice_id" | "amount",
    string
  >;
  return { amount, id, rows: (await shop.read(id))["particular_rows"] as unknown[] };
}

test("a row has what it says itself, and the rest from the item that it names", async () => {
  const { amount, rows } = await rowsOf([
    { item_code: "tile-1", quantity: "2.5", discount: "10%" },
    { item_code: "KETTLE" },
    { item_code: "RICE", quantity: "10", description: "Old crop" },
    { item_code: "HOURS", total_amount: "1000.00" },
    { item_code: "TILE-1", quantity: "1", unit_price: "350.00", gst: "5", item: "Seconds" },
  ]);
  expect(rows).toEqual([
    {
      item: "Tiles",
      sac_code: "6907",
      description: "Vitrified, 60 cm",
      quantity: "2.5",
      unit: "SQM",
      unit_price: "400.00",
      discount: "10%",
      gst: "18",
      total_amount: "900.00",
    },
    expect.objectContaining({
      quantity: "1",
      unit_price: "1180.00",
      price_includes_tax: "1",
      taxable_amount: "1000.00",
    }),
    expect.objectContaining({ description: "Old crop", tax_treatment: "exempt", gst: "0", total_amount: "600.00" }),
    { item: "Work", sac_code: "998311", description: "", gst: "18", total_amount: "1000.00" },
    expect.objectContaining({ item: "Seconds", unit: "SQM", unit_price: "350.00", gst: "5" }),
  ]);
  // 900 + 1000 + 1000 at 18 %, 600 exempt, 350 at 5 %.
  expect(amount).toBe("4389.50");
});

test.each<[string, Members, string]>([
  ["an unknown item", { item_code: "NONE" }, "item_code"],
  ["an archived item", { item_code: "OLD" }, "item_code"],
  ["an item without a price, and no amount", { item_code: "HOURS" }, "total_amount"],
  ["a discount above the item's price", { item_code: "TILE-1", discount: "400.01" }, "discount"],
  ["a rate on an exempt item", { item_code: "RICE", gst: "5" }, "gst"],
  ["an amount that is not the price", { item_code: "TILE-1", unit_price: "1", total_amount: "3" }, "total_amount"],
])("%s is refused, and nothing is saved", async (_what, row, field) => {
  const { status, body } = await shop.unmoved(() =>
    shop.ask(INVOICE_SAVE, { template_id: "", invoice: [{ ...PLAIN, particular_rows: [row] }] }),
  );
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`[0].particular_rows[0].${field}`)]);
});

test("another merchant's item is not found", async () => {
  const other = await Invoices.ofNewMerchant(site);
  const { status, body } = await other.save([{ ...PLAIN, particular_rows: [{ item_code: "TILE-1" }] }]);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("is not the code of an item")]);
});

test("changing an item changes no document, and an update is filled anew", async () => {
  const { id } = await rowsOf([{ item_code: "TILE-1" }]);
  const items = (price: string) => owner.post("/items/batch", { item: [{ item_code: "TILE-1", unit_price: price }] });
  expect((await items("410.00")).status).toBe(200);
  expect(await shop.read(id)).toMatchObject({ sub_total: "400.00" });
  await shop.update(id, { particular_rows: [{ item_code: "TILE-1", quantity: "2" }] });
  expect(await shop.read(id)).toMatchObject({ sub_total: "820.00" });
  expect((await items("400.00")).status).toBe(200);
});

type Checked = {
  good: number;
  total: string;
  problems: { line: number; column: string; message: string }[];
  batches: { key: string; lines: number[]; invoices: object[] }[];
};
async function check(csv: string): Promise<Checked> {
  const { status, body } = await owner.post("/invoice-files/preview", Buffer.from(csv), { "content-type": "text/csv" });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as never;
}

test("a file names items, and the supply of its invoices", async () => {
  const head =
    "invoice_reference,customer_code,bill_date,due_date,supply_type,place_of_supply,reverse_charge,delivery_address,round_off," +
    "shipping_bill_no,shipping_bill_date,shipping_port_code,item_code,quantity,total_amount,item_code_2,quantity_2";
  const lines = [
    "A,C1,2026-11-02,2026-11-30,regular,Kerala,,Plot 5 Hosur,Yes,,,,tile-1,1.333,,RICE,2",
    "A,,,,,,,,,,,,KETTLE,2,,,",
    "B,C1,2026-11-02,2026-11-30,regular,,,,,,,,HOURS,,1000.00,,",
  ];
  const checked = await check([head, ...lines].join("\n"));
  expect(checked.problems).toEqual([]);
  expect(checked.good).toBe(3);
  for (const { key, lines: of, invoices } of checked.batches) {
    const saved = await owner.post("/invoice-files", {
      request_key: key,
      template_id: "",
      lines: of,
      invoice: invoices,
    });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    const ids = (saved.body as unknown as { invoices: { invoice_id: string }[] }).invoices;
    const first = await shop.read(ids[0]!.invoice_id);
    // 533.20 + 2000.00 at 18 % and 120.00 exempt come to 3,109.176.
    expect(first).toMatchObject({
      place_of_supply: "32",
      delivery_address: "Plot 5 Hosur",
      amount: "3109.00",
      round_off_amount: "-0.18",
    });
    expect(first["tax_rows"]).toEqual([expect.objectContaining({ name: "IGST", percentage: "18" })]);
  }
});

test("what is wrong in a file is said by line and column", async () => {
  const head =
    "customer_code,bill_date,due_date,place_of_supply,shipping_bill_no,item_code,item_code_2,discount_2,quantity_2";
  const checked = await check(
    [
      head,
      "C1,2026-11-02,2026-11-30,Atlantis,,TILE-1,,,",
      "C1,2026-11-02,2026-11-30,,12,TILE-1,,,",
      "C1,2026-11-02,2026-11-30,,,TILE-1,NONE,,",
      "C1,2026-11-02,2026-11-30,,,TILE-1,TILE-1,900,2",
    ].join("\n"),
  );
  expect(checked.problems.map(({ line, column }) => `${line} ${column}`)).toEqual([
    "2 place_of_supply",
    "3 shipping_bill_no",
    "4 item_code_2",
    "5 discount_2",
  ]);
});

test("a subscription keeps what its item was when it was saved", async () => {
  const saved = await shop.ask("/api/v1/merchant/subscription/save", {
    template_id: "",
    mode: "Monthly",
    repeat_every: "1",
    start_date: "2031-01-01",
    due_date: "2031-01-10",
    end_mode: "Never",
    invoice: { customer_code: "C1", particular_rows: [{ item_code: "TILE-1", quantity: "3" }] },
  });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  const { rows } = await site.pool.query<{ row: Members }>(
    "select invoice::jsonb -> 'particular_rows' -> 0 as row from subscription where merchant_id = $1",
    [shop.merchant.id],
  );
  expect(rows[0]!.row).toMatchObject({ item: "Tiles", quantity: "3", unit_price: "400.00" });
  expect(rows[0]!.row).not.toHaveProperty("item_code");
});
