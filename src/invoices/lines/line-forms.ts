// A line in its different forms: what a request sends, what is kept, what the API answers and what a template begins with.
import { Type, type TObject, type TString } from "typebox";
import { encodeMembers, optional, texts, type Field } from "../../platform/http/field.ts";
import { object } from "../../platform/http/fields.ts";
import { asRecord, type Codec, type Codecs } from "../../platform/json-codec.ts";
import {
  LINE_MEMBERS,
  lineTexts,
  type LineMember,
  type LineName,
  type Row,
  type SentLine,
  type WireLine,
} from "./line.ts";
import { kindOf } from "./line-kinds.ts";

type LineFields = { readonly [Name in LineName]: Field<SentLine[Name]> };

function fieldOf(member: LineMember): Field<unknown> {
  const field = kindOf(member).field(member);
  return member.isRequired ? field : optional(field);
}

/** A line of a request, by the name of each member. */
const lineFields = Object.fromEntries(LINE_MEMBERS.map((member) => [member.name, fieldOf(member)])) as LineFields;

/** A line of a request. */
export const lineField = object(lineFields) as Field<SentLine>;

/** A line of an answer. */
export const lineSchema = Type.Object(texts(...LINE_MEMBERS.map(({ name }) => name))) as TObject<{
  readonly [Name in LineName]: TString;
}>;

/** The columns of a line in a file. */
export const LINE_NAMES: readonly LineName[] = LINE_MEMBERS.map(({ name }) => name);

/** The members that a line can't be without. */
export const REQUIRED_NAMES: readonly LineName[] = LINE_MEMBERS.filter((member) => "isRequired" in member).map(
  ({ name }) => name,
);

/** Keeps a line as JSON. */
export const storedLine: Codec<Row> = asRecord(
  Object.fromEntries(LINE_MEMBERS.map((member) => [member.property, kindOf(member).stored])) as Codecs<Row>,
);

const READ = LINE_MEMBERS.map((member) => ({ ...member, none: kindOf(member).none }));

/** Reads what a request sends. Members that it leaves out have the value of none. */
export function toRow(sent: SentLine): Row {
  const row: Record<string, unknown> = {};
  for (const { name, property, none } of READ) row[property] = sent[name] ?? none;
  return row as Row;
}

/** A line as the API answers it. */
export function toWireLine(row: Row): WireLine {
  return lineTexts((member) => kindOf(member).write(row[member.property]));
}

/** A line as a client could have sent it, with every member, so that a template can begin with it. */
export function toTemplateLine(sent: SentLine): WireLine {
  const given = LINE_MEMBERS.map((member) => [member.name, sent[member.name] ?? kindOf(member).none]);
  return encodeMembers(lineFields, Object.fromEntries(given)) as WireLine;
}

/** What a line says in words, by the names of its members: for searches of characters and lengths. */
export function textsOfLine(row: Row): [name: LineName, text: string][] {
  return LINE_MEMBERS.flatMap((member): [LineName, string][] => {
    const value = row[member.property];
    return typeof value === "string" ? [[member.name, value]] : [];
  });
}

const PROSE_MEMBERS = LINE_MEMBERS.filter((member) => member.kind === "text");

/** The names of the members of free text, whose length documents limit. */
export const PROSE = PROSE_MEMBERS.map(({ name }) => name).join(" and ");

/** How many characters of free text lines have together, whether they are decoded (`name`) or read (`property`). */
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
