// Placeholders in the texts of a subscription's invoices: docs/rules/subscriptions.md#placeholders
import { invoiceUpdateFields } from "../invoices/index.ts";
import type { FieldError } from "../platform/errors.ts";
import { decoderOf, fail } from "../platform/http/field.ts";
import { formatIndianDate } from "../platform/indian-format.ts";
import type { Json, JsonObject } from "../platform/json.ts";
import { dateOfOccurrence, type Plan } from "./subscription.ts";

/** The values of an occurrence. */
type Values = {
  readonly month: string;
  readonly previous_month: string;
  readonly year: string;
  readonly financial_year: string;
  readonly period: string;
  readonly previous_period: string;
};

/** The longest value of an occurrence. */
const LONGEST: Values = {
  month: "September",
  previous_month: "September",
  year: "2026",
  financial_year: "2026-27",
  period: "30 Sep 2026 – 29 Sep 2027",
  previous_period: "30 Sep 2026 – 29 Sep 2027",
};
const KNOWN = Object.keys(LONGEST)
  .map((name) => `{${name}}`)
  .join(", ");
const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** The texts of an invoice object that may have placeholders, by member; rows and header fields by their own members. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  particular_rows: ["item", "description"],
  custom_header_fields: ["value"],
};
const CYCLE = "bill_cycle_name";

/** The values of an occurrence: its period lasts from its bill date to the day before the next one's. */
export function valuesOf(plan: Plan, occurrenceNo: number): Values {
  const date = dateOfOccurrence(plan, occurrenceNo);
  const firstYear = date.month >= 4 ? date.year : date.year - 1;
  return {
    month: monthOf(date),
    previous_month: monthOf(date.subtract({ months: 1 })),
    year: String(date.year),
    financial_year: `${firstYear}-${String(firstYear + 1).slice(-2)}`,
    period: periodOf(plan, occurrenceNo),
    previous_period: periodOf(plan, occurrenceNo - 1),
  };
}

function monthOf(date: Temporal.PlainDate): string {
  return date.toLocaleString("en-IN", { month: "long" });
}

function periodOf(plan: Plan, occurrenceNo: number): string {
  const last = dateOfOccurrence(plan, occurrenceNo + 1).subtract({ days: 1 });
  const first = dateOfOccurrence(plan, occurrenceNo);
  return first.equals(last) ? formatIndianDate(first) : `${formatIndianDate(first)} – ${formatIndianDate(last)}`;
}

/** An invoice object of the API with its placeholders replaced. */
export function withPlaceholders(invoice: JsonObject, values: Values): JsonObject {
  return mapTexts(invoice, (text) =>
    text.replaceAll(PLACEHOLDER, (all, name: string) =>
      Object.hasOwn(values, name) ? values[name as keyof Values] : all,
    ),
  );
}

/** Adds errors for unknown placeholders of an invoice object, and for texts that become too long. */
export function checkPlaceholders(invoice: JsonObject, path: string, errors: FieldError[]): void {
  const count = errors.length;
  mapTexts(invoice, (text, place) => {
    const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name]) => !Object.hasOwn(LONGEST, name!));
    if (unknown) {
      const problem = `has ${unknown[0]}, which is no placeholder: use ${KNOWN}, or leave out the braces.`;
      fail(errors, `${path}.${place}`, "invalid", problem);
    }
    return text;
  });
  if (errors.length > count) return;
  const filled: FieldError[] = [];
  decoderOf(invoiceUpdateFields)(withPlaceholders(invoice, LONGEST), path, filled);
  for (const { field, problem } of filled) {
    fail(errors, field, "too_long", `is too long once its placeholders are filled in: it ${problem}`);
  }
}

type ChangeText = (text: string, place: string) => string;

function mapTexts(invoice: JsonObject, change: ChangeText): JsonObject {
  const changed: Record<string, Json | undefined> = { ...invoice };
  const cycle = invoice[CYCLE];
  if (typeof cycle === "string") changed[CYCLE] = change(cycle, CYCLE);
  for (const [list, members] of Object.entries(TEXTS)) {
    const entries = invoice[list];
    if (!Array.isArray(entries)) continue;
    changed[list] = entries.map((entry: Json, index) =>
      isObject(entry) ? mapMembers(entry, members, (text, name) => change(text, `${list}[${index}].${name}`)) : entry,
    );
  }
  return changed;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapMembers(entry: JsonObject, members: readonly string[], change: ChangeText): JsonObject {
  const texts = members.flatMap((name) => {
    const text = entry[name];
    return typeof text === "string" ? [[name, change(text, name)] as const] : [];
  });
  return { ...entry, ...Object.fromEntries(texts) };
}
