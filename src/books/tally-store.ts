// The vouchers of a period for Tally: the postings of billing, folded into one voucher for each document and payment.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { STATES } from "../platform/indian-states.ts";
import { formatThousandths } from "../platform/money.ts";
import { BOOK_ACCOUNTS, columnOf, type BookAccount } from "./chart.ts";
import type { TallyLedger, TallyLine, TallyVoucher } from "./tally.ts";

type Period = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };

/** The account of a customer's dues from a voucher: all of it is on the customer's ledger. */
const OF_PARTY: ReadonlySet<BookAccount> = new Set<BookAccount>(["receivable", "advances", "refunds_payable"]);
/** Revenue is split by rate. */
const OTHERS = BOOK_ACCOUNTS.filter((account) => !OF_PARTY.has(account) && account !== "revenue");

/** The ledgers of accounts, with their groups, and the heads of taxes. */
const LEDGERS: Readonly<Partial<Record<BookAccount, Omit<TallyLedger, "gstin">>>> = {
  bank: { name: "Nodal Bank", parent: "Bank Accounts", dutyHead: "" },
  cash: { name: "Cash", parent: "Cash-in-Hand", dutyHead: "" },
  tds_receivable: { name: "TDS Receivable", parent: "Loans & Advances (Asset)", dutyHead: "" },
  advance_tax: { name: "GST on Advances", parent: "Loans & Advances (Asset)", dutyHead: "" },
  output_cgst: { name: "Output CGST", parent: "Duties & Taxes", dutyHead: "CGST" },
  output_sgst: { name: "Output SGST", parent: "Duties & Taxes", dutyHead: "SGST/UTGST" },
  output_utgst: { name: "Output UTGST", parent: "Duties & Taxes", dutyHead: "SGST/UTGST" },
  output_igst: { name: "Output IGST", parent: "Duties & Taxes", dutyHead: "IGST" },
  output_cess: { name: "Output Cess", parent: "Duties & Taxes", dutyHead: "Cess" },
  output_other: { name: "Other Taxes", parent: "Duties & Taxes", dutyHead: "" },
  rounding: { name: "Round Off", parent: "Indirect Expenses", dutyHead: "" },
  opening_balances: { name: "Opening Dues", parent: "Suspense A/c", dutyHead: "" },
  written_off: { name: "Written Off", parent: "Indirect Expenses", dutyHead: "" },
};

/** The tax treatment of a document, in the names of sales ledgers. */
const PLACES: Readonly<Record<string, string>> = {
  intra_state: "Intra",
  intra_union_territory: "Intra",
  inter_state: "Inter",
  zero_rated: "Zero Rated",
  untaxed: "Untaxed",
};
const STATE_NAMES = new Map(STATES.map(({ code, name }) => [code, name]));

/** One voucher: its kind, the document or payment, its day. Cancellations are merged with their documents, to zero. */
const KIND = `case
    when event in ('revision', 'cancellation', 'shift') then 'invoice'
    when event in ('credit_note', 'credit_note_cancellation') then 'credit-note'
    when event = 'settlement' then 'payment' else event end`;
const SUBJECT = "case when event in ('revision', 'cancellation', 'shift') then invoice_id else subject_id end";
const PARTY = "sum(receivable_paise + advances_paise + refunds_payable_paise)::bigint";
const PAGE = 500;

type Stored = Record<`${BookAccount}_paise`, bigint> & {
  kind: string;
  subject_id: bigint;
  invoice_id: bigint;
  entry_date: Temporal.PlainDate;
  party_paise: bigint;
  customer_code: string;
  customer_name: string;
  /** `null` for a receipt. */
  invoice_number: string | null;
  /** For a receipt, and its later events. */
  receipt_number: string | null;
  note_number: string | null;
  is_debit_note: boolean;
  reference: string;
  party_gstin: string | null;
  place_of_supply: string | null;
  supply: string | null;
  /** For each rate: thousandths of a percent, treatment, taxable value in paise. */
  rates: readonly string[] | null;
};

/** A page of the vouchers of a period, after a key. Revenue is split by the register's rates. */
const VOUCHERS_SQL = `with voucher as (
     select
       entry_date, invoice_id, ${KIND} as kind, ${SUBJECT} as subject_id, customer_id, ${PARTY} as party_paise,
       ${["receivable" as const, "revenue" as const, ...OTHERS].map((account) => `sum(${columnOf(account)})::bigint as ${columnOf(account)}`).join(", ")}
     from book_entry
     where bucket = $1 and merchant_id = $2 and entry_date between $3::date and $4::date
       and ($5::date is null or (entry_date, invoice_id) >= ($5::date, $6::bigint))
     group by 1, 2, 3, 4, 5
   )
   select
     voucher.*, customer_code, customer_name, invoice_number, credit_note_number as note_number, receipt_number,
     invoice.original_invoice_id is not null as is_debit_note, party_gstin, place_of_supply, supply,
     concat_ws(
       ' ', coalesce(refund.mode, receipt.mode, settlement.mode),
       nullif(coalesce(refund.bank_ref_no, receipt.bank_ref_no, settlement.bank_ref_no), ''),
       nullif(coalesce(refund.cheque_no, receipt.cheque_no, settlement.cheque_no), '')) as reference,
     case when document.is_supply and voucher.kind in ('invoice', 'credit-note') then (
       select array_agg(rate_thousandths || ' ' || treatment || ' ' || paise order by rate_thousandths, treatment)
       from (
         select rate_thousandths, treatment, sum(taxable_paise) as paise from unnest(document.lines) as line
         where line.line > 0 group by 1, 2
       ) as rate
     ) end as rates
   from voucher
   left join invoice on invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = voucher.invoice_id
   join customer on customer.bucket = $1 and customer.merchant_id = $2 and customer.customer_id = voucher.customer_id
   left join gst_document document on document.bucket = $1 and document.merchant_id = $2
     and document.document_id = case voucher.kind when 'credit-note' then voucher.subject_id else voucher.invoice_id end
     and document.is_current
   left join credit_note note on note.bucket = $1 and note.merchant_id = $2
     and note.credit_note_id = voucher.subject_id and voucher.kind = 'credit-note'
   left join settlement on settlement.bucket = $1 and settlement.merchant_id = $2
     and settlement.settlement_id = voucher.subject_id and voucher.kind in ('payment', 'reversal')
   left join receipt_refund refund on refund.bucket = $1 and refund.merchant_id = $2
     and refund.refund_id = voucher.subject_id and voucher.kind = 'receipt_refund'
   left join advance_tax tax on tax.bucket = $1 and tax.merchant_id = $2
     and tax.entry_id = voucher.subject_id and voucher.kind = 'advance_tax'
   left join receipt on receipt.bucket = $1 and receipt.merchant_id = $2
     and receipt.receipt_id = case when voucher.kind in ('receipt', 'receipt_reversal') then voucher.subject_id
       else coalesce(refund.receipt_id, tax.receipt_id, settlement.receipt_id) end
   where (party_paise <> 0 or (settlement.receipt_id is not null and receivable_paise <> 0) or revenue_paise <> 0 or ${OTHERS.map((account) => `${columnOf(account)} <> 0`).join(" or ")})
     and ($5::date is null or (voucher.entry_date, voucher.invoice_id, voucher.kind, voucher.subject_id) > ($5::date, $6::bigint, $7::text, $8::bigint))
   order by voucher.entry_date, voucher.invoice_id, voucher.kind, voucher.subject_id limit $9`;

/**
 * The vouchers of a period, in the order of days: invoices and debit notes, credit notes, payments, receipts and their use.
 * Cancelled ones sum to zero and are left out.
 */
export async function* walkTallyVouchers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { from, to }: Period,
): AsyncGenerator<TallyVoucher> {
  let after: readonly unknown[] = [null, null, null, null];
  for (;;) {
    const { rows } = await db.query<Stored>(VOUCHERS_SQL, [
      bucket,
      merchantId,
      from.toString(),
      to.toString(),
      ...after,
      PAGE,
    ]);
    for (const row of rows) yield voucherOf(merchantId, row);
    if (rows.length < PAGE) return;
    const last = rows.at(-1)!;
    after = [last.entry_date.toString(), last.invoice_id, last.kind, last.subject_id];
  }
}

function voucherOf(merchantId: bigint, row: Stored): TallyVoucher {
  const number = row.note_number ?? row.invoice_number ?? row.receipt_number ?? "";
  const isDocument = row.kind === "invoice" || row.kind === "credit-note" || row.kind === "receipt";
  return {
    remoteId: `nodal-${merchantId}-${row.kind}-${row.subject_id}`,
    type: typeOf(row),
    date: row.entry_date,
    number: isDocument ? number : String(row.subject_id),
    reference: row.kind === "credit-note" ? (row.invoice_number ?? "") : row.reference,
    narration: [number, row.reference].filter((text) => text !== "").join(" "),
    partyGstin: row.party_gstin ?? "",
    placeOfSupply: STATE_NAMES.get(row.place_of_supply ?? "") ?? "",
    ...partyOf(row),
  };
}

/** The party's line, and the others. Money that a receipt holds is a separate bill until an invoice uses it. */
function partyOf(row: Stored): Pick<TallyVoucher, "party" | "lines"> {
  const ledger = partyLedgerOf(row);
  const receipt = { name: row.receipt_number ?? "", type: row.kind === "receipt" ? "Advance" : "Agst Ref" } as const;
  const type = row.kind === "invoice" ? "New Ref" : "Agst Ref";
  const bill = row.invoice_number === null ? receipt : ({ name: row.invoice_number, type } as const);
  if (isUse(row)) {
    const debitPaise = row.receivable_paise;
    return { party: { ledger, debitPaise, bill }, lines: [{ ledger, debitPaise: -debitPaise, bill: receipt }] };
  }
  const others = OTHERS.flatMap((account): TallyLine[] => {
    const debitPaise = row[columnOf(account)];
    return debitPaise === 0n ? [] : [{ ledger: LEDGERS[account]!.name, debitPaise }];
  });
  return { party: { ledger, debitPaise: row.party_paise, bill }, lines: [...salesOf(row), ...others] };
}

/** Whether an invoice uses money of a receipt, or gives it back. */
function isUse({ kind, receipt_number: receipt }: Stored): boolean {
  return receipt !== null && (kind === "payment" || kind === "reversal");
}

/**
 * A journal may not contain the bank or cash: outgoing money is a payment. A receipt without money, such as a write-off, is a
 * journal.
 */
function typeOf(row: Stored): TallyVoucher["type"] {
  const { kind, is_debit_note: isDebitNote } = row;
  if (kind === "invoice") return isDebitNote ? "Debit Note" : "Sales";
  if (kind === "credit-note") return "Credit Note";
  if (isUse(row) || (row.bank_paise === 0n && row.cash_paise === 0n)) return "Journal";
  if (kind === "payment" || kind === "receipt") return "Receipt";
  return kind === "reversal" || kind === "receipt_reversal" || kind === "receipt_refund" ? "Payment" : "Journal";
}

/** The code distinguishes customers with the same name. */
function partyLedgerOf(row: Pick<Stored, "customer_code" | "customer_name">): string {
  return `${row.customer_name} (${row.customer_code})`;
}

/** Revenue by rate if the register's rows add up to it; else on one ledger. */
function salesOf(row: Stored): TallyLine[] {
  if (row.revenue_paise === 0n) return [];
  const sign = row.kind === "credit-note" ? 1n : -1n;
  const lines = (row.rates ?? []).map((said) => {
    const [rate = "0", treatment = "", paise = "0"] = said.split(" ");
    const percent =
      treatment === "taxable" ? `${formatThousandths(BigInt(rate))}%` : (TREATMENTS[treatment] ?? treatment);
    return { ledger: `Sales ${percent} ${PLACES[row.supply ?? ""] ?? ""}`.trim(), debitPaise: sign * BigInt(paise) };
  });
  const sumPaise = lines.reduce((sum, { debitPaise }) => sum + debitPaise, 0n);
  return sumPaise === row.revenue_paise
    ? lines.filter(({ debitPaise }) => debitPaise !== 0n)
    : [{ ledger: "Sales", debitPaise: row.revenue_paise }];
}

const TREATMENTS: Readonly<Record<string, string>> = { nil: "Nil Rated", exempt: "Exempt", non_gst: "Non-GST" };

/** The ledgers of these vouchers, each once, in the order of appearance. */
export async function* ledgersOf(vouchers: AsyncIterable<TallyVoucher>): AsyncGenerator<TallyLedger> {
  const fixed = new Map(Object.values(LEDGERS).map((ledger) => [ledger.name, ledger]));
  const seen = new Set<string>();
  for await (const { party, partyGstin, lines } of vouchers) {
    const customer = { name: party.ledger, parent: "Sundry Debtors", gstin: partyGstin, dutyHead: "" };
    const others = lines.map(({ ledger: name }) => {
      return { gstin: "", ...(fixed.get(name) ?? { name, parent: "Sales Accounts", dutyHead: "" }) };
    });
    for (const ledger of [customer, ...others]) {
      if (seen.has(ledger.name)) continue;
      seen.add(ledger.name);
      yield ledger;
    }
  }
}
