// Derives request fields, database columns, answers and file columns from a list of members.
import type { TString } from "typebox";
import type { Columns } from "../database/table.ts";
import { camelCase, type AnswersOf, type Member, type MemberKind, type RecordOf, type TextsOf } from "../member.ts";
import { mask } from "../secrets/index.ts";
import { ifSent, texts, type Field } from "./field.ts";
import {
  aadhaar,
  bankAccount,
  dateText,
  email,
  gstin,
  ifsc,
  mobile,
  oneOf,
  optional,
  optionalText,
  pan,
  pincode,
  requiredText,
  textOrNumber,
  timeZone,
  upiHandle,
  type Decoded,
} from "./fields.ts";
import { indianState } from "./state-field.ts";

/** The field of each kind of member. */
const FIELDS: { readonly [Kind in MemberKind]: (member: Member) => Field<string> } = {
  text: ({ maxLength = 0 }) => requiredText(maxLength),
  code: ({ maxLength = 0 }) => textOrNumber(maxLength),
  email,
  mobile,
  state: indianState,
  pincode,
  "postal-code": ({ maxLength = 0 }) => textOrNumber(maxLength),
  gstin,
  pan,
  aadhaar,
  account: bankAccount,
  ifsc,
  upi: upiHandle,
  "time-zone": timeZone,
  date: dateText,
  choice: ({ choices = [] }) => oneOf(choices),
};

type FieldOf<M extends Member> = M extends { readonly isRequired: true } ? Field<string> : Field<string | null>;
type FieldsOf<M extends Member> = { readonly [Each in M as Each["name"]]: FieldOf<Each> };
type ChangesOf<M extends Member> = { readonly [Each in M as Each["name"]]: Field<Decoded<FieldOf<Each>> | undefined> };
/** A request's members, decoded. */
type SentOf<M extends Member> = { readonly [Each in M as Each["name"]]?: string | null | undefined };

/** The definitions from a list of members. */
export class RecordList<M extends Member> {
  readonly members: readonly M[];
  readonly names: readonly M["name"][];
  /** The fields of a request that creates a record. */
  readonly fields: FieldsOf<M>;
  /** The fields of a request that changes a record. Missing members don't change. */
  readonly changes: ChangesOf<M>;
  /** For `table`. */
  readonly columns: Columns<RecordOf<M>>;
  /** The schema of answers: each member is text. */
  readonly schema: { readonly [Name in keyof AnswersOf<M>]: TString };
  /** A record without any value. */
  readonly blank: RecordOf<M>;

  constructor(members: readonly M[]) {
    const each = <T>(make: (member: Member) => readonly [string, T]) => Object.fromEntries(members.map(make));
    this.members = members;
    this.names = members.map(({ name }) => name);
    this.fields = each((member) => [member.name, fieldOf(member)]) as FieldsOf<M>;
    this.changes = each((member) => [member.name, ifSent(fieldOf(member))]) as ChangesOf<M>;
    this.columns = each((member) => [propertyOf(member), columnOf(member)]) as Columns<RecordOf<M>>;
    this.schema = texts(...members.map(answerOf)) as typeof this.schema;
    this.blank = this.read({});
  }

  /** Picks the members of this list from an object. */
  pick(from: Partial<RecordOf<M>>): RecordOf<M> {
    const values = from as Readonly<Record<string, string | null | undefined>>;
    const entries = this.members.map((member) => [propertyOf(member), values[propertyOf(member)] ?? noneOf(member)]);
    return Object.fromEntries(entries) as RecordOf<M>;
  }

  /** The record of a create request. */
  read(sent: SentOf<M>): RecordOf<M> {
    return Object.fromEntries(this.members.map((member) => [propertyOf(member), valueIn(sent, member)])) as RecordOf<M>;
  }

  /** The changes of a request. An optional member that was sent empty is cleared. */
  readChanges(sent: SentOf<M>): Partial<RecordOf<M>> {
    const changed = this.members.filter(({ name }) => sent[name as M["name"]] !== undefined);
    const values = changed.map((member) => [propertyOf(member), valueIn(sent, member)]);
    return Object.fromEntries(values) as Partial<RecordOf<M>>;
  }

  /** A record with the names of requests. `show` masks or shows sealed values. */
  describe(record: RecordOf<M>, show: (text: string) => string = same): TextsOf<M> {
    return Object.fromEntries(this.members.map((member) => [member.name, textIn(record, member, show)])) as TextsOf<M>;
  }

  /** The same with the names of the API's answers. */
  answer(record: RecordOf<M>): AnswersOf<M> {
    const values = this.members.map((member) => [answerOf(member), textIn(record, member, same)]);
    return Object.fromEntries(values) as AnswersOf<M>;
  }

  /** The columns of an exported list, with the names of answers. Sealed values are masked. */
  cells<Row>(recordIn: (row: Row) => RecordOf<M>) {
    const cells = this.members.map((member) => [answerOf(member), (row: Row) => textIn(recordIn(row), member, mask)]);
    return Object.fromEntries(cells) as { readonly [Name in keyof AnswersOf<M>]: (row: Row) => string };
  }
}

const same = (text: string): string => text;

function fieldOf(member: Member): Field<string | null> {
  const { kind, maxLength = 0, isRequired } = member;
  if (isRequired) return FIELDS[kind](member);
  return kind === "text" ? optionalText(maxLength) : optional(FIELDS[kind](member));
}

function propertyOf({ name, property }: Member): string {
  return property ?? camelCase(name);
}

function columnOf({ name, column = name, isSealed }: Member): string {
  return `${column} text${isSealed ? " sealed" : ""}`;
}

function answerOf({ name, answer = name }: Member): string {
  return answer;
}

function valueIn(sent: Readonly<Record<string, string | null | undefined>>, member: Member): string | null {
  return sent[member.name] ?? noneOf(member);
}

function noneOf({ isNullable }: Member): string | null {
  return isNullable ? null : "";
}

function textIn(record: object, member: Member, show: (text: string) => string): string {
  const text = (record as Readonly<Record<string, string | null>>)[propertyOf(member)] ?? "";
  return member.isSealed ? show(text) : text;
}
