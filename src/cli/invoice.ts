// `nodal invoice`: list and show invoices, and reverse recorded payments.
import { buildDocument, readSources, renderInvoicePdf } from "../documents/index.ts";
import {
  FILTER_DATES,
  findInvoice,
  invoiceNotFound,
  listInvoices,
  readDetail,
  readInvoiceFilter,
  reverseSettlement,
  SHOWN_STATUSES,
  toRecord,
} from "../invoices/index.ts";
import { checkRange } from "../platform/http/field.ts";
import { date, digitsOrNumber, oneOf, optional, optionalText, requiredText } from "../platform/http/fields.ts";
import { group, id, ifGiven, merchantCommand, option, type MerchantScope } from "./command.ts";
import { INVOICE, linksOf, OUT, writePdf } from "./invoice-options.ts";
import { formatRecord, formatTable, paragraphs, type Answer, type Entries } from "./output.ts";

const LISTED = 100;
const COLUMNS = [
  "invoice_id",
  "invoice_number",
  "bill_date",
  "due_date",
  "customer_code",
  "customer_name",
  "amount",
  "paid_amount",
  "due_amount",
  "status",
] as const;

const list = merchantCommand({
  description: `list a merchant's invoices, newest first, ${LISTED} per page`,
  example: "--status Overdue",
  options: {
    from: option("<date>", "first day, such as 2026-04-01", optional(date())),
    to: option("<date>", "last day, included", optional(date())),
    filterBy: option(
      "<name>",
      `date that --from and --to apply to: ${FILTER_DATES.join(", ")}; default: bill_date`,
      optional(oneOf(FILTER_DATES)),
    ),
    status: option("<status>", `one of ${SHOWN_STATUSES.join(", ")}`, optional(oneOf(SHOWN_STATUSES))),
    customer: option("<code>", "a customer's code", optionalText(45)),
    group: option("<name>", "a customer group", optionalText(100)),
    franchise: ifGiven(id("a franchise's id, which `nodal franchise list` shows")),
    page: option("<n>", "page, from 1", optional(digitsOrNumber(6))),
  },
  check({ from, to }, errors) {
    if (errors.length === 0) checkRange({ "--from": from, "--to": to }, ["--from", "--to"], errors);
  },
  async run(scope, { customer: customerCode, franchise: franchiseId, page, ...asked }) {
    const { pool, merchant } = scope;
    const filter = await readInvoiceFilter(scope, { ...asked, customerCode, franchiseId });
    const offset = (Math.max(1, Number(page ?? 1)) - 1) * LISTED;
    const { records, total } = await listInvoices(pool, merchant, filter, { offset, limit: LISTED });
    const invoices = records.map((record) => toRecord(record, merchant, filter.today));
    const more =
      Number(total) > records.length ? `${records.length} of ${total}: see the other pages for the rest.` : "";
    return {
      json: { total_records: Number(total), invoices },
      text: paragraphs(formatTable(invoices, "No invoice matches.", COLUMNS), more),
    };
  },
});

const show = merchantCommand({
  description: "show an invoice with its rows, taxes, payments and credit notes",
  example: "--invoice R000029148",
  options: { invoice: INVOICE },
  run: (scope, { invoice }) => describe(scope, invoice),
});

const pdf = merchantCommand({
  description: "write an invoice's PDF to a file",
  example: "--invoice R000029148 --out invoice.pdf",
  options: { invoice: INVOICE, out: OUT },
  async run(scope, { invoice: invoiceId, out }) {
    const { bucket, merchantId } = scope.merchant;
    const invoice = await findInvoice(scope.pool, { bucket, merchantId, invoiceId });
    if (!invoice) throw invoiceNotFound();
    const document = buildDocument(await readSources(scope.pool, invoice, linksOf(scope.config)));
    return writePdf(scope, (renderer) => renderInvoicePdf(renderer, scope.merchant, document), out);
  },
});

const reverse = merchantCommand({
  description: "reverse a recorded payment: the invoice is due again, and its commission is reversed too",
  example: '--settlement 1000308 --reason "Cheque bounced"',
  options: {
    settlement: id("a payment's transaction_id, which `nodal invoice show` lists"),
    reason: option("<text>", "why, such as a bounced cheque", requiredText(500)),
  },
  async run(scope, { settlement, reason }) {
    const { invoice } = await reverseSettlement(scope, { settlementId: settlement, reason });
    return describe(scope, invoice.invoiceId);
  },
});

export const invoiceCommands = group("list and show invoices, and reverse recorded payments", {
  list,
  show,
  pdf,
  "reverse-settlement": reverse,
});

/** The response of `invoice/detail`. */
async function describe({ pool, config, merchant }: MerchantScope, invoiceId: bigint): Promise<Answer> {
  const json = await readDetail({ pool, merchant, links: linksOf(config) }, invoiceId);
  const { particular_rows, tax_rows, settlements, credit_notes } = json;
  const entries = Object.entries(json).flatMap(([name, value]): [string, string | number | null][] =>
    typeof value === "object" && value !== null ? [] : [[name, value]],
  );
  const tables = Object.entries({ particular_rows, tax_rows, settlements, credit_notes })
    .filter(([, records]) => records.length > 0)
    .map(([name, records]) => `${name}:\n${formatTable(records as readonly Entries[], "")}`);
  return { json, text: paragraphs(formatRecord(Object.fromEntries(entries)), ...tables) };
}
