// The members of a record as options of a command.
import type { Field } from "../platform/http/fields.ts";
import { camelCase, type Camel, type Member, type MemberKind } from "../platform/member.ts";
import { option, type OptionOf } from "./command.ts";

/** The value's placeholder in the help. */
const VALUES: { readonly [Kind in MemberKind]: string } = {
  text: "<text>",
  code: "<text>",
  email: "<address>",
  mobile: "<number>",
  state: "<text>",
  pincode: "<digits>",
  "postal-code": "<text>",
  gstin: "<gstin>",
  pan: "<pan>",
  aadhaar: "<digits>",
  account: "<number>",
  ifsc: "<ifsc>",
  upi: "<handle>",
  "time-zone": "<name>",
  date: "<date>",
  choice: "<word>",
};

/**
 * An option for each member, named after it: `--company-email` for `email` with the prefix `company_`. `say` makes its
 * help.
 */
export function memberOptions<M extends Member, T, const Prefix extends string = "">(
  members: readonly M[],
  fields: { readonly [Name in M["name"]]: Field<T> },
  prefix = "" as Prefix,
  say: (help: string) => string = (help) => help,
) {
  const options = members.map(({ name, kind, help = name }) => {
    return [camelCase(prefix + name), option(VALUES[kind], say(help), fields[name as M["name"]])];
  });
  return Object.fromEntries(options) as { readonly [Each in M as Camel<`${Prefix}${Each["name"]}`>]: OptionOf<T> };
}

/** The values of such options, by the names of the members. */
export function memberValues<M extends Member>(
  members: readonly M[],
  values: Readonly<Record<string, unknown>>,
  prefix = "",
) {
  const entries = members.map(({ name }) => [name, values[camelCase(prefix + name)]]);
  return Object.fromEntries(entries) as { readonly [Name in M["name"]]: string | null | undefined };
}
