// The columns of report files, by heading.
import {
  PROBLEM_TEXTS,
  type AdvanceRow,
  type DocumentSeries,
  type HsnRow,
  type ProblemRow,
  type RateRow,
  type RegisterRow,
  type TaxSums,
} from "../invoices/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import { STATES } from "../platform/indian-states.ts";
import { formatThousandths } from "../platform/money.ts";

export type Columns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;

/** The names of states by their codes. */
export const STATE_NAMES: ReadonlyMap<string, string> = new Map(STATES.map(({ code, name }) => [code, name]));

/** Numeric columns that are not amounts. */
export const NUMBER_COLUMNS: ReadonlySet<string> = new Set([
  "rate",
  "quantity",
  "total_documents",
  "cancelled",
  "net",
  "missing",
]);

/** A quantity of a report: below 0 if more was returned than sold. */
export function formatQuantity(thousandths: bigint): string {
  return thousandths < 0n ? `-${formatThousandths(-thousandths)}` : formatThousandths(thousandths);
}

const SUM_COLUMNS: Columns<TaxSums> = {
  taxable_value: (row) => row.taxablePaise,
  igst: (row) => row.igstPaise,
  cgst: (row) => row.cgstPaise,
  sgst: (row) => row.sgstPaise,
  cess: (row) => row.cessPaise,
  other_taxes: (row) => row.otherPaise,
};

export const REGISTER_COLUMNS: Columns<RegisterRow> = {
  kind: (row) => row.kind,
  number: (row) => row.documentNumber,
  date: (row) => row.documentDate.toString(),
  customer_name: (row) => row.partyName,
  gstin: (row) => row.partyGstin,
  place_of_supply: (row) => row.placeOfSupply,
  state_name: (row) => STATE_NAMES.get(row.placeOfSupply) ?? "",
  supply_type: (row) => row.supplyType,
  reverse_charge: (row) => (row.reverseCharge ? "Y" : "N"),
  ...SUM_COLUMNS,
  round_off: (row) => row.roundOffPaise,
  total: (row) => row.valuePaise,
  original_number: (row) => row.originalNumber,
  original_date: (row) => row.originalDate?.toString() ?? "",
  ecommerce_gstin: (row) => row.ecommerceGstin,
  shipping_bill_number: (row) => row.shippingBillNumber,
  shipping_bill_date: (row) => row.shippingBillDate,
  port_code: (row) => row.portCode,
};

/** Advances are no supplies of the period: their treatment keeps them out of its sums. */
export const RATE_COLUMNS: Columns<RateRow | AdvanceRow> = {
  treatment: (row) => ("part" in row ? `advances_${row.part}` : row.treatment),
  rate: (row) => formatThousandths(row.rateThousandths),
  place_of_supply: (row) => ("part" in row ? row.placeOfSupply : ""),
  state_name: (row) => ("part" in row ? (STATE_NAMES.get(row.placeOfSupply) ?? "") : ""),
  ...SUM_COLUMNS,
};

export const HSN_COLUMNS: Columns<HsnRow> = {
  section: (row) => row.section,
  hsn: (row) => row.hsn,
  description: (row) => row.description,
  uqc: (row) => row.uqc,
  rate: (row) => formatThousandths(row.rateThousandths),
  quantity: (row) => formatQuantity(row.quantityThousandths),
  ...SUM_COLUMNS,
};

export const SERIES_COLUMNS: Columns<DocumentSeries> = {
  kind: (row) => row.kind,
  from: (row) => row.from,
  to: (row) => row.to,
  total_documents: (row) => String(row.total),
  cancelled: (row) => String(row.cancelled),
  net: (row) => String(row.total - row.cancelled),
  missing: (row) => String(row.missing),
  gaps: (row) => row.gaps.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join("; "),
};

export const PROBLEM_COLUMNS: Columns<ProblemRow> = {
  kind: (row) => row.kind,
  number: (row) => row.documentNumber,
  date: (row) => row.documentDate.toString(),
  customer_name: (row) => row.partyName,
  code: (row) => row.code,
  field: (row) => PROBLEM_TEXTS[row.code](row.line).field,
  message: (row) => PROBLEM_TEXTS[row.code](row.line).message,
};
