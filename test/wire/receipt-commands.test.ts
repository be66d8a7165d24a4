// `nodal receipt`: the receipts of the API, on the command line.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation } from "../support/installation.ts";
import { Invoices } from "../support/invoices.ts";
import { nodal } from "../support/nodal.ts";

type Receipt = {
  readonly receipt_id: string;
  readonly receipt_number: string;
  readonly advance_amount: string;
  readonly status: string;
  readonly allocations: readonly {
    readonly invoice_id: string;
    readonly amount: string;
    readonly tds_amount: string;
  }[];
};

let site: Installation;
let shop: Invoices;
let customers = 0;
beforeAll(async () => {
  site = await Installation.shared();
  shop = await Invoices.ofNewMerchant(site);
});
afterAll(() => site?.stop());

const run = (command: string, ...options: string[]) =>
  nodal(site.environment, "receipt", command, "--merchant", shop.merchant.id, ...options, "--json");
async function ask<T = Receipt>(command: string, ...options: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(command, ...options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}
async function refusal(command: string, ...options: string[]): Promise<unknown> {
  const { code, stderr } = await run(command, ...options);
  return { exit: code, ...(JSON.parse(stderr) as object) };
}

/** Two invoices of 100.00 of a new customer. */
async function billed(): Promise<{ code: string; first: string; second: string }> {
  customers += 1;
  const code = `MILL${customers}`;
  await shop.addCustomer({ customer_code: code, customer_name: "Malnad Mills" });
  const bill = { customer_code: code, particular_rows: [{ item: "Work", total_amount: "100.00" }] };
  const { invoice_id: first } = await shop.add(bill);
  const { invoice_id: second } = await shop.add(bill);
  return { code, first: first!, second: second! };
}

const MONEY = ["--date", "2026-05-02", "--mode", "NEFT", "--bank-ref-no", "UTR0502"];

test("records a receipt for invoices with TDS, uses the rest, and takes it back", async () => {
  const { code, first, second } = await billed();
  const tds = ["--tds-amount", "10.00", "--tds-code", "194C", "--allocate", `${first}=90.00,10.00`];
  const made = await ask("create", "--customer", code, "--amount", "150.00", ...MONEY, ...tds);
  expect(made).toMatchObject({
    advance_amount: "60.00",
    allocations: [{ invoice_id: first, amount: "90.00", tds_amount: "10.00" }],
  });
  const receipt = ["--receipt", made.receipt_id];
  const used = await ask("allocate", ...receipt, "--date", "2026-05-03", "--allocate", `${second}=40.00`);
  expect(used).toMatchObject({ advance_amount: "20.00" });
  expect(await shop.read(second)).toMatchObject({ due_amount: "60.00" });
  const listed = await ask<readonly Receipt[]>("list", "--customer", code, "--has-advance");
  expect(listed.map(({ receipt_number }) => receipt_number)).toEqual([made.receipt_number]);

  expect(await ask("reverse", ...receipt, "--reason", "Cheque bounced")).toMatchObject({ status: "Reversed" });
  expect(await shop.read(first)).toMatchObject({ due_amount: "100.00" });
  expect(await ask("show", ...receipt)).toMatchObject({ status: "Reversed", advance_amount: "0.00" });
  expect(await ask("list", "--customer", code, "--has-advance")).toEqual([]);
  expect(await site.findProblems()).toEqual([]);
});

test("pays the invoices due first, or none with --advance, which is refunded", async () => {
  const { code, first, second } = await billed();
  const oldest = await ask("create", "--customer", code, "--amount", "120.00", ...MONEY);
  expect(oldest.allocations).toMatchObject([
    { invoice_id: first, amount: "100.00" },
    { invoice_id: second, amount: "20.00" },
  ]);
  const advance = await ask("create", "--customer", code, "--amount", "30.00", ...MONEY, "--advance");
  expect(advance).toMatchObject({ advance_amount: "30.00", allocations: [] });
  const back = await ask("refund", "--receipt", advance.receipt_id, "--amount", "30.00", ...MONEY);
  expect(back).toMatchObject({ advance_amount: "0.00" });
  const { stdout } = await nodal(
    site.environment,
    "receipt",
    "show",
    "--merchant",
    shop.merchant.id,
    "--receipt",
    oldest.receipt_id,
  );
  expect(stdout).toMatch(/allocations:\n/);
  expect(await site.findProblems()).toEqual([]);
});

test("refusals name the option, and nothing is saved", async () => {
  const { code, first } = await billed();
  const amount = ["--customer", code, "--amount", "50.00", ...MONEY];
  expect(await refusal("create", "--customer", "NOBODY", "--amount", "1.00", ...MONEY)).toMatchObject({
    exit: 2,
    errors: [{ field: "--customer" }],
  });
  expect(await refusal("create", ...amount, "--allocate", `${first}:50.00`)).toMatchObject({
    exit: 2,
    errors: [{ field: "--allocate", message: expect.stringContaining("R000029148=1080.00") as string }],
  });
  expect(await refusal("create", ...amount, "--allocate", `${first}=50.01`)).toMatchObject({
    exit: 1,
    code: "receipt_exceeded",
  });
  expect(await refusal("create", ...amount, "--tds-code", "194C")).toMatchObject({
    exit: 2,
    errors: [{ field: "--tds-amount" }],
  });
  const other = await Invoices.ofNewMerchant(site);
  const { code: exit, stderr } = await nodal(
    site.environment,
    "receipt",
    "create",
    "--merchant",
    other.merchant.id,
    ...amount,
    "--json",
  );
  expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining("no customer with this code") });
  expect(await ask("list", "--customer", code)).toEqual([]);
});

test("a file that can't be read is refused with the option and the reason", async () => {
  const { code, stderr } = await run("import", "--file", "/nowhere/receipts.csv");
  expect([code, stderr]).toEqual([2, expect.stringContaining("--file must be the path of a readable file: ENOENT")]);
});
