// The members of a record: a customer, a beneficiary, a franchise, a company. One list of members defines the type, the
// database columns, requests, answers, files, command options and forms. The dashboard imports this file, so it must
// run in a browser.

/** The kind of a member: http/record.ts checks it on the server, the dashboard's record-field.tsx has the inputs. */
export type MemberKind =
  | "text"
  /** Text, or a whole number as its digits. */
  | "code"
  | "email"
  | "mobile"
  /** A state of India, which decides the tax. */
  | "state"
  | "pincode"
  /** A postal code of any country. */
  | "postal-code"
  | "gstin"
  | "pan"
  | "aadhaar"
  | "account"
  | "ifsc"
  | "upi"
  | "time-zone"
  /** A day, as `YYYY-MM-DD`. */
  | "date"
  /** One of `choices`. */
  | "choice";

export type Member = {
  /** In requests, files and forms. */
  readonly name: string;
  readonly kind: MemberKind;
  /** In the code; default: the name in camel case. */
  readonly property?: string;
  /** In the database and in answers of the API; default: the name. */
  readonly column?: string;
  readonly answer?: string;
  /** In characters, for `text`, `code` and `postal-code`. */
  readonly maxLength?: number;
  /** Of a `choice`. */
  readonly choices?: readonly string[];
  /** Any other member may be left out. */
  readonly isRequired?: true;
  /** Encrypted in the database, and masked for people without permission to see it. */
  readonly isSealed?: true;
  /** Without a value it is `null`, not "". */
  readonly isNullable?: true;
  /** The text in a command's help. */
  readonly help?: string;
};

export type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
export type PropertyOf<M extends Member> = M extends { readonly property: infer Property extends string }
  ? Property
  : Camel<M["name"]>;
type AnswerOf<M extends Member> = M extends { readonly answer: infer Name extends string } ? Name : M["name"];

/** The record of a list of members, in the code. */
export type RecordOf<M extends Member> = {
  readonly [Each in M as PropertyOf<Each>]: Each extends { readonly isNullable: true } ? string | null : string;
};
/** The same in forms and files: each member is text. */
export type TextsOf<M extends Member> = { readonly [Each in M as Each["name"]]: string };
/** The same in answers of the API. */
export type AnswersOf<M extends Member> = { readonly [Each in M as AnswerOf<Each>]: string };

type Optional<M extends Member> = M extends Member ? Omit<M, "isRequired"> : never;

/** The same members, none of which is required. */
export function optionalMembers<M extends Member>(members: readonly M[]): readonly Optional<M>[] {
  return members.map((member) => ({ ...member, isRequired: undefined }) as unknown as Optional<M>);
}

/** `bankAccount` for `bank_account`. */
export function camelCase<Name extends string>(name: Name): Camel<Name> {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as Camel<Name>;
}

/** A text for each member, by its name. */
export function memberTexts<const M extends Member>(
  members: readonly M[],
  read: (name: M["name"]) => string,
): TextsOf<M> {
  return Object.fromEntries(members.map(({ name }) => [name, read(name)])) as TextsOf<M>;
}
