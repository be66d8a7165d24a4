// What lists cost a small merchant beside a very large one: what they cost it alone. And one of whom the planner has counted nothing
// yet pays for its own rows at most, not for each row of a page with all of them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageCustomers } from "../src/customers/index.ts";
import { browseInvoices } from "../src/invoices/lists/invoice-browse-store.ts";
import { listInvoices, type InvoiceFilter } from "../src/invoices/lists/invoice-list-store.ts";
import { walkBilling, type BillingFilter } from "../src/invoices/lists/billing-walk-store.ts";
import type { Merchant } from "../src/merchants/index.ts";
import { listStatementPostings } from "../src/payouts/statement/statement-store.ts";
import { walkBook, type TransferFilter } from "../src/payouts/lists/transfer-list-store.ts";
import { findTransfers } from "../src/payouts/transfer-store.ts";
import { createPool, type Connection, type OwnedPool } from "../src/platform/database/pool.ts";
import { TenantDatabase } from "../src/platform/database/tenant.ts";
import { BENEFICIARY_ID, makeMerchants, openLedgerDatabase, type LedgerDatabase } from "./support/ledger.ts";
import { countRowsRead } from "./support/rows-read.ts";
import { withTestSecrets } from "./support/secrets.ts";

const FEW = 1000;
const MANY = 100 * FEW;
/** Few invoices each, so that even the small merchant has many of them. */
const INVOICES_PER_CUSTOMER = 10;
const PAGE = 50;

/** $1 and $2 are the merchant's key, $3 how many, $4 how many customers. */
const ROWS: readonly string[] = [
  `insert into customer (bucket, merchant_id, customer_id, customer_code, customer_name, email, mobile, address, city, state,
     zipcode, created_at, updated_at)
   select $1, $2, n, 'C' || n, 'Customer ' || n, '', '', '', 'Pune', '', '', now(), now()
   from generate_series(0, $4::integer - 1) as n where $3::integer > 0`,
  `insert into invoice (bucket, merchant_id, invoice_id, customer_id, template_id, financial_year, invoice_number, cycle_name,
     bill_date, due_date, paid_date, status, sub_total_paise, tax_total_paise, previous_dues_paise, amount_paise, paid_paise,
     content, public_token, created_at)
   select $1, $2, n, n % $4::integer, 1, 2027, 'INV-' || n, '', day, day + 15, day, 'Paid offline', 100, 0, 0, 100, 100, '{}',
     n::text, now()
   from generate_series(1, $3::integer) as n, date(date '2026-11-01' - n * 500 / $3::integer) as day`,
  `insert into settlement (bucket, merchant_id, settlement_id, invoice_id, paid_date, amount_paise, mode, bank_name,
     bank_ref_no, cheque_no, cash_paid_to, created_at)
   select $1, $2, invoice_id + 1000000, invoice_id, paid_date, 100, 'UPI', '', '', '', '', now()
   from invoice where bucket = $1 and merchant_id = $2 and $3::integer > 0 and $4::integer > 0`,
  ...[
    ["invoice_day", "day", "day"],
    ["invoice_month", "month", "date_trunc('month', day::timestamp)::date"],
  ].map(
    ([
      table,
      column,
      day,
    ]) => `insert into ${table} (bucket, merchant_id, filter_by, ${column}, status, franchise_id, invoices)
   select bucket, merchant_id, filter_by, ${day}, status, 0, count(*)
   from invoice, lateral (values ('bill_date', bill_date), ('due_date', due_date)) as date (filter_by, day)
   where bucket = $1 and merchant_id = $2 and $3::integer > 0 and $4::integer > 0
   group by 1, 2, 3, 4, 5`,
  ),
  `insert into transfer (bucket, merchant_id, transfer_id, kind, reference_id, beneficiary_id, mode, rail, rail_mode, amount_paise,
     narrative, state, added_at)
   select $1, $2, n, 'transfer', 'r-' || n, ${BENEFICIARY_ID}, 'banktransfer', 'simulator', 'IMPS', 100, '', 'SUCCESS', now()
   from generate_series(1, $3::integer) as n where $4::integer > 0`,
  `insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor, kind, debit_kind, debit_owner_id,
     credit_kind, credit_owner_id, amount_paise)
   select $1, $2, 1000 + n, 'transfer.requested', n, now(), 'key:1', 'reserve', 'available', 0, 'held', 0, 100
   from generate_series(1, $3::integer) as n where $4::integer > 0`,
];

let db: LedgerDatabase;
let tenants: OwnedPool;
let small: Merchant;
let unknown: Merchant;
/** What each list cost the small merchant alone. */
const alone = new Map<string, number>();

beforeAll(async () => {
  db = await openLedgerDatabase();
  tenants = withTestSecrets(createPool({ url: db.url, size: 1, role: "nodal_tenant" }));
  const [first, large, last] = (await makeMerchants(db, 3)) as [Merchant, Merchant, Merchant];
  [small, unknown] = [first, last];
  for (const table of ["customer", "invoice", "settlement", "invoice_day", "invoice_month", "transfer", "journal"]) {
    await db.owner.query(`alter table ${table} set (autovacuum_enabled = off)`);
  }
  await fill(small, FEW);
  await db.owner.query("analyze");
  for (const [name, list] of LISTS) alone.set(name, await cost(small, list));
  await fill(large, MANY);
  await db.owner.query("analyze");
  await fill(unknown, FEW);
}, 120_000);
afterAll(async () => {
  await tenants.end();
  await db.close();
});

async function fill({ bucket, merchantId }: Merchant, rows: number): Promise<void> {
  for (const text of ROWS) await db.owner.query(text, [bucket, merchantId, rows, rows / INVOICES_PER_CUSTOMER]);
}

type List = (of: Connection, merchant: Merchant) => Promise<unknown>;

function cost(merchant: Merchant, list: List): Promise<number> {
  return countRowsRead(new TenantDatabase(tenants).of(merchant), (connection) => list(connection, merchant));
}

const ALL: InvoiceFilter = {
  filterBy: "bill_date",
  from: null,
  to: null,
  status: null,
  today: Temporal.PlainDate.from("2026-11-23"),
  franchiseId: null,
  customerId: null,
  group: null,
  templateId: null,
  amountFromPaise: null,
  amountToPaise: null,
  found: null,
};
const nothing = { invoiceIds: [], isCut: false, part: null, amountPaise: null };
const browse =
  (filter: Partial<InvoiceFilter>, by: "bill_date" | "due_date" = "bill_date"): List =>
  (of, merchant) =>
    browseInvoices(of, merchant, { ...ALL, filterBy: by, ...filter }, { by, descending: true }, null, PAGE);
const ANY_PAYMENT: BillingFilter = {
  kind: null,
  mode: null,
  from: null,
  to: null,
  amountFromPaise: null,
  amountToPaise: null,
  franchiseId: null,
  found: null,
};
const ANY_TRANSFER: TransferFilter = {
  kind: null,
  states: null,
  amountFromPaise: null,
  amountToPaise: null,
  beneficiaryIds: null,
  text: null,
  textPaise: null,
  textPayees: [],
  addedFrom: null,
  addedUntil: null,
};

const LISTS: readonly (readonly [name: string, list: List])[] = [
  ["invoices", browse({})],
  ["invoices by due date", browse({}, "due_date")],
  ["invoices of a customer", browse({ customerId: 7n })],
  ["invoices that a search finds", browse({ found: { ...nothing, customerIds: [7n, 8n, 9n] } })],
  ["invoices of an amount that none has", browse({ amountFromPaise: 1n, amountToPaise: 1n })],
  ["invoices by page", (of, merchant) => listInvoices(of, merchant, ALL, { offset: 0, limit: PAGE })],
  ["invoices by page, the midst", (of, merchant) => listInvoices(of, merchant, ALL, { offset: FEW / 2, limit: PAGE })],
  [
    "payments",
    (of, merchant) =>
      walkBilling(of, merchant, "payments", ANY_PAYMENT, { after: null, oldestFirst: false, limit: PAGE }),
  ],
  [
    "customers",
    (of, merchant) => {
      const filter = { search: { by: "anywhere", keyword: null }, group: null, franchiseId: null } as const;
      return pageCustomers(of, merchant, { ...filter, sort: "-created_at" }, { after: null, limit: PAGE });
    },
  ],
  [
    "the statement",
    (of, merchant) =>
      listStatementPostings(
        of,
        merchant,
        { first: 1001n, end: 1001n + BigInt(FEW) },
        { limit: PAGE, newestFirst: true, ofBalanceOnly: true },
      ),
  ],
  [
    "transfers",
    async (of, merchant) => {
      const walk = { first: 1001n, end: 1001n + BigInt(FEW), oldestFirst: false, limit: PAGE };
      const steps = await walkBook(of, merchant, "accepted", walk, ANY_TRANSFER);
      expect(steps).toHaveLength(PAGE);
      await findTransfers(
        of,
        merchant,
        steps.map(({ transferId }) => transferId),
      );
    },
  ],
];

describe.each(LISTS)("%s", (name, list) => {
  test("cost a small merchant beside a large one what they cost it alone", async () => {
    expect(await cost(small, list)).toBeLessThanOrEqual(1.5 * alone.get(name)!);
  });

  test("cost a merchant of whom nothing is counted no more than a few times its rows", async () => {
    expect(await cost(unknown, list)).toBeLessThanOrEqual(alone.get(name)! + 5 * FEW);
  });
});
