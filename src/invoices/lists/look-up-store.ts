// SQL of a quick search for invoices, payments and credit notes: by the beginning of a number, and among the newest. Each statement
// reads a limited number of rows, with any data.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { numberKey } from "../numbers/number-series.ts";

/** How many rows a statement reads, and how many it returns. */
type Bounds = { readonly steps: number; readonly limit: number };
/** The search: a part of a number or reference, in any case, or an amount. */
type Wanted = { readonly text: string; readonly amountPaise: bigint | null };

/** The invoices whose number begins with the text, in any case: at most `limit` for each of these years. */
export async function findIdsByBeginning(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  text: string,
  years: readonly number[],
  limit: number,
): Promise<bigint[]> {
  const beginning = numberKey(text);
  const { rows } = await db.query<{ invoice_id: bigint }>({
    name: "find-invoices-by-beginning",
    // In the C collation, texts with this prefix lie between it and the prefix followed by the last of all characters.
    text: `select found.invoice_id
      from unnest($3::smallint[]) as searched (financial_year)
      cross join lateral (
        select invoice_id from invoice
        where bucket = $1 and merchant_id = $2 and financial_year = searched.financial_year
          and number_key >= $4 and number_key < $4 || U&'\\+10FFFF'
        order by number_key desc
        limit $5
      ) as found`,
    values: [bucket, merchantId, years, beginning, limit],
  });
  return rows.map((row) => row.invoice_id);
}

/** The matches among the newest invoices by bill date; the newest first. */
export async function findInvoicesAmongNewest(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { text, amountPaise }: Wanted,
  { steps, limit }: Bounds,
): Promise<bigint[]> {
  const { rows } = await db.query<{ invoice_id: bigint }>({
    name: "find-invoices-among-newest",
    text: `select invoice_id
      from (
        select invoice_id, bill_date, number_key, amount_paise from invoice
        where bucket = $1 and merchant_id = $2
        order by bill_date desc, invoice_id desc
        limit $3
      ) as newest
      where strpos(number_key, $4) > 0 or amount_paise = $5
      order by bill_date desc, invoice_id desc
      limit $6`,
    values: [bucket, merchantId, steps, numberKey(text), amountPaise, limit],
  });
  return rows.map((row) => row.invoice_id);
}

/** The credit notes with any of these whole numbers. */
export async function findNotesByNumbers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  numbers: readonly string[],
  years: readonly number[],
): Promise<bigint[]> {
  const { rows } = await db.query<{ credit_note_id: bigint }>({
    name: "find-credit-notes-by-number",
    text: `select credit_note_id from credit_note
      where bucket = $1 and merchant_id = $2 and financial_year = any ($3::smallint[])
        and credit_note_number = any ($4)
      order by credit_note_id desc`,
    values: [bucket, merchantId, years, numbers],
  });
  return rows.map((row) => row.credit_note_id);
}

/**
 * The matches among the newest payments, without reversed ones: with the text in the bank's reference or cheque number, or with
 * that amount.
 */
export async function findPaymentsAmongNewest(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { text, amountPaise }: Wanted,
  { steps, limit }: Bounds,
): Promise<bigint[]> {
  const { rows } = await db.query<{ settlement_id: bigint }>({
    name: "find-payments-among-newest",
    text: `select settlement_id
      from (
        select settlement_id, bank_ref_no, cheque_no, amount_paise, via_settlement_id, reversed_at from settlement
        where bucket = $1 and merchant_id = $2
        order by settlement_id desc
        limit $3
      ) as newest
      where via_settlement_id is null and reversed_at is null
        and (strpos(upper(bank_ref_no), $4) > 0 or strpos(upper(cheque_no), $4) > 0 or amount_paise = $5)
      order by settlement_id desc
      limit $6`,
    values: [bucket, merchantId, steps, text.toUpperCase(), amountPaise, limit],
  });
  return rows.map((row) => row.settlement_id);
}
