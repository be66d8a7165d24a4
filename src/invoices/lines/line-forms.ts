// A line in its different forms: in requests, in storage, in answers and as a template's initial line.
import { Type, type TObject, type TOptional, type TString } from "typebox";
import { encodeMembers, optional, type Field } from "../../platform/http/field.ts";
import { object } from "../../platform/http/fields.ts";
import { asDigits, asRecord, type Codec, type Codecs } from "../../platform/json-codec.ts";
import { formatPaise } from "../../platform/money.ts";
import { LINE_MEMBERS, type LineMember, type LineName, type Row, type SentLine, type WireLine } from "./line.ts";
import { kindOf } from "./line-kinds.ts";
import { amountOfLine, checkLine } from "./line-amount.ts";

type LineFields = { readonly [Name in LineName]: Field<SentLine[Name]> };

/** A line of a request, by the name of each member. */
export const lineFields = Object.fromEntries(
  LINE_MEMBERS.map((member: LineMember) => [member.name, optional(kindOf(member).field(member))]),
) as LineFields;

/** A line of a request. */
export const lineField: Field<SentLine> = object(lineFields, checkLine);

/** A line of an answer. */
export const lineSchema = Type.Object({
  ...Object.fromEntries(
    LINE_MEMBERS.map((member: LineMember) => [
      member.name,
      member.isOptional ? Type.Optional(Type.String()) : Type.String(),
    ]),
  ),
  taxable_amount: Type.Optional(Type.String()),
}) as unknown as TObject<
  { readonly [Name in RequiredName]: TString } & {
    readonly [Name in Exclude<LineName, RequiredName> | "taxable_amount"]: TOptional<TString>;
  }
>;
type RequiredName = {
  [Name in LineName]: WireLine extends { readonly [Each in Name]: string } ? Name : never;
}[LineName];

/** The columns of a line in a file. */
export const LINE_NAMES: readonly LineName[] = LINE_MEMBERS.map(({ name }) => name);

const OPTIONAL: readonly string[] = LINE_MEMBERS.filter((member) => "isOptional" in member).map(
  ({ property }) => property,
);

/** A line as stored JSON. */
export const storedLine: Codec<Row> = asRecord(
  {
    ...Object.fromEntries(LINE_MEMBERS.map((member) => [member.property, kindOf(member).stored])),
    includedPaise: asDigits(),
  } as Codecs<Row>,
  [...OPTIONAL, "includedPaise"] as (keyof Row)[],
);

const READ = LINE_MEMBERS.map((member: LineMember) => ({ ...member, none: kindOf(member).none }));

/**
 * Reads a line of a request. Missing plain members get the empty value. If the price includes tax, the amount is the one sent,
 * until the tax is known: `withoutTax` in gst-row.ts.
 */
export function toRow(sent: SentLine): Row {
  const row: Record<string, unknown> = {};
  for (const { name, property, none, isOptional = false } of READ) {
    const value = sent[name as LineName] ?? none;
    if (!isOptional || value !== none) row[property] = value;
  }
  const amountPaise = amountOfLine(sent);
  return { ...(row as Row), amountPaise, ...(sent.price_includes_tax ? { includedPaise: amountPaise } : {}) };
}

/** A line in an answer. */
export function toWireLine(row: Row): WireLine & { readonly taxable_amount?: string } {
  const members = LINE_MEMBERS.flatMap((member: LineMember) => {
    const value = (row as Readonly<Record<string, unknown>>)[member.property];
    return value === undefined ? [] : [[member.name, kindOf(member).write(value)] as const];
  });
  const line = Object.fromEntries(members) as WireLine;
  if (row.includedPaise === undefined) return line;
  return { ...line, total_amount: formatPaise(row.includedPaise), taxable_amount: formatPaise(row.amountPaise) };
}

/** A line as a client could have sent it, with every plain member, so that a template can begin with it. */
export function toTemplateLine(sent: SentLine): WireLine {
  const given = READ.flatMap(({ name, none, isOptional = false }) => {
    const value = sent[name as LineName] ?? none;
    return isOptional && value === none ? [] : [[name, value] as const];
  });
  return encodeMembers(lineFields, { ...Object.fromEntries(given), total_amount: amountOfLine(sent) }) as WireLine;
}

/** The texts of a line, by the names of its members: to check characters and lengths. */
export function textsOfLine(row: Row): [name: LineName, text: string][] {
  return LINE_MEMBERS.flatMap((member): [LineName, string][] => {
    const value = row[member.property];
    return typeof value === "string" ? [[member.name, value]] : [];
  });
}

const PROSE_MEMBERS = LINE_MEMBERS.filter((member) => member.kind === "text");

/** The names of free-text members, whose length documents limit. */
export const PROSE = PROSE_MEMBERS.map(({ name }) => name).join(" and ");

/** The number of characters of free text in lines, either decoded (`name`) or read (`property`). */
export function lengthOfProse(lines: readonly SentLine[], by: "name"): number;
export function lengthOfProse(lines: readonly Row[], by: "property"): number;
export function lengthOfProse(lines: readonly object[], by: "name" | "property"): number {
  let length = 0;
  for (const line of lines) {
    for (const member of PROSE_MEMBERS) length += (line as Texts)[member[by]]?.length ?? 0;
  }
  return length;
}

type Texts = Readonly<Record<string, string | null | undefined>>;
