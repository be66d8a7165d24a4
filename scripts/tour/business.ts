// A business for the tour's pictures: a year of invoices, a month of payouts, people, and something of everything else.
// No real person's data.
import { createMerchantWithOwner, sampleProfile } from "../../src/installation/index.ts";
import { fundMerchant } from "../../src/ledger/index.ts";
import { createUser, type Merchant } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import type { OwnedPool } from "../../src/platform/database/pool.ts";
import { MerchantClient, nodalJson, send, type Environment } from "../../test/support/nodal.ts";

export type Login = { readonly email: string; readonly password: string };
/** What the pictures are of. */
export type Business = {
  readonly merchant: Merchant;
  readonly owner: Login;
  readonly manager: Login;
  /** An invoice that is partly paid. */
  readonly invoiceId: string;
  readonly invoiceUrl: string;
  /** One that may still be changed. */
  readonly unpaidInvoiceId: string;
  readonly reversedTransferId: string;
};

const FUNDS_PAISE = 40_00_000_00n;
const MONTHS = 12;
const DAYS_OF_PAYOUTS = 30;
const TRANSFERS = 150;
/** Payouts of the day on which the pictures are taken. */
const TODAY = 7;
const EVERY_MONTH = 9;

const PAYEES = [
  ["Asha Rao", "026291800001191", "YESB0000262"],
  ["Shree Balaji Transports", "00011020001772", "HDFC0000001"],
  ["Noor Packaging", "1233943142", "ICIC0000009"],
  ["Lakshmi Spares", "000890289871772", "SCBL0036078"],
  ["Joseph Mathew", "000100289877623", "SBIN0008752"],
  ["Gurpreet Singh", "50100237781120", "HDFC0001203"],
  ["Konark Logistics", "7766671735000", "SBIN0000004"],
  ["Farida Khan", "234005000876", "ICIC0000007"],
] as const;
const CUSTOMERS = [
  ["C1", "Meenakshi Stores", "Madurai", "Tamil Nadu"],
  ["C2", "Rajwada Handicrafts", "Jaipur", "Rajasthan"],
  ["C3", "Malabar Fabrics", "Kozhikode", "Kerala"],
  ["C4", "Deccan Retail", "Hyderabad", "Telangana"],
  ["C5", "Brindavan Exports", "Mysuru", "Karnataka"],
  ["C6", "Howrah Weavers", "Kolkata", "West Bengal"],
  ["C7", "Pune Furnishings", "Pune", "Maharashtra"],
  ["C8", "Shivalik Interiors", "Chandigarh", "Punjab"],
] as const;
const GOODS = [
  ["Handloom bedspread, double", "6304", "5", "1850.00"],
  ["Block-printed curtain", "6303", "12", "2400.00"],
  ["Cushion covers, set of five", "6304", "12", "975.00"],
  ["Stitching and delivery", "9988", "18", "1200.00"],
] as const;

/** Makes the business on a running server. The pool's user owns the database. */
export async function makeBusiness(baseUrl: string, environment: Environment, pool: OwnedPool): Promise<Business> {
  const ids = new IdSource(pool);
  const profile = {
    ...sampleProfile("Kaveri Textiles", "accounts@kaveri.example"),
    gstin: "29AAACK1234K1Z3",
  };
  const made = await createMerchantWithOwner(
    { pool, ids },
    { profile, userEmail: "meera@kaveri.example", kycRequired: false },
  );
  const { merchant } = made;
  const { bucket, merchantId } = merchant;
  await fundMerchant(pool, ids, { bucket, merchantId, amountPaise: FUNDS_PAISE, reference: "opening" });
  const draft = { kind: "user", email: "ravi@kaveri.example", name: "Ravi Kumar", roleName: "Manager" } as const;
  const second = await createUser({ pool, ids, merchant, by: null }, draft);
  await pool.query("update login set must_change_password = false");
  await pool.query("update login set name = 'Meera Shah' where name = 'Kaveri Textiles'");

  const keys = { access_key_id: made.accessKeyId, secret_access_key: made.secret };
  const client = await MerchantClient.signIn(baseUrl, keys);
  const reversedTransferId = await makePayouts(client, pool, merchant);
  const ask = async <T>(path: string, body: object): Promise<T> =>
    must<{ srvrsp: T }>(await send(baseUrl, "POST", `/api/${path}`, { ...keys, ...body })).srvrsp;
  const franchiseId = await makeFranchise(client);
  const invoices = await makeInvoices(ask, franchiseId);
  await makeSubscriptions(ask);
  await makeRules(client, environment, merchant);
  return {
    merchant,
    owner: { email: "meera@kaveri.example", password: made.user.password },
    manager: { email: draft.email, password: second.password },
    ...invoices,
    reversedTransferId,
  };
}

type Ask = <T>(path: string, body: object) => Promise<T>;

/** Payouts spread over a month: the API makes them now, and the owner of the database moves them back in time. */
async function makePayouts(client: MerchantClient, pool: OwnedPool, { merchantId }: Merchant): Promise<string> {
  const payees: string[] = [];
  for (const [name, account_number, ifsc] of PAYEES) {
    const saved = await client.post("/api/v1/beneficiary/save", { type: "Vendor", name, account_number, ifsc });
    payees.push(must<{ beneficiary_id: string }>(saved).beneficiary_id);
  }
  const pay = async (number: number): Promise<void> => {
    // Those whose bank refuses come rarely.
    const payee = number % 25 === 24 ? 6 + (Math.floor(number / 25) % 2) : number % 6;
    const amount = `${1500 + ((number * 7919) % 23_000)}.00`;
    const reference = `PO-${String(4000 + number)}`;
    const order = { beneficiary_id: payees[payee], amount, reference_id: reference, narrative: "Supplies" };
    must(await client.post("/api/v1/beneficiary/transfer", order));
  };
  for (let number = 0; number < TRANSFERS; number += 1) await pay(number);
  const reversed = await untilFinished(pool, merchantId);
  await pool.query(
    `update journal posting set created_at = now() - make_interval(secs => place * $2)
     from (
       select entry_no, max(entry_no) over () - entry_no as place, count(*) over () as postings
       from journal where merchant_id = $1
     ) as placed
     where posting.merchant_id = $1 and posting.entry_no = placed.entry_no`,
    [merchantId, (DAYS_OF_PAYOUTS * 86_400) / (2 * TRANSFERS)],
  );
  await pool.query(
    `update transfer set added_at = posted.first, processed_at = posted.last
     from (
       select subject_id, min(created_at) as first, max(created_at) as last from journal
       where merchant_id = $1 group by subject_id
     ) as posted
     where transfer.merchant_id = $1 and posted.subject_id = transfer_id`,
    [merchantId],
  );
  for (let number = 0; number < TODAY; number += 1) await pay(TRANSFERS + number);
  return reversed;
}

/** Waits until the simulated bank has answered everything. Returns the last transfer that came back. */
async function untilFinished(pool: OwnedPool, merchantId: bigint): Promise<string> {
  for (;;) {
    const { rows } = await pool.query<{ open: bigint; reversed: bigint | null }>(
      `select count(*) filter (where state not in ('SUCCESS', 'FAILED', 'REVERSED')) as open,
         max(transfer_id) filter (where state = 'REVERSED') as reversed
       from transfer where merchant_id = $1`,
      [merchantId],
    );
    if (rows[0]!.open === 0n && rows[0]!.reversed !== null) return String(rows[0]!.reversed);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function makeFranchise(client: MerchantClient): Promise<string> {
  const saved = await client.post("/api/v1/franchise/save", {
    franchise_code: "PUNE",
    franchise_name: "Pune Branch",
    contact_person_name: "Anand Joshi",
    email_id: "pune@kaveri.example",
    mobile: "9876501234",
    pan_number: "",
    aadhar_number: "",
    gst_number: "",
    address: "14 FC Road",
    city: "Pune",
    state: "Maharashtra",
    zipcode: "411004",
    enable_online_settlement: 1,
    commission_type: "Percentage",
    commission: 4,
    settlement_type: "Manual",
    bank_holder_name: "Anand Joshi",
    account_number: "026291800001191",
    bank_name: "Yes Bank",
    account_type: "Current",
    ifsc: "YESB0000262",
    enable_franchise_login: "0",
    login_email: "",
    password: "",
    role_name: "",
  });
  return must<{ franchise_id: string }>(saved).franchise_id;
}

async function makeInvoices(
  ask: Ask,
  franchiseId: string,
): Promise<Pick<Business, "invoiceId" | "invoiceUrl" | "unpaidInvoiceId">> {
  const customer = CUSTOMERS.map(([customer_code, customer_name, city, state], index) => ({
    customer_code,
    customer_name,
    city,
    state,
    email: `buyer${index + 1}@customers.example`,
    mobile: `98450${String(10_000 + index)}`,
    customer_group: index % 2 === 0 ? "Wholesale" : "Retail",
  }));
  await ask("v1/merchant/customer/save", { customer });
  const today = Temporal.Now.plainDateISO("Asia/Kolkata");
  let shown = { invoiceId: "", invoiceUrl: "" };
  let unpaidInvoiceId = "";
  for (let back = MONTHS - 1; back >= 0; back -= 1) {
    const month = today.with({ day: 1 }).subtract({ months: back });
    const bills = Array.from({ length: EVERY_MONTH }, (_, index) => billOf(month, index, franchiseId)).filter(
      ({ bill_date }) => bill_date <= today.toString(),
    );
    const saved = await ask<{ invoice_id: string; short_url: string }[]>("v3/merchant/invoice/save", {
      template_id: "",
      invoice: bills,
    });
    for (const [index, { invoice_id, short_url }] of saved.entries()) {
      const paidDate = Temporal.PlainDate.from(bills[index]!.bill_date).add({ days: 4 });
      const isLate = back <= 1 && index % 3 === 0;
      if (isLate || Temporal.PlainDate.compare(paidDate, today) > 0) {
        unpaidInvoiceId = invoice_id;
        continue;
      }
      const isPart = index % 4 === 1 && back <= 2;
      const amount = isPart ? "3000.00" : await totalOf(ask, invoice_id);
      const payment = {
        mode: "Online",
        bank_name: "HDFC Bank",
        bank_ref_no: `N${paidDate.toString().replaceAll("-", "")}${index}`,
      };
      await ask("v2/merchant/invoice/settle", { invoice_id, paid_date: paidDate.toString(), amount, ...payment });
      if (isPart) shown = { invoiceId: invoice_id, invoiceUrl: short_url };
    }
  }
  return { ...shown, unpaidInvoiceId };
}

function billOf(month: Temporal.PlainDate, index: number, franchiseId: string) {
  const billDate = month.add({ days: index * 3 });
  const rows = GOODS.slice(index % 3, (index % 3) + 2).map(([item, sac_code, gst, price], place) => {
    const amount = BigInt(price.replace(".", "")) * BigInt(2 + ((index + month.month + place) % 5));
    const text = amount.toString();
    return { item, sac_code, description: "", gst, total_amount: `${text.slice(0, -2)}.${text.slice(-2)}` };
  });
  return {
    customer_code: CUSTOMERS[(index + month.month) % CUSTOMERS.length]![0],
    bill_cycle_name: `${month.toLocaleString("en-IN", { month: "long" })} orders`,
    bill_date: billDate.toString(),
    due_date: billDate.add({ days: 15 }).toString(),
    franchise_id: index % 4 === 0 ? franchiseId : "",
    particular_rows: rows,
  };
}

async function totalOf(ask: Ask, invoiceId: string): Promise<string> {
  return (await ask<{ amount: string }>("v1/merchant/invoice/detail", { invoice_id: invoiceId })).amount;
}

async function makeSubscriptions(ask: Ask): Promise<void> {
  const start = Temporal.Now.plainDateISO("Asia/Kolkata").with({ day: 1 }).add({ months: 1 });
  for (const [index, [item, sac_code, price]] of [
    ["Warehouse space", "9972", "18000.00"],
    ["Yearly care of curtains", "9988", "6500.00"],
    ["Window display", "9988", "4200.00"],
  ].entries()) {
    await ask("v1/merchant/subscription/save", {
      template_id: "",
      mode: index === 1 ? "Yearly" : "Monthly",
      repeat_every: "1",
      start_date: start.toString(),
      due_date: start.add({ days: 10 }).toString(),
      end_mode: "Never",
      occurences: "",
      end_date: "",
      carry_forword_dues: "1",
      invoice: {
        customer_code: CUSTOMERS[index + 2]![0],
        bill_cycle_name: "Recurring",
        particular_rows: [{ item, sac_code, description: "", gst: "18", total_amount: price }],
      },
    });
  }
}

/** A webhook that has been told of nothing yet, a withdrawal, and a transfer that waits for a second person. */
async function makeRules(client: MerchantClient, environment: Environment, { merchantId }: Merchant): Promise<void> {
  const of = ["--merchant", String(merchantId)];
  await nodalJson(environment, "webhook", "create", ...of, "--url", "https://hooks.kaveri.example/nodal");
  must(await client.post("/api/v1/payout/withdraw", { amount: 25_000, narrative: "To the current account" }));
  await nodalJson(environment, "policy", "set", ...of, "--approve-over", "100000", "--daily-limit", "2500000");
  const [name, account_number, ifsc] = ["Ambika Dyers", "918020100456712", "UTIB0000012"];
  const saved = await client.post("/api/v1/beneficiary/save", { type: "Vendor", name, account_number, ifsc });
  const { beneficiary_id } = must<{ beneficiary_id: string }>(saved);
  const large = { beneficiary_id, amount: "185000.00", reference_id: "PO-5000", narrative: "Dyes for the season" };
  must(await client.post("/api/v1/beneficiary/transfer", large));
}

function must<T>(answer: { readonly status: number; readonly body: unknown }): T {
  if (answer.status !== 200) throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as T;
}
