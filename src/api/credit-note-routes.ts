// Routes of an invoice's credit notes: issuing one, its PDF, and its refund.
import { buildCreditNoteDocument, readSources, renderInvoicePdf } from "../documents/index.ts";
import {
  cancelCreditNote,
  chargedTaxes,
  checkPayee,
  chosenRows,
  creditLines,
  creditNoteNotFound,
  creditsGst,
  findCreditNote,
  formatInvoiceId,
  invoiceIdField,
  issueCreditNote,
  payeeOfInvoice,
  refundCreditNote,
  toChosenLines,
  toChosenRows,
  warningsOfCreditNote,
  type CreditNote,
  type Invoice,
  type NamedPayee,
} from "../invoices/index.ts";
import { NodalError, validationError, type FieldError } from "../platform/errors.ts";
import {
  bankAccount,
  date,
  digitsOrNumber,
  ifsc,
  money,
  oneOf,
  optional,
  optionalText,
  requiredText,
  upiHandle,
  wholeNumber,
  type Decoded,
} from "../platform/http/fields.ts";
import { warn } from "../platform/http/warning.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import { dashboardRoute, type DashboardScope, type MerchantCall } from "./guarded-routes.ts";
import { requireInvoice } from "./invoice-routes.ts";
import { sendPdf } from "./pdf-routes.ts";
import { kindOfNote, NOTE_KINDS, statusOfNote } from "./shown.ts";

const REASON_LENGTH = 500;
const MAX_ATTEMPTS = 1_000_000;
const invoiceParams = { invoice_id: invoiceIdField() };
const noteParams = { ...invoiceParams, credit_note_id: digitsOrNumber(16) };

/** Adds the routes of credit notes. */
export function registerCreditNoteRoutes(scope: DashboardScope) {
  return [
    ...registerIssueRoute(scope),
    ...registerLineRoutes(scope),
    ...registerPdfRoute(scope),
    ...registerRefundRoute(scope),
  ];
}

function registerIssueRoute(scope: DashboardScope) {
  const { ids, ownPayouts } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /invoices/:invoice_id/credit-notes",
      summary: "Issue a credit note",
      permission: "invoices.cancel",
      params: invoiceParams,
      body: {
        /** The amount to credit over all rows; without it and `rows`, the whole rest. */
        amount: optional(money()),
        rows: optional(chosenRows),
        reason: requiredText(REASON_LENGTH),
        date: optional(date()),
      },
      handler: async (call) => {
        const { db, merchant, params, body } = call;
        const { invoiceId } = await requireInvoice(call, params.invoice_id);
        if (body.amount !== null && body.rows !== null) throw amountBesideRows();
        const { note, invoice } = await issueCreditNote(
          { pool: db, ids, merchant, idempotency: null, ownPayouts },
          {
            invoiceId,
            amountPaise: body.amount,
            rows: toChosenRows(body.rows),
            reason: body.reason,
            noteDate: body.date,
            refundTo: null,
          },
        );
        return {
          credit_note_id: String(note.creditNoteId),
          credit_note_number: note.creditNoteNumber,
          amount: formatPaise(note.amountPaise),
          refund: formatPaise(note.refundPaise),
          status: invoice.status,
          ...warn(warningsOfCreditNote(note, invoice)),
        };
      },
    }),
  ];
}

/** Notes by the lines of an invoice, and one note in full. docs/rules/invoicing.md#notes-by-line */
function registerLineRoutes(scope: DashboardScope) {
  const { ids, ownPayouts } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /credit-notes",
      summary: "Credit lines of an invoice",
      permission: "invoices.cancel",
      body: {
        invoice_id: invoiceIdField(),
        /** `gst` (default) credits rows with their tax; `financial` gives an amount back without GST. */
        kind: optional(oneOf(NOTE_KINDS)),
        /** Of a credit note with GST. */
        rows: optional(creditLines),
        /** Of a financial credit note, in rupees. */
        amount: optional(money()),
        reason: requiredText(REASON_LENGTH),
        date: optional(date()),
      },
      handler: async (call) => {
        const { db, merchant, body } = call;
        const { invoiceId } = await requireInvoice(call, body.invoice_id);
        const asked = { invoiceId, ...readCredit(body), rows: null, refundTo: null };
        const { note, invoice } = await issueCreditNote(
          { pool: db, ids, merchant, idempotency: null, ownPayouts },
          { ...asked, reason: body.reason, noteDate: body.date },
        );
        return { ...describeInFull(note), ...warn(warningsOfCreditNote(note, invoice)) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /credit-notes/:credit_note_id/cancel",
      summary: "Cancel a credit note that nothing follows from",
      permission: "invoices.cancel",
      params: { credit_note_id: digitsOrNumber(16) },
      handler: async ({ db, merchant, params }) => {
        const creditNoteId = BigInt(params.credit_note_id);
        return describeInFull(await cancelCreditNote({ pool: db, ids, merchant }, creditNoteId));
      },
    }),
    dashboardRoute(scope, {
      route: "GET /credit-notes/:credit_note_id",
      summary: "Read a credit note",
      permission: "invoices.view",
      narrowsToFranchise: true,
      params: { credit_note_id: digitsOrNumber(16) },
      handler: async (call) => {
        const { bucket, merchantId } = call.merchant;
        const creditNoteId = BigInt(call.params.credit_note_id);
        const note = await findCreditNote(call.db, { bucket, merchantId, creditNoteId });
        if (!note) throw creditNoteNotFound();
        // A franchise sees the notes of its own invoices.
        await requireInvoice(call, formatInvoiceId(note.invoiceId));
        return describeInFull(note);
      },
    }),
  ];
}

type SentCredit = {
  readonly kind: string | null;
  readonly rows: Decoded<typeof creditLines> | null;
  readonly amount: bigint | null;
};

/** @throws NodalError `validation_failed` for rows of a financial note, an amount of another, and neither */
function readCredit({ kind, rows, amount }: SentCredit) {
  const isFinancial = kind === "financial";
  const [wanted, other] = isFinancial ? (["amount", "rows"] as const) : (["rows", "amount"] as const);
  const sent = { rows, amount };
  const errors: FieldError[] = [];
  if (sent[other] !== null) {
    const what = isFinancial ? "a financial credit note has no GST: send its amount" : "send rows, or kind financial";
    errors.push({ field: other, code: "not_allowed", problem: `can't be given: ${what}.` });
  }
  if (sent[wanted] === null) {
    const what = isFinancial ? "how many rupees to give back" : "which rows to credit, by quantity or amount";
    errors.push({ field: wanted, code: "required", problem: `is required: ${what}.` });
  }
  if (errors.length > 0) throw validationError(errors);
  return isFinancial ? { amountPaise: amount, isFinancial } : { amountPaise: null, lines: toChosenLines(rows!) };
}

function describeInFull(note: CreditNote) {
  const { content, lines } = note;
  const rows = content.rows.values();
  const isGst = creditsGst(note);
  return {
    kind: kindOfNote(note),
    status: statusOfNote(note),
    credit_note_id: String(note.creditNoteId),
    credit_note_number: note.creditNoteNumber,
    credit_note_date: note.noteDate.toString(),
    invoice_id: formatInvoiceId(note.invoiceId),
    reason: note.reason,
    amount: formatPaise(note.amountPaise),
    taxable_value: formatPaise(isGst ? note.taxablePaise : 0n),
    tax: formatPaise(note.taxPaise),
    round_off_amount: formatPaise(note.amountPaise - note.taxablePaise - note.taxPaise),
    reduces_due: formatPaise(note.reducesDuePaise),
    refund: formatPaise(note.refundPaise),
    refunded: formatPaise(note.refund.refundedPaise),
    rows: lines.map(({ line, taxablePaise, taxesPaise, quantityThousandths }) => ({
      row: line,
      // The note has a row for each line with a taxable value.
      item: taxablePaise > 0n ? rows.next().value!.item : "",
      quantity: quantityThousandths === undefined ? null : formatThousandths(quantityThousandths),
      amount: formatPaise(taxablePaise),
      tax: formatPaise(taxesPaise.reduce((sum, paise) => sum + paise, 0n)),
    })),
    tax_rows: chargedTaxes(note).map((tax) => ({
      name: tax.name,
      percentage: formatThousandths(tax.percentThousandths),
      applicable_on: formatPaise(tax.applicableOnPaise),
      amount: formatPaise(tax.amountPaise),
    })),
  };
}

function amountBesideRows(): NodalError {
  const problem = "can't be given beside rows, each of which has an amount of its own: leave one of them out.";
  return validationError([{ field: "amount", code: "not_allowed", problem }]);
}

function registerPdfRoute(scope: DashboardScope) {
  const { links, renderer, rates } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "GET /invoices/:invoice_id/credit-notes/:credit_note_id/pdf",
      summary: "Download a credit note as a PDF",
      permission: "invoices.view",
      narrowsToFranchise: true,
      params: noteParams,
      handler: async (call) => {
        const { note, invoice } = await requireNote(call, call.params);
        const document = buildCreditNoteDocument(note, await readSources(call.db, invoice, links));
        const make = () => renderInvoicePdf(renderer, call.merchant, document);
        return sendPdf(rates, call, { kind: "credit notes", name: note.creditNoteNumber, make });
      },
    }),
  ];
}

function registerRefundRoute(scope: DashboardScope) {
  const { ids, ownPayouts } = scope.parts;
  return [
    dashboardRoute(scope, {
      route: "POST /invoices/:invoice_id/credit-notes/:credit_note_id/refund",
      summary: "Refund what a credit note owes the customer",
      permission: "payouts.transfer",
      params: noteParams,
      body: {
        /** The values that the user saw. If they have changed, nothing is paid. */
        amount: money(),
        attempts: wholeNumber(0, MAX_ATTEMPTS),
        account_number: optional(bankAccount()),
        ifsc: optional(ifsc()),
        upi: optional(upiHandle()),
        name: optionalText(100),
      },
      handler: async (call) => {
        const { db, merchant, params, body } = call;
        const { note } = await requireNote(call, params);
        const named = readPayee(body, note.refundBeneficiaryId === null);
        if (named) refuseNewPayee(call);
        const payee = named && (await payeeOfInvoice({ pool: db, merchant }, note.invoiceId, named));
        const agreed = { owedPaise: body.amount, attempts: body.attempts };
        const context = { pool: db, ids, merchant, ownPayouts };
        const paid = await refundCreditNote(context, { creditNoteId: note.creditNoteId, payee, agreed });
        return { transfer_id: String(paid.refund.lastTransferId), amount: formatPaise(body.amount) };
      },
    }),
  ];
}

/** @throws NodalError `access_denied` for a new payee, without the permission to create one */
function refuseNewPayee({ caller }: MerchantCall): void {
  if (caller.permissions.has("beneficiaries.manage")) return;
  throw new NodalError(
    "access_denied",
    "Your role can't add beneficiaries. Refund to an account used before, or ask someone who can.",
  );
}

type SentPayee = {
  readonly account_number: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
  readonly name: string | null;
};

/**
 * @throws NodalError `validation_failed` for an incomplete account, both an account and a handle, or nothing if it is
 * needed
 */
function readPayee(sent: SentPayee, isNeeded: boolean): NamedPayee | null {
  const { account_number: accountNumber, ifsc: code, upi, name } = sent;
  const errors: FieldError[] = [];
  const isGiven = (text: string | null): boolean => text !== null;
  const given = {
    accountNumber: isGiven(accountNumber),
    ifsc: isGiven(code),
    upi: isGiven(upi),
    name: isGiven(name),
  };
  checkPayee(given, { accountNumber: "account_number", ifsc: "ifsc", upi: "upi" }, isNeeded, errors);
  if (errors.length > 0) throw validationError(errors);
  return accountNumber === null && upi === null ? null : { name, accountNumber, ifsc: code, upi };
}

/** @throws NodalError `invoice_not_found`, or `credit_note_not_found` also for a note of another invoice */
async function requireNote(
  call: MerchantCall,
  params: { readonly invoice_id: string; readonly credit_note_id: string },
): Promise<{ note: CreditNote; invoice: Invoice }> {
  const invoice = await requireInvoice(call, params.invoice_id);
  const { bucket, merchantId, invoiceId } = invoice;
  const note = await findCreditNote(call.db, { bucket, merchantId, creditNoteId: BigInt(params.credit_note_id) });
  if (note?.invoiceId !== invoiceId) throw creditNoteNotFound();
  return { note, invoice };
}
