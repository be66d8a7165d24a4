// `nodal invoice`: list, show, pdf, reverse-settlement.
// What belongs here: options and what is printed. The work is done in invoices/.
import type { Command } from "commander";
import { findCustomersByCode } from "../customers/index.ts";
import {
  buildDocument,
  FILTER_DATES,
  findInvoice,
  INVOICE_STATUSES,
  invoiceNotFound,
  listInvoices,
  readDetail,
  readSources,
  reverseSettlement,
  toRecord,
  type InvoiceFilter,
} from "../invoices/index.ts";
import { requireMerchant, todayOf, type Merchant } from "../merchants/index.ts";
import { fail } from "../platform/http/field.ts";
import { date, digitsOrNumber, oneOf, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { invoiceId, linksOf, writePdf } from "./invoice-options.ts";
import { merchantId, optionsOf, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const LISTED = 100;
const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;
const INVOICE_OPTION = ["--invoice <id>", "the invoice's id, such as R000029148"] as const;

const LIST_FIELDS = {
  merchant: merchantId(),
  from: optional(date()),
  to: optional(date()),
  filterBy: optional(oneOf(FILTER_DATES)),
  status: optional(oneOf([...INVOICE_STATUSES, "Overdue"])),
  customer: optionalText(45),
  group: optionalText(100),
  franchise: optional(digitsOrNumber(16)),
  page: optional(digitsOrNumber(6)),
};
const SHOW_FIELDS = { merchant: merchantId(), invoice: invoiceId() };
const PDF_FIELDS = { ...SHOW_FIELDS, out: requiredText(4096) };
const REVERSE_FIELDS = { merchant: merchantId(), settlement: digitsOrNumber(16), reason: requiredText(500) };

/** Adds `invoice` and its subcommands. */
export function registerInvoice(program: Command): void {
  const invoice = program.command("invoice").description("list and show invoices, and reverse recorded payments");

  invoice
    .command("list")
    .description(`list a merchant's invoices, newest first, ${LISTED} a page`)
    .option(...MERCHANT_OPTION)
    .option("--from <date>", "first day, such as 2026-04-01")
    .option("--to <date>", "last day, included")
    .option("--filter-by <name>", `which date the days are of: ${FILTER_DATES.join(", ")}; default: bill_date`)
    .option("--status <status>", `one of ${[...INVOICE_STATUSES, "Overdue"].join(", ")}`)
    .option("--customer <code>", "a customer's code")
    .option("--group <name>", "a customer group")
    .option("--franchise <id>", "a franchise's id")
    .option("--page <n>", "page, from 1")
    .addHelpText("after", example("nodal invoice list --merchant 1000001 --status Overdue"))
    .action(onInstallation(readListOptions, list));

  invoice
    .command("show")
    .description("show an invoice with its rows, taxes, payments and credit notes")
    .option(...MERCHANT_OPTION)
    .option(...INVOICE_OPTION)
    .addHelpText("after", example("nodal invoice show --merchant 1000001 --invoice R000029148"))
    .action(onInstallation(optionsOf(SHOW_FIELDS), show));

  invoice
    .command("pdf")
    .description("write an invoice's PDF to a file")
    .option(...MERCHANT_OPTION)
    .option(...INVOICE_OPTION)
    .option("--out <file>", "the file, which is replaced if it exists")
    .addHelpText("after", example("nodal invoice pdf --merchant 1000001 --invoice R000029148 --out invoice.pdf"))
    .action(onInstallation(optionsOf(PDF_FIELDS), pdf));

  invoice
    .command("reverse-settlement")
    .description("take a recorded payment back: the invoice is due again, and its commission is taken back too")
    .option(...MERCHANT_OPTION)
    .option("--settlement <id>", "the payment's transaction_id, which `nodal invoice show` lists")
    .option("--reason <text>", "why, such as a bounced cheque")
    .addHelpText(
      "after",
      example('nodal invoice reverse-settlement --merchant 1000001 --settlement 1000308 --reason "Cheque bounced"'),
    )
    .action(onInstallation(optionsOf(REVERSE_FIELDS), reverse));
}

const readListOptions = optionsOf(LIST_FIELDS, ({ from, to }, errors) => {
  if (typeof from === "string" && typeof to === "string" && from > to) {
    fail(errors, "--to", "invalid", "must not be before --from.");
  }
});

async function list({ pool }: Installation, options: Values<typeof LIST_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const code = options.customer;
  const today = todayOf(merchant);
  const filter: InvoiceFilter = {
    filterBy: options.filterBy ?? "bill_date",
    from: options.from,
    to: options.to,
    status: options.status,
    today,
    franchiseId: options.franchise === null ? null : BigInt(options.franchise),
    // No customer has the id 0: a code that nobody has finds nothing.
    customerId:
      code === null ? null : ((await findCustomersByCode(pool, merchant, [code])).get(code)?.customerId ?? 0n),
    group: options.group,
  };
  const page = { offset: (Math.max(1, Number(options.page ?? 1)) - 1) * LISTED, limit: LISTED };
  const { records, total } = await listInvoices(pool, merchant, filter, page);
  const invoices = records.map((record) => toRecord(record, merchant, today));
  const rows = invoices.map((record) => ({
    invoice_id: record.invoice_id,
    invoice_number: record.invoice_number,
    bill_date: record.bill_date,
    due_date: record.due_date,
    customer_code: record.customer_code,
    customer_name: record.customer_name,
    amount: record.amount,
    paid_amount: record.paid_amount,
    due_amount: record.due_amount,
    status: record.status,
  }));
  const more = Number(total) > records.length ? `\n\n${records.length} of ${total}: the rest is on other pages.` : "";
  return {
    json: { total_records: Number(total), invoices },
    text: `${formatTable(rows, "No invoice matches.")}${more}`,
  };
}

async function show(installation: Installation, options: Values<typeof SHOW_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(installation.pool, options.merchant);
  return describe(installation, merchant, options.invoice);
}

async function pdf({ pool, config }: Installation, options: Values<typeof PDF_FIELDS>): Promise<Answer> {
  const { bucket, merchantId: owner } = await requireMerchant(pool, options.merchant);
  const invoice = await findInvoice(pool, { bucket, merchantId: owner, invoiceId: options.invoice });
  if (!invoice) throw invoiceNotFound();
  const document = buildDocument(await readSources(pool, invoice, linksOf(config)));
  const json = { file: options.out, bytes: await writePdf(config, invoice, document, options.out) };
  return { json, text: formatRecord(json) };
}

async function reverse(installation: Installation, options: Values<typeof REVERSE_FIELDS>): Promise<Answer> {
  const { pool, ids } = installation;
  const merchant = await requireMerchant(pool, options.merchant);
  const key = { bucket: merchant.bucket, merchantId: merchant.merchantId };
  const { invoice } = await reverseSettlement(pool, ids, key, BigInt(options.settlement), options.reason);
  return describe(installation, merchant, invoice.invoiceId);
}

/** What `invoice/detail` answers with. */
async function describe({ pool, config }: Installation, merchant: Merchant, id: bigint): Promise<Answer> {
  const json = await readDetail(pool, merchant, id, todayOf(merchant), linksOf(config));
  const lists = {
    particular_rows: json.particular_rows,
    tax_rows: json.tax_rows,
    settlements: json.settlements,
    credit_notes: json.credit_notes,
  };
  const entries = Object.entries(json).flatMap(([name, value]): [string, string | number | null][] =>
    typeof value === "object" && value !== null ? [] : [[name, value]],
  );
  const tables = Object.entries(lists)
    .filter(([, records]) => records.length > 0)
    .map(([name, records]) => `${name}:\n${formatTable(records, "")}`);
  return { json, text: [formatRecord(Object.fromEntries(entries)), ...tables].join("\n\n") };
}
