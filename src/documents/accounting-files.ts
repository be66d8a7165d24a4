// The files of a period for Tally Prime and Zoho Books, in the order in which they are imported: docs/accounts.md#tally,
// docs/zoho-books.md
import {
  ledgersOf,
  tallyMasters,
  tallyVouchers,
  walkTallyVouchers,
  walkZohoDocuments,
  walkZohoPayments,
  ZOHO_CREDIT_NOTE_COLUMNS,
  ZOHO_INVOICE_COLUMNS,
  ZOHO_PAYMENT_COLUMNS,
  zohoCustomer,
  zohoPaymentRows,
  zohoRows,
  zohoState,
  zohoTreatment,
} from "../books/index.ts";
import { findCustomers, gstinOf, pageCustomers, type Customer } from "../customers/index.ts";
import { stateOf, type Period } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { csvPieces, type CsvCell } from "../platform/csv.ts";
import type { Queryable } from "../platform/database/pool.ts";

const PAGE = 1000;

/** Makes a file, in pieces. */
type MakeFile = (db: Queryable, merchant: Merchant, period: Period) => AsyncIterable<string>;

/** The files for Tally by their names. `company` is the name of Tally's company; without it, it is the merchant's. */
export function tallyFiles(company: string | null) {
  return {
    "tally-masters.xml": (db, merchant, period) =>
      tallyMasters(company || merchant.name, ledgersOf(walkTallyVouchers(db, merchant, period))),
    "tally-vouchers.xml": (db, merchant, period) =>
      tallyVouchers(company || merchant.name, walkTallyVouchers(db, merchant, period)),
  } satisfies Record<string, MakeFile>;
}

/** The files for Zoho Books by their names. Customers are of no period. */
export const ZOHO_FILES = {
  "zoho-customers.csv": (db: Queryable, merchant: Merchant) => csvPieces(CUSTOMER_COLUMNS, walkCustomers(db, merchant)),
  "zoho-invoices.csv": (db, merchant, period) =>
    csvPieces(ZOHO_INVOICE_COLUMNS, zohoRows(walkZohoDocuments(db, merchant, period, "invoice"))),
  "zoho-credit-notes.csv": (db, merchant, period) =>
    csvPieces(ZOHO_CREDIT_NOTE_COLUMNS, zohoRows(walkZohoDocuments(db, merchant, period, "credit_note"))),
  "zoho-payments.csv": (db, merchant, period) =>
    csvPieces(ZOHO_PAYMENT_COLUMNS, zohoPaymentRows(walkZohoPayments(db, merchant, period))),
} satisfies Record<string, MakeFile>;

async function* walkCustomers(db: Queryable, merchant: Merchant): AsyncGenerator<Customer> {
  const filter = {
    search: { by: "anywhere", keyword: null },
    group: null,
    franchiseId: null,
    sort: "created_at",
  } as const;
  let after: string | null = null;
  for (;;) {
    const ids: bigint[] = await pageCustomers(db, merchant, filter, { after, limit: PAGE });
    const customers = await findCustomers(db, merchant, ids);
    for (const id of ids) yield customers.get(id)!;
    if (ids.length < PAGE) return;
    after = String(ids.at(-1)!);
  }
}

const stateIn = (customer: Customer): string =>
  stateOf({ gstin: gstinOf(customer.customFields), state: customer.state })?.code ?? "";

const CUSTOMER_COLUMNS: Readonly<Record<string, (customer: Customer) => CsvCell>> = {
  "Display Name": zohoCustomer,
  "Customer Number": (customer) => customer.customerCode,
  "Company Name": (customer) => customer.customerName,
  EmailID: (customer) => customer.email,
  MobilePhone: (customer) => customer.mobile,
  "Currency Code": () => "INR",
  "GST Treatment": (customer) =>
    zohoTreatment({
      gstin: gstinOf(customer.customFields),
      placeOfSupply: customer.gstCategory === "overseas" ? "96" : stateIn(customer),
      isSez: customer.gstCategory === "sez",
      isComposition: customer.gstCategory === "composition",
    }),
  "GST Identification Number (GSTIN)": (customer) => gstinOf(customer.customFields),
  "Place of Contact": (customer) => zohoState(stateIn(customer)),
  "Billing Address": (customer) => customer.address,
  "Billing City": (customer) => customer.city,
  "Billing State": (customer) => customer.state,
  "Billing Country": (customer) => customer.country || "India",
  "Billing Code": (customer) => customer.zipcode,
};
