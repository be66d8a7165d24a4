// SQL of the reports on the books of billing: trial balance, receivables by age, a customer's account, and the day book.
import { findFirstEntry } from "../ledger/index.ts";
import type { Merchant, MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { BOOK_ACCOUNTS, BOOK_CHART, columnOf, type AccountKind, type Amounts, type BookAccount } from "./chart.ts";

type Clock = MerchantKey & Pick<Merchant, "timeZone">;

/** An account in a trial balance, in paise: positive for a debit balance, negative for a credit balance. */
export type TrialRow = {
  readonly code: string;
  readonly account: string;
  readonly title: string;
  readonly kind: AccountKind;
  readonly balancePaise: bigint;
};

/** Accounts from the payout ledger: docs/accounts.md */
const LEDGER_CHART = [
  { name: "commission_settled", code: "1250", title: "Commission paid", kind: "asset" },
  { name: "payouts", code: "1260", title: "Paid through payouts", kind: "asset" },
  { name: "commission_payable", code: "2400", title: "Commission payable", kind: "liability" },
  { name: "commission_expense", code: "5200", title: "Commission", kind: "expense" },
] as const satisfies readonly { name: string; code: string; title: string; kind: AccountKind }[];

/** The balance of every account at the end of a day, in the order of their codes. They add up to 0. */
export async function readTrialBalance(db: Queryable, merchant: Clock, asOf: Temporal.PlainDate): Promise<TrialRow[]> {
  const { bucket, merchantId } = merchant;
  const sums = BOOK_ACCOUNTS.map((account) => `coalesce(sum(${columnOf(account)}), 0)::text as ${account}`).join(", ");
  const { rows } = await db.query<Record<BookAccount, string>>(
    `select ${sums} from book_day where bucket = $1 and merchant_id = $2 and day <= $3::date`,
    [bucket, merchantId, asOf.toString()],
  );
  const refundedPaise = await readRefunded(db, merchant, asOf);
  const commission = await readCommission(db, merchant, asOf);
  const own = BOOK_CHART.map(({ name, ...account }) => {
    const postedPaise = BigInt(rows[0]![name]);
    return { ...account, account: name, balancePaise: postedPaise + (name === "refunds_payable" ? refundedPaise : 0n) };
  });
  const ofLedger = LEDGER_CHART.map(({ name, ...account }) => {
    const balancePaise = name === "payouts" ? -refundedPaise : (commission.get(name) ?? 0n);
    return { ...account, account: name, balancePaise };
  });
  return [...own, ...ofLedger].toSorted((a, b) => (a.code < b.code ? -1 : 1));
}

/** The end of a day in the merchant's time zone. */
function endOf(day: Temporal.PlainDate, { timeZone }: Pick<Merchant, "timeZone">): Temporal.Instant {
  return day.add({ days: 1 }).toZonedDateTime(timeZone).toInstant();
}

/** Refunds of credit notes that were paid out and not returned, by the entries of the payout ledger. */
const REFUNDS = `
  select note.invoice_id, posting.created_at,
    case posting.kind when 'reversed' then -posting.amount_paise else posting.amount_paise end as amount_paise
  from credit_note_refund refund
  join credit_note note using (bucket, merchant_id, credit_note_id)
  join journal posting on posting.bucket = refund.bucket and posting.merchant_id = refund.merchant_id
    and posting.subject_id = refund.transfer_id
    and posting.kind in ('success', 'late_success', 'late_success_unfunded', 'reversed')
  where refund.bucket = $1 and refund.merchant_id = $2 and posting.bucket = $1`;

async function readRefunded(db: Queryable, merchant: Clock, asOf: Temporal.PlainDate): Promise<bigint> {
  const { rows } = await db.query<{ paise: string }>(
    `select coalesce(sum(amount_paise), 0)::text as paise from (${REFUNDS}) as refunded where created_at < $3`,
    [merchant.bucket, merchant.merchantId, endOf(asOf, merchant).toString()],
  );
  return BigInt(rows[0]!.paise);
}

/** The balances of commission: the current ones, less later postings. */
async function readCommission(db: Queryable, merchant: Clock, asOf: Temporal.PlainDate): Promise<Map<string, bigint>> {
  const { bucket, merchantId } = merchant;
  const first = await findFirstEntry(db, merchant, endOf(asOf, merchant));
  const { rows } = await db.query<{ kind: string; paise: string }>(
    `select kind, sum(balance)::text as paise
     from (
       select kind, balance from ledger_account where bucket = $1 and merchant_id = $2
       union all
       select credit_kind, -amount_paise from journal
       where bucket = $1 and merchant_id = $2 and entry_no >= $3 and kind is not null
       union all
       select debit_kind, amount_paise from journal
       where bucket = $1 and merchant_id = $2 and entry_no >= $3 and kind is not null
     ) as moved
     where kind like 'commission%' group by kind`,
    [bucket, merchantId, first],
  );
  // The ledger's balances are credits less debits.
  return new Map(rows.map(({ kind, paise }) => [kind, -BigInt(paise)]));
}

/** A line of a customer's account. A positive `deltaPaise` increases the customer's dues. */
export type StatementLine = {
  readonly day: Temporal.PlainDate;
  readonly event: string;
  readonly invoiceId: bigint;
  /** The number of the invoice, of the credit note, or of the receipt. */
  readonly number: string;
  /** How it was paid, with the bank's reference; empty for other lines. */
  readonly reference: string;
  readonly deltaPaise: bigint;
};

/** The lines of the invoices of a customer, $3. `delta` is the change of the customer's dues by a posting. */
function linesOf(delta: string, condition: string): string {
  return `
  select
    entry_date as day, entry.created_at, event, entry.invoice_id, invoice_number as number, subject_id, ${delta} as delta
  from invoice
  join book_entry entry on entry.bucket = $1 and entry.merchant_id = $2 and entry.invoice_id = invoice.invoice_id
  where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.customer_id = $3 ${condition} and ${delta} <> 0
  union all
  select
    (refunded.created_at at time zone $4)::date, refunded.created_at, 'refund', refunded.invoice_id, invoice.invoice_number,
    0, refunded.amount_paise
  from (${REFUNDS}) as refunded
  join invoice on invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = refunded.invoice_id
  where invoice.customer_id = $3 ${condition}`;
}

/** All lines of a customer, from invoices and from receipts. */
const OF_CUSTOMER = `${linesOf("receivable_paise + advances_paise + refunds_payable_paise", "")}  union all
  select entry_date, created_at, event, 0, '', subject_id, advances_paise
  from book_entry
  where bucket = $1 and merchant_id = $2 and customer_id = $3 and invoice_id = 0 and advances_paise <> 0`;

/**
 * The same of a franchise's invoices, $5. It has no receipts: the use of one is a payment here, and so is a part of a payment
 * that settles another invoice.
 */
const OF_FRANCHISE = linesOf("receivable_paise + refunds_payable_paise", "and invoice.franchise_id = $5");

/** The mode of a payment or refund, with the bank's reference. */
const REFERENCE = `coalesce(concat_ws(
         ' ', coalesce(settlement.mode, refund.mode, receipt.mode),
         nullif(coalesce(settlement.bank_ref_no, refund.bank_ref_no, receipt.bank_ref_no), ''),
         nullif(coalesce(settlement.cheque_no, refund.cheque_no, receipt.cheque_no), '')), '')`;

/** The receipt of a posting, and its refund. */
const joinReceipt = (posting: string): string => `
     left join receipt_refund refund on refund.bucket = $1 and refund.merchant_id = $2
       and refund.refund_id = ${posting}.subject_id and ${posting}.event = 'receipt_refund'
     left join advance_tax tax on tax.bucket = $1 and tax.merchant_id = $2
       and tax.entry_id = ${posting}.subject_id and ${posting}.event = 'advance_tax'
     left join receipt on receipt.bucket = $1 and receipt.merchant_id = $2
       and receipt.receipt_id = case
         when ${posting}.event = 'receipt_refund' then refund.receipt_id
         when ${posting}.event = 'advance_tax' then tax.receipt_id
         when ${posting}.event in ('receipt', 'receipt_reversal') then ${posting}.subject_id end`;

/** Of all invoices and receipts of a customer, or of a franchise's invoices alone. */
export type StatementOf = { readonly customerId: bigint; readonly franchiseId: bigint | null };

/** A customer's dues at the beginning of a period, in paise, and the period's lines, by date. */
export async function readCustomerStatement(
  db: Queryable,
  { bucket, merchantId, timeZone }: Clock,
  { customerId, franchiseId }: StatementOf,
  { from, to }: { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate },
): Promise<{ readonly openingPaise: bigint; readonly lines: StatementLine[] }> {
  const key = [bucket, merchantId, customerId, timeZone, ...(franchiseId === null ? [] : [franchiseId])];
  const all = franchiseId === null ? OF_CUSTOMER : OF_FRANCHISE;
  const [first, last] = [`$${key.length + 1}::date`, `$${key.length + 2}::date`];
  const { rows: before } = await db.query<{ paise: string }>(
    `select coalesce(sum(delta), 0)::text as paise from (${all}) as line where day < ${first}`,
    [...key, from.toString()],
  );
  type Stored = {
    day: Temporal.PlainDate;
    event: string;
    invoice_id: bigint;
    number: string;
    reference: string;
    delta: bigint;
  };
  const { rows } = await db.query<Stored>(
    `select
       line.day, line.event, line.invoice_id, coalesce(credit_note_number, receipt_number, line.number) as number, line.delta,
       ${REFERENCE} as reference
     from (${all}) as line
     left join settlement on settlement.bucket = $1 and settlement.merchant_id = $2
       and settlement.settlement_id = line.subject_id and line.event in ('settlement', 'reversal')
     left join credit_note note on note.bucket = $1 and note.merchant_id = $2
       and note.credit_note_id = line.subject_id and line.event in ('credit_note', 'credit_note_cancellation')
     ${joinReceipt("line")}
     where line.day between ${first} and ${last}
     order by line.day, line.created_at, line.invoice_id, line.subject_id`,
    [...key, from.toString(), to.toString()],
  );
  const lines = rows.map((row) => ({
    day: row.day,
    event: row.event,
    invoiceId: row.invoice_id,
    number: row.number,
    reference: row.reference,
    deltaPaise: row.delta,
  }));
  return { openingPaise: BigInt(before[0]!.paise), lines };
}

/** A posting in the day book. */
export type DayBookRow = DayBookKey & {
  readonly customerCode: string;
  readonly customerName: string;
  /** The number of the invoice, of the credit note, or of the receipt. */
  readonly number: string;
  readonly reference: string;
  /** Whether it uses a receipt, or reverses a use: the money has a separate posting. */
  readonly usesReceipt: boolean;
  readonly amounts: Amounts;
};
/** The end of a page, and the key of a posting. */
export type DayBookKey = {
  readonly day: Temporal.PlainDate;
  readonly invoiceId: bigint;
  readonly subjectId: bigint;
  readonly event: string;
  readonly no: number;
  readonly part: number;
};

type StoredPosting = Record<`${BookAccount}_paise`, bigint> & {
  entry_date: Temporal.PlainDate;
  invoice_id: bigint;
  subject_id: bigint;
  event: string;
  no: number;
  part: number;
  customer_code: string;
  customer_name: string;
  number: string;
  reference: string;
  uses_receipt: boolean;
};

/** A page of all postings of some days, in the order of days. */
export async function readDayBook(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { from, to }: { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate },
  { after, limit }: { readonly after: DayBookKey | null; readonly limit: number },
): Promise<DayBookRow[]> {
  const place = "entry_date, invoice_id, subject_id, event, no, part";
  const { rows } = await db.query<StoredPosting>(
    `select
       entry.*, customer_code, customer_name, coalesce(credit_note_number, receipt_number, invoice_number) as number,
       ${REFERENCE} as reference, settlement.receipt_id is not null as uses_receipt
     from (
       select * from book_entry
       where bucket = $1 and merchant_id = $2 and entry_date between $3::date and $4::date
         and ($5::date is null or (${place}) > ($5::date, $6::bigint, $7::bigint, $8::text, $9::integer, $10::smallint))
       order by ${place} limit $11
     ) as entry
     left join invoice on invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = entry.invoice_id
     join customer on customer.bucket = $1 and customer.merchant_id = $2 and customer.customer_id = entry.customer_id
     left join settlement on settlement.bucket = $1 and settlement.merchant_id = $2
       and settlement.settlement_id = entry.subject_id and event in ('settlement', 'reversal')
     left join credit_note note on note.bucket = $1 and note.merchant_id = $2
       and note.credit_note_id = entry.subject_id and event in ('credit_note', 'credit_note_cancellation')
     ${joinReceipt("entry")}
     order by entry.entry_date, entry.invoice_id, entry.subject_id, entry.event, entry.no, entry.part`,
    [
      bucket,
      merchantId,
      from.toString(),
      to.toString(),
      after?.day.toString() ?? null,
      after?.invoiceId ?? null,
      after?.subjectId ?? null,
      after?.event ?? null,
      after?.no ?? null,
      after?.part ?? null,
      limit,
    ],
  );
  return rows.map(toDayBookRow);
}

function toDayBookRow(row: StoredPosting): DayBookRow {
  return {
    day: row.entry_date,
    invoiceId: row.invoice_id,
    subjectId: row.subject_id,
    event: row.event,
    no: row.no,
    part: row.part,
    customerCode: row.customer_code,
    customerName: row.customer_name,
    number: row.number,
    reference: row.reference,
    usesReceipt: row.uses_receipt,
    amounts: new Map(
      BOOK_ACCOUNTS.flatMap((account) => {
        const paise = row[columnOf(account)];
        return paise === 0n ? [] : [[account, paise] as const];
      }),
    ),
  };
}
