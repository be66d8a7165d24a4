import type { Merchant, MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { documentFacts, type DocumentKind } from "../document-kind.ts";
import type { HeadAmounts } from "../gst-row.ts";
import type { ProblemCode } from "./gst-document.ts";

/** Documents dated from one day to another, both included. */
export type Period = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };
/** The end of a page: the last row's date and document. */
export type RegisterKey = { readonly day: Temporal.PlainDate; readonly id: bigint };

/** Taxable value and taxes in paise. Credit notes are subtracted. */
export type TaxSums = HeadAmounts & {
  readonly taxablePaise: bigint;
  /** Taxes whose names are not GST's. */
  readonly otherPaise: bigint;
};

/** A document of the sales register. Amounts of credit notes are negative. */
export type RegisterRow = TaxSums & {
  readonly documentId: bigint;
  /** The invoice or debit note, or the credit note's invoice. */
  readonly invoiceId: bigint;
  readonly kind: string;
  readonly documentNumber: string;
  readonly documentDate: Temporal.PlainDate;
  readonly partyName: string;
  readonly partyGstin: string;
  readonly placeOfSupply: string;
  readonly supplyType: string;
  readonly reverseCharge: boolean;
  /** The GSTIN of the platform that it was sold through; empty for none. */
  readonly ecommerceGstin: string;
  /** The shipping bill of an export of goods; empty until it is known. */
  readonly shippingBillNumber: string;
  readonly shippingBillDate: string;
  readonly portCode: string;
  /** The round-off of the total: it is not taxed. */
  readonly roundOffPaise: bigint;
  readonly valuePaise: bigint;
  /** The number and date of a note's invoice; empty for others. */
  readonly originalNumber: string;
  readonly originalDate: Temporal.PlainDate | null;
};

export type RateRow = TaxSums & { readonly treatment: string; readonly rateThousandths: bigint };
export type HsnRow = TaxSums & {
  /** `b2b` for recipients with a GSTIN, else `b2c`. */
  readonly section: string;
  readonly hsn: string;
  readonly description: string;
  readonly uqc: string;
  readonly rateThousandths: bigint;
  readonly quantityThousandths: bigint;
};

/** A run of numbers of a series without a gap. */
export type NumberRun = {
  readonly kind: "invoice" | "credit_note" | "debit_note" | "receipt_voucher" | "refund_voucher";
  /** The text of the numbers before their digits. */
  readonly prefix: string;
  readonly from: string;
  readonly to: string;
  /** The digits of `from` and `to`; `null` for a number that doesn't end with digits. */
  readonly fromValue: bigint | null;
  readonly toValue: bigint | null;
  readonly documents: number;
  readonly cancelled: number;
};

export type ProblemKey = RegisterKey & { readonly line: number; readonly code: string };
export type ProblemRow = {
  readonly documentId: bigint;
  /** The invoice or debit note, or the credit note's invoice. */
  readonly invoiceId: bigint;
  readonly kind: string;
  readonly documentNumber: string;
  readonly documentDate: Temporal.PlainDate;
  readonly partyName: string;
  readonly line: number;
  readonly code: ProblemCode;
};

const AMOUNTS = ["taxable", "igst", "cgst", "sgst", "cess", "other"] as const;
const SIGN = "case document.kind when 'credit_note' then -1 else 1 end";
const SUMS = AMOUNTS.map((name) => `coalesce(sum(sign * line.${name}_paise), 0)::text as ${name}_paise`).join(", ");

/** The charges of a row: its taxable value and, unless the recipient pays them, its taxes. */
const CHARGED_LINE = `sign * (line.taxable_paise + case when document.reverse_charge then 0 else
  line.igst_paise + line.cgst_paise + line.sgst_paise + line.cess_paise + line.other_paise end)`;
/** A column of a note's invoice. */
const ofOriginal = (column: string): string => `(
  select original.${column} from gst_document original
  where original.bucket = $1 and original.merchant_id = $2 and original.document_id = document.original_document_id
    and original.is_current
)`;

/** The current documents of a period: $1 and $2 are the merchant's key, $3 and $4 the days. */
const IN_PERIOD = `document.bucket = $1 and document.merchant_id = $2 and document.is_current
    and document.document_date between $3::date and $4::date`;
const REPORTED = `${IN_PERIOD} and document.is_supply and document.cancelled_at is null`;
const REPORTED_LINES = `
  from (select *, ${SIGN} as sign from gst_document document where ${REPORTED}) as document
  cross join unnest(document.lines) as line`;

type SumsRow = { readonly [Name in (typeof AMOUNTS)[number] as `${Name}_paise`]: string };

function sumsOf(row: SumsRow): TaxSums {
  return {
    taxablePaise: BigInt(row.taxable_paise),
    igstPaise: BigInt(row.igst_paise),
    cgstPaise: BigInt(row.cgst_paise),
    sgstPaise: BigInt(row.sgst_paise),
    cessPaise: BigInt(row.cess_paise),
    otherPaise: BigInt(row.other_paise),
  };
}

function keyOf({ bucket, merchantId }: MerchantKey, { from, to }: Period): unknown[] {
  return [bucket, merchantId, from.toString(), to.toString()];
}

type StoredDocument = SumsRow & {
  readonly document_id: bigint;
  readonly original_document_id: bigint | null;
  readonly kind: DocumentKind;
  readonly document_number: string;
  readonly document_date: Temporal.PlainDate;
  readonly party_name: string;
  readonly party_gstin: string;
  readonly place_of_supply: string;
  readonly supply_type: string;
  readonly reverse_charge: boolean;
  readonly ecommerce_gstin: string;
  readonly shipping_bill_number: string;
  readonly shipping_bill_date: string;
  readonly port_code: string;
  readonly value_paise: bigint;
  readonly charged_paise: string;
  readonly original_number: string | null;
  readonly original_date: Temporal.PlainDate | null;
};

/** The invoice linked in a report's row: for a debit note, the note itself. */
function invoiceOf(row: Pick<StoredDocument, "document_id" | "original_document_id" | "kind">): bigint {
  return documentFacts(row.kind).isPayable ? row.document_id : (row.original_document_id ?? row.document_id);
}

/** A page of the sales register, in the order of dates. */
export async function readSalesRegister(
  db: Queryable,
  merchant: MerchantKey,
  period: Period,
  { after, limit }: { readonly after: RegisterKey | null; readonly limit: number },
): Promise<RegisterRow[]> {
  const values = [...keyOf(merchant, period), after?.day.toString() ?? null, after?.id ?? null, limit];
  const { rows } = await db.query<StoredDocument>(
    `select
       document_id, original_document_id, kind, document_number, document_date, party_name, party_gstin, place_of_supply,
       supply_type, reverse_charge, ecommerce_gstin, shipping_bill_number, shipping_bill_date, port_code, sign * value_paise as value_paise, sums.*,
       ${ofOriginal("document_number")} as original_number, ${ofOriginal("document_date")} as original_date
     from (
       select *, ${SIGN} as sign from gst_document document
       where document.bucket = $1 and ${REPORTED} and ($5::date is null or (document_date, document_id) > ($5::date, $6::bigint))
       order by document_date, document_id limit $7
     ) as document
     cross join lateral (
       select ${SUMS}, coalesce(sum(${CHARGED_LINE}), 0) as charged_paise from unnest(document.lines) as line
     ) as sums
     order by document_date, document_id`,
    values,
  );
  return rows.map((row) => ({
    documentId: row.document_id,
    invoiceId: invoiceOf(row),
    kind: row.kind,
    documentNumber: row.document_number,
    documentDate: row.document_date,
    partyName: row.party_name,
    partyGstin: row.party_gstin,
    placeOfSupply: row.place_of_supply,
    supplyType: row.supply_type,
    reverseCharge: row.reverse_charge,
    ecommerceGstin: row.ecommerce_gstin,
    shippingBillNumber: row.shipping_bill_number,
    shippingBillDate: row.shipping_bill_date,
    portCode: row.port_code,
    roundOffPaise: BigInt(row.value_paise) - BigInt(row.charged_paise),
    valuePaise: BigInt(row.value_paise),
    originalNumber: row.original_number ?? "",
    originalDate: row.original_date,
    ...sumsOf(row),
  }));
}

/** The number and sums of documents in the sales register of a period. */
export async function sumSalesRegister(
  db: Queryable,
  merchant: MerchantKey,
  period: Period,
): Promise<TaxSums & { readonly documents: number; readonly roundOffPaise: bigint; readonly valuePaise: bigint }> {
  const values = keyOf(merchant, period);
  const { rows: sums } = await db.query<SumsRow & { charged_paise: string }>(
    `select ${SUMS}, coalesce(sum(${CHARGED_LINE}), 0)::text as charged_paise ${REPORTED_LINES}`,
    values,
  );
  const { rows: counts } = await db.query<{ documents: bigint; value_paise: string }>(
    `select count(*) as documents, coalesce(sum(${SIGN} * value_paise), 0)::text as value_paise
     from gst_document document where document.bucket = $1 and ${REPORTED}`,
    values,
  );
  const valuePaise = BigInt(counts[0]!.value_paise);
  const roundOffPaise = valuePaise - BigInt(sums[0]!.charged_paise);
  return { ...sumsOf(sums[0]!), documents: Number(counts[0]!.documents), roundOffPaise, valuePaise };
}

/**
 * The section of a row in a return: GSTR-3B has supplies to an SEZ and exports separately (3.1(b)), and 3.1(a) has no tax that the
 * recipient pays.
 */
const TREATMENT = `case
  when treatment <> 'taxable' then treatment
  when reverse_charge then 'reverse_charge'
  when supply_type like 'sez%' or supply_type like 'export%' then 'zero_rated'
  else treatment end`;

/** Taxed values at each rate: by the merchant, under reverse charge, and for SEZ supplies and exports. */
export async function readTaxSummary(db: Queryable, merchant: MerchantKey, period: Period): Promise<RateRow[]> {
  const { rows } = await db.query<SumsRow & { treatment: string; rate_thousandths: bigint }>(
    `select ${TREATMENT} as treatment, rate_thousandths, ${SUMS} ${REPORTED_LINES}
     group by 1, rate_thousandths
     order by ${TREATMENT} = 'untied', ${TREATMENT} <> 'taxable', 1, rate_thousandths`,
    keyOf(merchant, period),
  );
  return rows.map((row) => ({ treatment: row.treatment, rateThousandths: row.rate_thousandths, ...sumsOf(row) }));
}

/** Sales of each HSN, to registered recipients and to others. */
export async function readHsnSummary(db: Queryable, merchant: MerchantKey, period: Period): Promise<HsnRow[]> {
  type Stored = SumsRow & {
    section: string;
    hsn: string;
    description: string;
    uqc: string;
    rate_thousandths: bigint;
    quantity: string;
  };
  const { rows } = await db.query<Stored>(
    `select
       case party_gstin when '' then 'b2c' else 'b2b' end as section, hsn, min(line.description) as description, uqc,
       rate_thousandths, coalesce(sum(sign * quantity_thousandths), 0)::text as quantity, ${SUMS} ${REPORTED_LINES}
     group by 1, hsn, uqc, rate_thousandths order by 1, hsn, uqc, rate_thousandths`,
    keyOf(merchant, period),
  );
  return rows.map((row) => ({
    section: row.section,
    hsn: row.hsn,
    description: row.description,
    uqc: row.uqc,
    rateThousandths: row.rate_thousandths,
    quantityThousandths: BigInt(row.quantity),
    ...sumsOf(row),
  }));
}

/** Documents that have numbers: those of the register, and vouchers of advances, which are cancelled with their receipts. */
const NUMBERED = `(
      select kind, document_number, document_date, financial_year, series_id, cancelled_at
      from gst_document where bucket = $1 and merchant_id = $2 and is_current
      union all
      select kind, voucher_number, voucher_date, voucher.financial_year, voucher.series_id, reversed_at
      from advance_voucher voucher
      join receipt on receipt.bucket = $1 and receipt.merchant_id = $2 and receipt.receipt_id = voucher.receipt_id
      where voucher.bucket = $1 and voucher.merchant_id = $2
    )`;

/** Splits document numbers. One of a series is split after the series' prefix; any other before its last digits. */
const numbersWhere = (condition: string): string => `
  select
    kind, financial_year, document_number, cancelled_at, upper(left(document_number, prefix_length)) as prefix,
    nullif(substr(document_number, prefix_length + 1), '')::bigint as value
  from (
    select
      case when kind in ('credit_note', 'debit_note', 'receipt_voucher', 'refund_voucher') then kind else 'invoice' end as kind, document_number, cancelled_at,
      financial_year,
      coalesce(length(replace(series.prefix, '{FY}', 'YYYY')), length(regexp_replace(document_number, '[0-9]+$', '')))
        as prefix_length
    from ${NUMBERED} as document
    left join number_series series on series.bucket = $1 and series.merchant_id = $2
      and series.series_id = document.series_id
    where ${condition}
  ) as numbered`;

/**
 * The numbers of a period, cancelled ones too, as runs without a gap. A number in between that a document of another period has is
 * no gap, but it is not counted: table 13 of GSTR-1 asks for numbers that were never issued.
 */
export async function readNumberRuns(db: Queryable, merchant: MerchantKey, period: Period): Promise<NumberRun[]> {
  type Stored = {
    kind: NumberRun["kind"];
    prefix: string;
    first_number: string;
    last_number: string;
    first_value: bigint | null;
    last_value: bigint | null;
    documents: bigint;
    cancelled: bigint;
  };
  const { rows } = await db.query<Stored>(
    `with own as (${numbersWhere("document_date between $3::date and $4::date")}), gapped as (
       select kind, financial_year, prefix, min(value) as first_value, max(value) as last_value from own
       group by kind, financial_year, prefix having count(distinct value) < max(value) - min(value) + 1
     ), other as (
       select number.* from (${numbersWhere(`document_date not between $3::date and $4::date
         and financial_year in (select financial_year from gapped)`)}) as number
       join gapped using (kind, financial_year, prefix)
       where value > first_value and value < last_value
     ), placed as (
       select *, value - dense_rank() over (partition by kind, financial_year, prefix order by value) as run
       from (select *, true as is_own from own union all select *, false from other) as number
     )
     select
       kind, prefix, (array_agg(document_number order by value))[1] as first_number,
       (array_agg(document_number order by value desc))[1] as last_number, min(value) as first_value,
       max(value) as last_value, count(*) filter (where is_own) as documents,
       count(cancelled_at) filter (where is_own) as cancelled
     from placed group by kind, financial_year, prefix, run
     order by kind <> 'invoice', kind, financial_year, prefix, first_value`,
    keyOf(merchant, period),
  );
  return rows.map((row) => ({
    kind: row.kind,
    prefix: row.prefix,
    from: row.first_number,
    to: row.last_number,
    fromValue: row.first_value,
    toValue: row.last_value,
    documents: Number(row.documents),
    cancelled: Number(row.cancelled),
  }));
}

/** Codes too short for the merchant's turnover. Notification 78/2020 (Central Tax) asks for 6 digits above 5 crore. */
const SHORT_CODES = `
  union all
  select document_date, document_id, revision, line.line, 'hsn_short'
  from (select * from gst_document document where ${REPORTED}) as document
  cross join unnest(document.lines) as line
  where length(line.hsn) = 4 and line.hsn not like '00%'`;

/** A page of problems for an accountant to fix on the current documents of a period, in the order of dates. */
export async function readProblems(
  db: Queryable,
  merchant: MerchantKey & Pick<Merchant, "turnoverClass">,
  period: Period,
  { after, limit }: { readonly after: ProblemKey | null; readonly limit: number },
): Promise<ProblemRow[]> {
  type Stored = {
    document_id: bigint;
    original_document_id: bigint | null;
    kind: DocumentKind;
    document_number: string;
    document_date: Temporal.PlainDate;
    party_name: string;
    line: number;
    code: ProblemCode;
  };
  const place = after && [after.day.toString(), after.id, after.line, after.code];
  const { rows } = await db.query<Stored>(
    `select problem.document_id, original_document_id, kind, document_number, problem.document_date, party_name, line, code
     from (
       select document_date, document_id, revision, line, code from gst_problem
       where bucket = $1 and merchant_id = $2 and document_date between $3::date and $4::date
       ${merchant.turnoverClass === "above_5_crore" ? SHORT_CODES : ""}
     ) as problem
     join gst_document document on document.bucket = $1 and document.merchant_id = $2
       and document.document_id = problem.document_id and document.revision = problem.revision
     where is_current and cancelled_at is null
       and ($5::date is null
         or (problem.document_date, problem.document_id, line, code) > ($5::date, $6::bigint, $7::integer, $8::text))
     order by problem.document_date, problem.document_id, line, code limit $9`,
    [...keyOf(merchant, period), ...(place ?? [null, null, null, null]), limit],
  );
  return rows.map((row) => ({
    documentId: row.document_id,
    invoiceId: invoiceOf(row),
    kind: row.kind,
    documentNumber: row.document_number,
    documentDate: row.document_date,
    partyName: row.party_name,
    line: row.line,
    code: row.code,
  }));
}
