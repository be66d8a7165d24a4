// `nodal credit-note`: create, refund, list, show, pdf.
// What belongs here: options and what is printed. The work is done in invoices/.
import type { Command } from "commander";
import {
  buildCreditNoteDocument,
  creditNoteNotFound,
  dueOf,
  findCreditNote,
  findInvoice,
  findInvoices,
  formatInvoiceId,
  issueCreditNote,
  listCreditNotes,
  owedOf,
  payeeOfInvoice,
  readSources,
  refundCreditNote,
  type CreditNote,
  type Invoice,
} from "../invoices/index.ts";
import { requireMerchant, type Merchant } from "../merchants/index.ts";
import { refundPayer } from "../payouts/index.ts";
import type { NodalError } from "../platform/errors.ts";
import { digitsOrNumber, requiredText } from "../platform/http/fields.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import { awaitBank } from "./await-bank.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import {
  PAYEE_OPTIONS,
  readCreateOptions,
  readRefundOptions,
  type CreateOptions,
  type RefundOptions,
} from "./credit-note-options.ts";
import { linksOf, writePdf } from "./invoice-options.ts";
import { merchantId, optionsOf, type MerchantOption, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const LISTED = 1000;
const SHOW_FIELDS = { merchant: merchantId(), creditNote: digitsOrNumber(16) };
const PDF_FIELDS = { ...SHOW_FIELDS, out: requiredText(4096) };
const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;
const NOTE_OPTION = ["--credit-note <id>", "the credit note's id, which `nodal credit-note list` shows"] as const;

/** Adds `credit-note` and its subcommands. */
export function registerCreditNote(program: Command): void {
  const note = program.command("credit-note").description("take invoices back, in full or in part, and refund them");

  const create = note
    .command("create")
    .description("issue a credit note: it reduces what is due first, and the rest is owed back to the customer")
    .option(...MERCHANT_OPTION)
    .option("--invoice <id>", "the invoice's id, such as R000029148")
    .option("--amount <rupees>", "what to credit, tax included")
    .option("--full", "credit all that has not been credited yet, instead of an amount")
    .option("--reason <text>", "why, printed on the note")
    .option("--date <date>", "the note's date; default: today")
    .option("--refund", "pay what is owed back out at once, from the merchant's balance, to:");
  for (const [flags, description] of PAYEE_OPTIONS) create.option(flags, description);
  create
    .addHelpText(
      "after",
      example('nodal credit-note create --merchant 1000001 --invoice R000029148 --full --reason "Goods returned"'),
    )
    .action(onInstallation(readCreateOptions, createNew));

  const refund = note
    .command("refund")
    .description("pay out what a credit note owes back, or try again where the bank did not take it")
    .option(...MERCHANT_OPTION)
    .option(...NOTE_OPTION);
  for (const [flags, description] of PAYEE_OPTIONS) refund.option(flags, description);
  refund
    .addHelpText("after", example("nodal credit-note refund --merchant 1000001 --credit-note 1000412 --upi asha@upi"))
    .action(onInstallation(readRefundOptions, payBack));

  note
    .command("list")
    .description(`list a merchant's credit notes, newest first, at most ${LISTED}`)
    .option(...MERCHANT_OPTION)
    .addHelpText("after", example("nodal credit-note list --merchant 1000001"))
    .action(onInstallation(optionsOf({ merchant: merchantId() }), list));

  note
    .command("show")
    .description("show a credit note, and how its refund stands")
    .option(...MERCHANT_OPTION)
    .option(...NOTE_OPTION)
    .addHelpText("after", example("nodal credit-note show --merchant 1000001 --credit-note 1000412"))
    .action(onInstallation(optionsOf(SHOW_FIELDS), show));

  note
    .command("pdf")
    .description("write a credit note's PDF to a file")
    .option(...MERCHANT_OPTION)
    .option(...NOTE_OPTION)
    .option("--out <file>", "the file, which is replaced if it exists")
    .addHelpText("after", example("nodal credit-note pdf --merchant 1000001 --credit-note 1000412 --out note.pdf"))
    .action(onInstallation(optionsOf(PDF_FIELDS), pdf));
}

async function createNew(installation: Installation, options: CreateOptions): Promise<Answer> {
  const { pool, ids, config } = installation;
  const merchant = await requireMerchant(pool, options.merchant);
  const { payee, isRefunded, ...request } = options;
  const { invoiceId } = request;
  const refundTo = isRefunded ? await payeeOfInvoice(pool, merchant, invoiceId, payee!) : null;
  const parts = { pool, ids, payRefund: refundPayer(config, ids) };
  const { note, invoice, refund } = await issueCreditNote(parts, merchant, { ...request, refundTo });
  const json = await describeAfterBank(installation, merchant, note, refund !== null && "transferId" in refund);
  const sentence = refund && "refusal" in refund ? `${whyOwed(refund.refusal)}\n\n` : "";
  const after = {
    invoice_status: invoice.status,
    paid_amount: formatPaise(invoice.paidPaise),
    due_amount: formatPaise(dueOf(invoice)),
  };
  return { json: { ...json, ...after }, text: `${sentence}${formatRecord({ ...json, ...after })}` };
}

function whyOwed({ code, message }: NodalError): string {
  return code === "insufficient_balance"
    ? "The available balance does not cover the refund, which stays owed: add funds, then `nodal credit-note refund`."
    : `The refund stays owed: ${message}`;
}

async function payBack(installation: Installation, options: RefundOptions): Promise<Answer> {
  const { pool, ids, config } = installation;
  const merchant = await requireMerchant(pool, options.merchant);
  const { note: before } = await find(installation, merchant, options.creditNoteId);
  const payee = options.payee && (await payeeOfInvoice(pool, merchant, before.invoiceId, options.payee));
  const parts = { pool, ids, payRefund: refundPayer(config, ids) };
  const note = await refundCreditNote(parts, merchant, before.creditNoteId, payee);
  const json = await describeAfterBank(installation, merchant, note, true);
  return { json, text: formatRecord(json) };
}

async function list({ pool }: Installation, options: MerchantOption): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const notes = await listCreditNotes(pool, merchant, LISTED);
  const invoices = await findInvoices(pool, merchant, [...new Set(notes.map((note) => note.invoiceId))]);
  const byId = new Map(invoices.map((invoice) => [invoice.invoiceId, invoice]));
  const json = notes.map((note) => describe(note, byId.get(note.invoiceId)!, merchant));
  const rows = json.map((record) => ({
    credit_note_id: record.credit_note_id,
    credit_note_number: record.credit_note_number,
    credit_note_date: record.credit_note_date,
    invoice_number: record.invoice_number,
    amount: record.amount,
    refund: record.refund,
    refund_owed: record.refund_owed,
    refund_status: record.refund_status,
  }));
  return { json, text: formatTable(rows, "This merchant has issued no credit note.") };
}

async function show(installation: Installation, options: Values<typeof SHOW_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(installation.pool, options.merchant);
  const { note, invoice } = await find(installation, merchant, BigInt(options.creditNote));
  const entries = describe(note, invoice, merchant);
  const taxes = note.content.taxes.map((tax) => ({ name: tax.name, amount: formatPaise(tax.amountPaise) }));
  const tables = taxes.length > 0 ? `\n\n${formatTable(taxes, "")}` : "";
  return { json: { ...entries, tax_rows: taxes }, text: `${formatRecord(entries)}${tables}` };
}

async function pdf(installation: Installation, options: Values<typeof PDF_FIELDS>): Promise<Answer> {
  const { pool, config } = installation;
  const merchant = await requireMerchant(pool, options.merchant);
  const { note, invoice } = await find(installation, merchant, BigInt(options.creditNote));
  const document = buildCreditNoteDocument(note, await readSources(pool, invoice, linksOf(config)));
  const json = { file: options.out, bytes: await writePdf(config, merchant, document, options.out) };
  return { json, text: formatRecord(json) };
}

/** @throws NodalError `credit_note_not_found` */
async function find(
  { pool }: Installation,
  { bucket, merchantId: owner }: Merchant,
  creditNoteId: bigint,
): Promise<{ note: CreditNote; invoice: Invoice }> {
  const note = await findCreditNote(pool, { bucket, merchantId: owner, creditNoteId });
  if (!note) throw creditNoteNotFound();
  const invoice = await findInvoice(pool, { bucket, merchantId: owner, invoiceId: note.invoiceId });
  return { note, invoice: invoice! };
}

/** A note as it stands, once the bank has had its say on a transfer that was just asked for. */
async function describeAfterBank(
  installation: Installation,
  merchant: Merchant,
  note: CreditNote,
  isUnderWay: boolean,
) {
  const { pool, config } = installation;
  if (isUnderWay) await awaitBank(pool, merchant, note.refund.lastTransferId!, config.TRANSFER_WAIT_MS);
  const found = await find(installation, merchant, note.creditNoteId);
  return describe(found.note, found.invoice, merchant);
}

function describe(note: CreditNote, invoice: Invoice, { timeZone }: Merchant) {
  const { lastTransferId, refundedPaise } = note.refund;
  return {
    credit_note_id: String(note.creditNoteId),
    credit_note_number: note.creditNoteNumber,
    credit_note_date: note.noteDate.toString(),
    invoice_id: formatInvoiceId(note.invoiceId),
    invoice_number: invoice.invoiceNumber,
    invoice_date: invoice.billDate.toString(),
    amount: formatPaise(note.amountPaise),
    taxable: formatPaise(note.taxablePaise),
    tax: formatPaise(note.taxPaise),
    reduces_due: formatPaise(note.reducesDuePaise),
    refund: formatPaise(note.refundPaise),
    refunded: formatPaise(refundedPaise),
    refund_owed: formatPaise(owedOf(note)),
    refund_status: refundStatus(note),
    refund_transfer_id: lastTransferId === null ? null : String(lastTransferId),
    reason: note.reason,
    created_at: formatTimestamp(note.createdAt, timeZone),
  };
}

function refundStatus(note: CreditNote): string {
  if (note.refundPaise === 0n) return "none";
  if (owedOf(note) > 0n) return "owed";
  return note.refund.underWayPaise > 0n ? "under way" : "refunded";
}
