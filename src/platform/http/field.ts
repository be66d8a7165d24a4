// A field: one object that documents a value of the API (JSON Schema), checks it, and converts it to a typed value. The
// vocabulary that routes use (money, email, object, …) is in fields.ts.
import { Type, type TString, type TUnsafe } from "typebox";
import { NodalError, validationError, type FieldError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import type { Json, JsonObject } from "../json.ts";

/** The machine codes of a failing field. */
export type FieldErrorCode = "required" | "invalid" | "too_long" | "not_allowed" | "unknown";
/** The code of a last entry that counts unlisted errors and names no field. */
const MORE_ERRORS = "more_errors";

/** Converts a value of the API to a typed one. On failure it adds to `errors`, and its result is not used. */
export type Decode<T> = (value: unknown, path: string, errors: FieldError[]) => T;

/** Converts a typed value back to what a client could have sent. `undefined` for a member to leave out. */
export type Encode<T> = (value: T) => Json | undefined;

const DECODE = Symbol("decode");
const ENCODE = Symbol("encode");
const OPTIONAL = Symbol("optional");
const MAX_ERRORS = 1000;
const MAX_QUOTED = 600;

/** A JSON Schema (for the OpenAPI document) with the decoder and the encoder of its values. `T` is the decoded type. */
export interface Field<T> extends TUnsafe<T> {
  readonly [DECODE]: Decode<T>;
  // A method, so that a field of one type is also a field of unknown.
  [ENCODE](value: T): Json | undefined;
  readonly [OPTIONAL]: boolean;
}

/** The decoded type of a field, or of a whole body made with `object`. */
export type Decoded<F> = F extends Field<infer T> ? T : never;

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * Adds one failing field. After 1000 errors, further ones are only counted, so that an answer can't be much larger than
 * its request. The last entry has the number of the rest.
 */
export function fail(errors: FieldError[], field: string, code: FieldErrorCode, problem: string): undefined {
  if (errors.length < MAX_ERRORS) {
    // Kept short from the start: a thousand problems may each quote a long text.
    errors.push({ field: excerpt(field, MAX_QUOTED), code, problem: excerpt(problem, MAX_QUOTED) });
    return undefined;
  }
  unlisted.set(errors, (unlisted.get(errors) ?? 0) + 1);
  errors[MAX_ERRORS] ??= {
    field: "",
    code: MORE_ERRORS,
    // Built on access: a body may have 100,000 errors, and a sentence for each would take seconds.
    get problem() {
      return `and ${unlisted.get(errors)!.toLocaleString("en-IN")} more, which are not listed.`;
    },
  };
  return undefined;
}

/**
 * Adds an error if a range of dates ends before it begins, unless one of the dates is invalid. `names` are those of the
 * first and the last day, in `values` and in errors.
 */
export function checkRange(
  values: { readonly [name: string]: unknown },
  [from, to]: readonly [string, string],
  errors: FieldError[],
): void {
  const [first, last] = [from, to].map((name) => (values[name] ?? null) as Temporal.PlainDate | string | null);
  if (!first || !last || errors.some(({ field }) => field === from || field === to)) return;
  if (String(first) > String(last)) fail(errors, to, "invalid", `must not be before ${from}.`);
}

/** Checks a date range of a list in the dashboard. @throws NodalError `validation_failed` if it ends before it begins */
export function validRange<R extends { readonly from: unknown; readonly to: unknown }>({ from, to }: R) {
  const errors: FieldError[] = [];
  checkRange({ from, to }, ["from", "to"], errors);
  const problem = "The end date can't be before the start date.";
  if (errors.length > 0) throw validationError(errors.map((error) => ({ ...error, problem })));
  return { from, to } as Pick<R, "from" | "to">;
}

/** Members of an answer that are text. */
export function texts<const Name extends string>(...names: readonly Name[]): { readonly [Each in Name]: TString } {
  const members = names.map((name) => [name, Type.String()]);
  return Object.fromEntries(members) as { readonly [Each in Name]: TString };
}

/** The number of unlisted errors of a list. */
const unlisted = new WeakMap<FieldError[], number>();

/** Absent, null, "" and blank text all count as not given: docs/rules/values-and-errors.md#empty-values. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

type FieldOptions<T> = {
  readonly encode?: Encode<T>;
  /** The value of a missing field in checks across fields. */
  readonly missing?: T;
};

/**
 * A required field. `hint` completes the sentence "`<field>` must be …" and is published as `x-error`; `decode` is
 * only called with given values. Types that JSON lacks, such as bigint, need an encoder.
 */
export function requiredField<T extends string | number>(
  schema: JsonSchema,
  hint: string,
  decode: Decode<T>,
  options?: FieldOptions<T>,
): Field<T>;
export function requiredField<T>(
  schema: JsonSchema,
  hint: string,
  decode: Decode<T>,
  options: FieldOptions<T> & { readonly encode: Encode<T> },
): Field<T>;
export function requiredField<T>(
  schema: JsonSchema,
  hint: string,
  decode: Decode<T>,
  { encode = (value) => value as Json, missing }: FieldOptions<T> = {},
): Field<T> {
  const decodeGiven: Decode<T | undefined> = (value, path, errors) => {
    if (!isAbsent(value)) return decode(value, path, errors);
    fail(errors, path, "required", `is required: it must be ${hint}.`);
    return missing;
  };
  return build({ ...schema, "x-error": `Must be ${hint}.` }, decodeGiven as Decode<T>, encode, false);
}

/** A required field whose value is never written back, such as a command's option. */
export function readOnlyField<T>(schema: JsonSchema, hint: string, decode: Decode<T>): Field<T> {
  const encode: Encode<T> = () => {
    throw new Error(`${hint} can't be written back`);
  };
  return requiredField(schema, hint, decode, { encode });
}

/** The same field, but optional: missing and empty values become `null`. */
export function optional<T>(field: Field<T>): Field<T | null> {
  const decodeGiven = field[DECODE];
  const decode: Decode<T | null> = (value, path, errors) => (isAbsent(value) ? null : decodeGiven(value, path, errors));
  const encode: Encode<T | null> = (value) => (value === null ? undefined : field[ENCODE](value));
  return build(publishOptional(field as unknown as JsonSchema), decode, encode, true);
}

/**
 * The same field in a request for a change: left out, it is `undefined` and nothing changes. Sent empty, the given
 * field decides: `null` for an optional field, an error for a required one.
 */
export function ifSent<T>(field: Field<T>): Field<T | undefined> {
  const decodeSent = field[DECODE];
  const decode: Decode<T | undefined> = (value, path, errors) =>
    value === undefined ? undefined : decodeSent(value, path, errors);
  const encode: Encode<T | undefined> = (value) => (value === undefined ? undefined : field[ENCODE](value));
  return build(field as unknown as JsonSchema, decode, encode, true);
}

/** May a request leave the field out? */
export function isOptional(field: Field<unknown>): boolean {
  return field[OPTIONAL];
}

/** The decoder of a field. */
export function decoderOf<T>(field: Field<T>): Decode<T> {
  return field[DECODE];
}

/** The encoder of a field. */
export function encoderOf<T>(field: Field<T>): Encode<T> {
  return field[ENCODE];
}

/** Encodes members of an object as a client could have sent them, without missing ones. */
export function encodeMembers(
  fields: { readonly [name: string]: Field<unknown> },
  values: { readonly [name: string]: unknown },
): JsonObject {
  const given = Object.entries(fields).filter(([name]) => values[name] !== undefined);
  const encoded = given.map(([name, field]) => [name, field[ENCODE](values[name])] as const);
  return Object.fromEntries(encoded.filter(([, value]) => value !== undefined));
}

/** Was a schema made by the builders of fields.ts, so that it can check and decode? */
export function isField(schema: unknown): schema is Field<unknown> {
  return typeof schema === "object" && schema !== null && DECODE in schema;
}

/**
 * Checks a whole value, such as a request body.
 * @throws NodalError `validation_failed` with every failing field; `malformed_json` if there is no body at all.
 */
export function decode<T>(field: Field<T>, value: unknown): T {
  if (value === undefined || value === null) {
    throw new NodalError("malformed_json", "Send a JSON object as the body, with Content-Type: application/json.");
  }
  const errors: FieldError[] = [];
  const decoded = field[DECODE](value, "", errors);
  if (errors.length > 0) throw validationError(errors);
  return decoded;
}

function build<T>(schema: JsonSchema, decode: Decode<T>, encode: Encode<T>, isOptionalField: boolean): Field<T> {
  return Object.assign(Type.Unsafe<T>(schema), { [DECODE]: decode, [ENCODE]: encode, [OPTIONAL]: isOptionalField });
}

/** The published form of an optional field: it also takes null and, whatever its pattern, format or values, "". */
function publishOptional(schema: JsonSchema): JsonSchema {
  const { minLength: _, format: _format, type, pattern, enum: values, ...rest } = schema;
  return {
    ...rest,
    type: [...new Set([type, "string", "null"].flat())],
    ...(typeof pattern === "string" ? { pattern: `^$|${pattern}` } : {}),
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), "", null] } : {}),
  };
}
