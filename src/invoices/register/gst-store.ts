import type pg from "pg";
import { table } from "../../platform/database/table.ts";
import type { InvoiceContent, InvoiceHead } from "../invoice.ts";
import {
  entryOfInvoice,
  isVoid,
  type GstDocument,
  type GstEntry,
  type GstLine,
  type GstProblem,
  type RevisionKey,
} from "./gst-document.ts";

const KEY = ["bucket", "merchantId", "documentId", "revision"] as const;

const DOCUMENTS = table<Omit<GstDocument, "cancelledAt">, RevisionKey>("gst_document", KEY, {
  bucket: "smallint",
  merchantId: "bigint",
  documentId: "bigint",
  revision: "integer",
  isCurrent: "boolean",
  kind: "text",
  isSupply: "boolean",
  seriesId: "bigint",
  financialYear: "smallint",
  documentNumber: "text",
  documentDate: "date",
  partyName: "text",
  partyGstin: "text",
  placeOfSupply: "text",
  supply: "text",
  supplyType: "text",
  reverseCharge: "boolean",
  ecommerceGstin: "text",
  shippingBillNumber: "text",
  shippingBillDate: "text",
  portCode: "text",
  valuePaise: "bigint",
  originalDocumentId: "bigint",
});

const PROBLEMS = table<GstProblem, GstProblem>(
  "gst_problem",
  ["bucket", "merchantId", "documentDate", "documentId", "revision", "line", "code"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    documentDate: "date",
    documentId: "bigint",
    revision: "integer",
    line: "smallint",
    code: "text",
  },
);

type Registered = InvoiceHead & { readonly content?: InvoiceContent };
type Change = { readonly before: Registered | null; readonly after: Registered };
type Complete = InvoiceHead & { readonly content: InvoiceContent };

/**
 * The statements that update the register for these invoices, of one merchant or of several: rows for new invoices and new
 * revisions, a mark for cancelled ones. Payments change nothing here, and opening balances are in no report.
 * @throws Error for a new revision without its content
 */
export function registerStatements(all: readonly Change[]): pg.QueryConfig[] {
  const changes = all.filter(({ after }) => !after.isOpeningBalance);
  const renewed = changes.filter(({ before, after }) => before?.revision !== after.revision);
  const replaced = renewed.filter(({ before }) => before !== null);
  const cancelled = changes.filter(({ before, after }) => before !== null && !isVoid(before) && isVoid(after));
  return [
    ...(replaced.length > 0 ? [replaceStatement(replaced.map(({ after }) => after))] : []),
    ...entryStatements(renewed.map(({ after }) => entryOfInvoice(complete(after)))),
    ...(cancelled.length > 0 ? [cancelStatement(cancelled.map(({ after }) => keyOf(after)))] : []),
  ];
}

function complete(invoice: Registered): Complete {
  if (invoice.content) return invoice as Complete;
  throw new Error("a new revision of an invoice has no content for the register");
}

/** The statements that write new rows of the register, one for each table. */
export function entryStatements(entries: readonly GstEntry[]): pg.QueryConfig[] {
  const problems = entries.flatMap((entry) => entry.problems);
  return [
    ...(entries.length > 0 ? [insertDocuments(entries)] : []),
    ...(problems.length > 0 ? [insertProblems(problems)] : []),
  ];
}

function insertDocuments(entries: readonly GstEntry[]): pg.QueryConfig {
  const { columns, arrays, values } = DOCUMENTS.arrays(
    entries.map(({ document }) => document),
    { from: 2 },
  );
  return {
    name: "insert-gst-documents",
    text: `insert into gst_document (lines, ${columns})
      select lines::gst_line[], ${columns} from unnest($1::text[], ${arrays}) as document (lines, ${columns}) returning 1`,
    values: [`{${entries.map(({ lines }) => linesItem(lines)).join(",")}}`, ...values],
  };
}

/**
 * An element of an array of texts, each of which is an array of `gst_line`: its texts are quoted three times. The members are in
 * the order of the type.
 */
function linesItem(lines: readonly GstLine[]): string {
  const items = lines.map((line) => {
    const texts = `${line.line},${memberText(line.hsn)},${memberText(line.description)},${memberText(line.uqc)}`;
    const goods = `${line.quantityThousandths},${line.rateThousandths},${memberText(line.treatment)}`;
    const heads = `${line.igstPaise},${line.cgstPaise},${line.sgstPaise},${line.cessPaise},${line.otherPaise}`;
    return `\\"(${texts},${goods},${line.taxablePaise},${heads})\\"`;
  });
  return `"{${items.join(",")}}"`;
}

/** The quotation mark around a member, escaped for the line and for all lines. */
const MARK = String.raw`\\\"`;

/** Most texts need neither quotation marks nor escapes. */
function memberText(text: string): string {
  if (/^[\w.-]+$/.test(text)) return text;
  if (!/["\\]/.test(text)) return MARK + text + MARK;
  return escaped(escaped(`"${escaped(text)}"`));
}

function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, "\\$&");
}

function insertProblems(problems: readonly GstProblem[]): pg.QueryConfig {
  const { columns, arrays, values } = PROBLEMS.arrays(problems);
  return {
    name: "insert-gst-problems",
    text: `insert into gst_problem (${columns}) select * from unnest(${arrays}) returning 1`,
    values,
  };
}

/** Marks the register's rows of these invoices as belonging to an earlier revision. */
function replaceStatement(invoices: readonly InvoiceHead[]): pg.QueryConfig {
  return changeStatement("replace-gst-documents", "is_current = false", invoices.map(keyOf));
}

/** The statement that marks documents as cancelled. */
export function cancelStatement(documents: readonly DocumentKey[]): pg.QueryConfig {
  return changeStatement("cancel-gst-documents", "cancelled_at = now()", documents);
}

type DocumentKey = Omit<RevisionKey, "revision">;

function keyOf({ bucket, merchantId, invoiceId: documentId }: InvoiceHead): DocumentKey {
  return { bucket, merchantId, documentId };
}

function changeStatement(name: string, assignment: string, documents: readonly DocumentKey[]): pg.QueryConfig {
  return {
    name,
    text: `update gst_document set ${assignment}
      from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as changed (bucket, merchant_id, document_id)
      where gst_document.bucket = changed.bucket and gst_document.merchant_id = changed.merchant_id
        and gst_document.document_id = changed.document_id and is_current`,
    values: [
      documents.map(({ bucket }) => bucket),
      documents.map(({ merchantId }) => merchantId),
      documents.map(({ documentId }) => documentId),
    ],
  };
}
