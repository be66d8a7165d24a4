import { customerRecord, gstinOf, type CustomerDetails } from "../../customers/index.ts";
import { phoneDigits } from "../../platform/as-typed.ts";
import { mask } from "../../platform/secrets/index.ts";
import { fail } from "../../platform/http/field.ts";
import type { Warning } from "../../platform/http/warning.ts";
import { readState, stateOfGstin } from "../../platform/indian-states.ts";
import type { FileInvoice } from "./upload-lines.ts";

/** These decide the tax, and whether it is a bill to a registered business. */
const DECISIVE = ["gstin", "state"] as const;
const OTHERS = customerRecord.names.filter((name) => name !== "customer_code" && name !== "state");
type Decisive = (typeof DECISIVE)[number];

/** A customer's columns in a file of invoices, by name. Empty or missing ones are ignored. */
export type CustomerColumns = { readonly [Name in Decisive | (typeof OTHERS)[number]]?: string };

/** A customer's details from the columns of a file. */
export function columnsOfCustomer(customer: CustomerDetails): CustomerColumns {
  return { ...customerRecord.describe(customer), gstin: gstinOf(customer.customFields) };
}

/**
 * The columns of `inFile` that contradict the billed customer. A state may be that of the address or of the GSTIN.
 * docs/rules/invoicing.md#customers-in-files
 */
export function contradictions(inFile: CustomerColumns, billed: CustomerColumns): Decisive[] {
  const { gstin = "", state = "" } = billed;
  return DECISIVE.filter((column) => {
    const value = inFile[column] ?? "";
    if (value === "") return false;
    if (column === "gstin") return folded(value) !== folded(gstin);
    const code = readState(value)?.code;
    if (code === undefined) return folded(value) !== folded(state);
    return code !== readState(state)?.code && code !== stateOfGstin(gstin)?.code;
  });
}

/** An error with the saved value of a column for the customer with this code, and the remedy. */
export function contradictionOf(
  column: Decisive,
  inFile: CustomerColumns,
  billed: CustomerColumns,
  code: string,
): string {
  const value = (column === "state" && !billed.state && stateOfGstin(billed.gstin ?? "")?.name) || billed[column];
  const has = value ? `has ${value}` : `has no ${column === "gstin" ? "GSTIN" : "state"}`;
  return `is ${inFile[column]}, but customer ${code} ${has}: correct or empty the cell, or update the customer first.`;
}

/** The warning that contact details in an invoice's line differ from those of the billed customer; at most one. */
export function differencesOf(invoice: FileInvoice, customer: CustomerDetails): Warning[] {
  const [inFile, billed] = [columnsIn(invoice), columnsOfCustomer(customer)];
  const differing = OTHERS.filter((column) => {
    const read = (text: string): string => (column === "mobile" ? phoneDigits(text) : null) ?? folded(text);
    return inFile[column] && read(inFile[column]) !== read(billed[column] ?? "");
  });
  const [field] = differing;
  if (field === undefined) return [];
  const [shown, kept] =
    field === "pan" ? [mask(billed.pan ?? ""), "which stays"] : [billed[field], "which the invoice will show"];
  const others = differing.length > 1 ? ` (also different: ${differing.slice(1).join(", ")})` : "";
  const message = `Customer ${customer.customerCode} has ${shown ? `“${shown}”` : "none"}, ${kept}${others}.`;
  return [{ code: "customer_differs", field, message }];
}

/** Normalised for comparison: lower case, and any white space as one blank. */
function folded(text: string): string {
  return text.normalize("NFC").toLowerCase().trim().replaceAll(/\s+/g, " ");
}

/** Adds errors to a file's invoices that contradict saved customers (`known`, by code), or each other. */
export function refuseContradictions(
  invoices: readonly FileInvoice[],
  known: ReadonlyMap<string, CustomerDetails>,
): void {
  const compared = invoices.filter(({ wire, lines }) => {
    return wire.customer_code !== "" && lines.every(({ isMisshapen }) => !isMisshapen);
  });
  for (const [code, some] of Map.groupBy(compared, ({ wire }) => wire.customer_code)) {
    const saved = known.get(code);
    if (!saved) refuseDisagreements(code, some);
    else for (const invoice of some) refuseContradiction(invoice, saved);
  }
}

function refuseContradiction(invoice: FileInvoice, customer: CustomerDetails): void {
  const [inFile, billed] = [columnsIn(invoice), columnsOfCustomer(customer)];
  for (const column of contradictions(inFile, billed)) {
    fail(invoice.errors, column, "invalid", contradictionOf(column, inFile, billed, customer.customerCode));
  }
}

/**
 * Refuses all invoices of a new customer whose lines contradict each other: it is unknown which is right. The first line that names
 * the customer would create it, so the others are compared with that one.
 */
function refuseDisagreements(code: string, invoices: readonly FileInvoice[]): void {
  const first = invoices.find(({ wire }) => wire["new_customer"]) ?? invoices[0]!;
  const found = invoices.flatMap((other) =>
    contradictions(columnsIn(other), columnsIn(first)).map((column) => ({ other, column })),
  );
  const [disagreement] = found;
  if (!disagreement) return;
  for (const { other, column } of found) refuse(other, column, first, code);
  refuse(first, disagreement.column, disagreement.other, code);
  const named = new Set([first, ...found.map(({ other }) => other)]);
  const lines = `lines ${lineOf(first)} and ${lineOf(disagreement.other)}`;
  const problem = `can't be created as ${code}: ${lines} differ in its ${disagreement.column}. Correct them first.`;
  for (const { errors } of invoices.filter((each) => !named.has(each))) {
    fail(errors, "customer_code", "invalid", problem);
  }
}

function refuse(one: FileInvoice, column: Decisive, other: FileInvoice, code: string): void {
  const [value, second] = [columnsIn(one)[column] || "empty", columnsIn(other)[column] || "empty"];
  const problem = `is ${value}, but ${second} on line ${lineOf(other)}, for the same new customer ${code}: make them the same.`;
  fail(one.errors, column, "invalid", problem);
}

function columnsIn({ lines: [first] }: FileInvoice): CustomerColumns {
  return first.customer;
}

function lineOf({ lines: [first] }: FileInvoice): number {
  return first.record.line;
}
