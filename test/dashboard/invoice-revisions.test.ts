// An invoice that two people change: the second is told, by the revision that the change was made from.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";

let site: Installation;
let invoices: Invoices;
let owner: Browser;

beforeAll(async () => {
  site = await Installation.shared();
  invoices = await Invoices.ofNewMerchant(site, { gstin: "" });
  owner = await Browser.signIn(site, await newPerson(site, invoices.merchant.id));
});
afterAll(() => site?.stop());

describe("an invoice that is changed from a revision", () => {
  const row = (item: string) => ({ particular_rows: [{ item, total_amount: "100.00" }] });

  test("is refused where another stands by now, and a repeated request is answered as the first was", async () => {
    const { invoice_id: id } = await invoices.add();
    const from = async () => ((await owner.get(`/invoices/${id}`)).body as { revision: number }).revision;
    const revision = await from();
    const first = { request_key: "changed-first", revision, invoice: row("First") };
    expect((await owner.put(`/invoices/${id}`, first)).status).toBe(200);
    const second = await owner.put(`/invoices/${id}`, {
      ...first,
      request_key: "changed-second",
      invoice: row("Second"),
    });
    expect([second.status, second.body.code]).toEqual([409, "invoice_changed"]);
    expect((await owner.put(`/invoices/${id}`, first)).status).toBe(200);
    expect(await from()).toBe(revision + 1);
    const third = { request_key: "changed-third", revision: revision + 1, invoice: row("Second") };
    expect((await owner.put(`/invoices/${id}`, third)).status).toBe(200);
  });
});

test("header fields to copy leave the merchant's own number out, and nothing else", async () => {
  const head = (name: string, value: string) => ({ id: "", name, type: "text", value });
  const { invoice_id: id } = await invoices.add({
    custom_header_fields: [head("Invoice no", "OWN-1"), head("PO number", "PO-9")],
  });
  const { body } = await owner.get(`/invoices/${id}`);
  const fields = (body as { fields_to_copy: { name: string; value: string }[] }).fields_to_copy;
  const valueOf = (name: string) => fields.find((field) => field.name === name)?.value;
  expect([valueOf("Invoice no"), valueOf("PO number")]).toEqual(["", "PO-9"]);
});
