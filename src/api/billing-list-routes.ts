// Routes of the lists of payments, credit notes and refunds: pages, totals, and CSV files. A franchise sees those of
// its own invoices.
import {
  creditsGst,
  formatInvoiceId,
  KINDS,
  listBilling,
  owedOf,
  PAYMENT_MODES,
  WRITE_OFF,
  readBillingFilter,
  streamBilling,
  sumBilling,
  type BillingFilter,
  type BillingList,
  type NoteRow,
  type PaymentRow,
  type RefundRow,
} from "../invoices/index.ts";
import { franchiseOf, type Merchant } from "../merchants/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import { validRange } from "../platform/http/field.ts";
import { oneOf, optional, optionalText } from "../platform/http/fields.ts";
import type { Json } from "../platform/json.ts";
import { formatPaise } from "../platform/money.ts";
import { formatInstant, formatTimestamp, type WriteInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall, type Values } from "./guarded-routes.ts";
import { dayPlaceField, dayPlaceIn, listFileRoute, listRoute, RANGE_FIELDS } from "./list-routes.ts";
import { describeTransfer, kindOfNote, statusOfNote } from "./shown.ts";

const permission = "invoices.view";

const fieldsOf = (kinds: readonly string[], order: string) => ({
  search: optionalText(100),
  kind: optional(oneOf(kinds)),
  mode: optional(oneOf([...PAYMENT_MODES, WRITE_OFF])),
  ...RANGE_FIELDS,
  sort: optional(oneOf([order, `-${order}`])),
});
type Filters = Values<ReturnType<typeof fieldsOf>>;

/** Adds the lists. */
export function registerBillingListRoutes(scope: DashboardScope) {
  return [
    ...registerList(scope, {
      url: "/payments",
      summary: "List payments of invoices",
      list: "payments",
      order: "paid_date",
      inOrderOfDays: true,
      rowsIn: "payments",
      describe: describePayment,
      columns: PAYMENT_COLUMNS,
    }),
    ...registerList(scope, {
      url: "/credit-notes",
      summary: "List credit notes",
      list: "notes",
      order: "note_date",
      inOrderOfDays: true,
      rowsIn: "credit_notes",
      describe: describeNote,
      columns: NOTE_COLUMNS,
    }),
    ...registerList(scope, {
      url: "/refunds",
      summary: "List refunds",
      list: "refunds",
      order: "added_at",
      inOrderOfDays: false,
      rowsIn: "refunds",
      describe: describeRefund,
      columns: REFUND_COLUMNS,
    }),
  ];
}

type RowOf = { readonly payments: PaymentRow; readonly notes: NoteRow; readonly refunds: RefundRow };

type Registered<List extends BillingList, U extends string, In extends string, Shown extends Json> = {
  readonly url: U;
  readonly summary: string;
  readonly list: List;
  readonly order: string;
  readonly inOrderOfDays: boolean;
  readonly rowsIn: In;
  /** `write` formats times: the file has another format. */
  readonly describe: (row: RowOf[List], merchant: Merchant, write: WriteInstant) => Shown;
  readonly columns: Readonly<Record<string, (shown: Shown) => CsvCell>>;
};

function registerList<
  const List extends BillingList,
  const U extends string,
  const In extends string,
  Shown extends Json,
>(
  scope: DashboardScope,
  { url, summary, list, order, inOrderOfDays, rowsIn, describe, columns }: Registered<List, U, In, Shown>,
) {
  const filters = fieldsOf(KINDS[list], order);
  const routes = { url, summary, permission, narrowsToFranchise: true, filters } as const;
  return [
    listRoute(scope, {
      ...routes,
      paging: inOrderOfDays ? { after: dayPlaceField() } : {},
      rowsIn,
      read: async (call, asked) => {
        const { db: pool, merchant, query } = call;
        if (inOrderOfDays) dayPlaceIn(asked.after);
        const page = { ...asked, oldestFirst: query.sort === order };
        const found = await listBilling({ pool, merchant }, list, await filterOf(call, query), page);
        const more = { searched_to: found.searchedTo, is_cut: false };
        return { rows: found.rows.map((row) => describe(row, merchant, formatInstant)), next: found.next, more };
      },
    }),
    dashboardRoute(scope, {
      route: `GET ${url}/totals`,
      summary: summary.replace("List", "Add up"),
      permission,
      narrowsToFranchise: true,
      query: filters,
      handler: async (call) => {
        const totals = await sumBilling(call.db, call.merchant, list, await filterOf(call, call.query));
        const sums = Object.entries(totals?.paise ?? {}).map(([name, paise]) => [name, formatPaise(paise)]);
        return { totals: totals && { count: Number(totals.count), sums: Object.fromEntries(sums) as Sums } };
      },
    }),
    listFileRoute(scope, {
      ...routes,
      read: async (call) => {
        const { db: pool, merchant } = call;
        const filter = await filterOf(call, call.query);
        const rows = streamBilling({ pool, merchant }, list, filter);
        return { columns, rows: described(rows, (row) => describe(row, merchant, formatTimestamp)) };
      },
    }),
  ];
}
type Sums = Readonly<Record<string, string>>;

async function* described<Row, Shown>(rows: AsyncIterable<Row>, describe: (row: Row) => Shown): AsyncGenerator<Shown> {
  for await (const row of rows) yield describe(row);
}

function filterOf({ db: pool, merchant, caller }: MerchantCall, query: Filters): Promise<BillingFilter> {
  return readBillingFilter(
    { pool, merchant },
    {
      ...validRange(query),
      search: query.search,
      kind: query.kind,
      mode: query.mode,
      amountFromPaise: query.amount_from,
      amountToPaise: query.amount_to,
      franchiseId: franchiseOf(caller),
    },
  );
}

function describeInvoice({ invoice }: Pick<PaymentRow, "invoice">) {
  return {
    invoice_id: formatInvoiceId(invoice.invoice_id),
    invoice_number: invoice.invoice_number,
    customer_code: invoice.customer_code,
    customer_name: invoice.customer_name,
  };
}

function describePayment(row: PaymentRow) {
  const { payment } = row;
  return {
    settlement_id: String(payment.settlementId),
    paid_date: payment.paidDate.toString(),
    ...describeInvoice(row),
    mode: payment.mode,
    reference: payment.bankRefNo || payment.chequeNo,
    bank_name: payment.bankName,
    amount: formatPaise(payment.amountPaise),
    status: payment.reversedAt === null ? "Recorded" : "Reversed",
    reversal_reason: payment.reversalReason ?? "",
    write_off_reason: payment.writeOffReason ?? "",
  };
}

function describeNote(row: NoteRow) {
  const { note } = row;
  return {
    credit_note_id: String(note.creditNoteId),
    credit_note_number: note.creditNoteNumber,
    kind: kindOfNote(note),
    note_date: note.noteDate.toString(),
    ...describeInvoice(row),
    reason: note.reason,
    taxable: formatPaise(creditsGst(note) ? note.taxablePaise : 0n),
    tax: formatPaise(note.taxPaise),
    amount: formatPaise(note.amountPaise),
    applied: formatPaise(note.reducesDuePaise),
    refunded: formatPaise(note.refund.refundedPaise),
    to_refund: formatPaise(owedOf(note)),
    status: statusOfNote(note),
  };
}

function describeRefund(row: RefundRow, { timeZone }: Merchant, write: WriteInstant) {
  const { transfer_id, payee_name, amount, status, utr, reason } = describeTransfer(row.transfer, timeZone);
  return {
    transfer_id,
    added_at: write(row.transfer.addedAt, timeZone),
    credit_note_number: row.note.creditNoteNumber,
    ...describeInvoice(row),
    payee_name,
    amount,
    status,
    utr,
    reason,
  };
}

type Columns<Shown> = Readonly<Record<string, (shown: Shown) => CsvCell>>;

function columnsOf<Shown extends Readonly<Record<string, string>>>(
  ...names: readonly (keyof Shown & string)[]
): Columns<Shown> {
  return Object.fromEntries(names.map((name) => [name, (shown: Shown) => shown[name]!]));
}

const OF_INVOICE = ["invoice_id", "invoice_number", "customer_code", "customer_name"] as const;
const PAYMENT_COLUMNS = columnsOf<ReturnType<typeof describePayment>>(
  "paid_date",
  "settlement_id",
  ...OF_INVOICE,
  "mode",
  "reference",
  "bank_name",
  "amount",
  "status",
  "reversal_reason",
  "write_off_reason",
);
const NOTE_COLUMNS = columnsOf<ReturnType<typeof describeNote>>(
  "note_date",
  "credit_note_number",
  "kind",
  ...OF_INVOICE,
  "reason",
  "taxable",
  "tax",
  "amount",
  "applied",
  "refunded",
  "to_refund",
  "status",
);
const REFUND_COLUMNS = columnsOf<ReturnType<typeof describeRefund>>(
  "added_at",
  "transfer_id",
  "credit_note_number",
  ...OF_INVOICE,
  "payee_name",
  "amount",
  "status",
  "utr",
  "reason",
);
