// Who a franchise is, and how to reach it: one list for what is asked for, kept and shown.
import {
  aadhaar,
  email,
  gstin,
  ifSent,
  mobile,
  optional,
  optionalText,
  pan,
  pincode,
  requiredText,
  type Decoded,
  type Field,
} from "../platform/http/fields.ts";
import { indianState } from "../platform/http/state-field.ts";

export const contactFields = {
  franchise_name: requiredText(100),
  contact_person_name: requiredText(100),
  email_id: email(),
  mobile: mobile(),
  pan_number: optional(pan()),
  aadhar_number: optional(aadhaar()),
  gst_number: optional(gstin()),
  address: optionalText(500),
  city: optionalText(100),
  state: optional(indianState()),
  zipcode: optional(pincode()),
};
type ContactFields = typeof contactFields;
type WireName = keyof ContactFields;

/** Encrypted where it is kept, and masked where it is shown. */
const SECRET: ReadonlySet<WireName> = new Set(["pan_number", "aadhar_number"] as const);

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type PropertyOf<Name extends string> = Name extends "franchise_name" ? "name" : Camel<Name>;

/** A franchise's contact. Texts that were not given are empty. */
export type FranchiseContact = { readonly [Name in WireName as PropertyOf<Name>]: string };

const NAMES = Object.keys(contactFields) as WireName[];

function propertyOf(name: WireName): keyof FranchiseContact {
  const property =
    name === "franchise_name" ? "name" : name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  return property as keyof FranchiseContact;
}

type Changeable = { readonly [Name in WireName]: Field<Decoded<ContactFields[Name]> | undefined> };

/** What may change by the API. What is not sent stays as it is. */
export const changeFields = Object.fromEntries(
  NAMES.map((name) => [name, ifSent(contactFields[name] as Field<string | null>)]),
) as Changeable;

/** The contact that a request asks for. */
export function readContact(body: { readonly [Name in WireName]?: string | null }): FranchiseContact {
  return Object.fromEntries(NAMES.map((name) => [propertyOf(name), body[name] ?? ""])) as FranchiseContact;
}

/** What a request asks to change: the fields that were sent; an optional one that was sent empty is cleared. */
export function readChanges(body: {
  readonly [Name in WireName]: string | null | undefined;
}): Partial<FranchiseContact> {
  const sent = NAMES.filter((name) => body[name] !== undefined);
  return Object.fromEntries(sent.map((name) => [propertyOf(name), body[name] ?? ""]));
}

/** A contact as the wire writes it; `show` says what of the secret numbers is shown. */
export function describeContact(
  contact: FranchiseContact,
  show: (text: string) => string,
): { readonly [Name in WireName]: string } {
  const entries = NAMES.map((name) => {
    const text = contact[propertyOf(name)];
    return [name, SECRET.has(name) ? show(text) : text] as const;
  });
  return Object.fromEntries(entries) as { [Name in WireName]: string };
}
