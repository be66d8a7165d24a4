// Franchises: whom a merchant gives a share of what is paid on certain invoices. Who one is, and how to reach it, is one
// list for what is asked for, kept and shown.
import type { MerchantKey } from "../merchants/index.ts";
import type { Columns } from "../platform/database/table.ts";
import { NodalError } from "../platform/errors.ts";
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

export type CommissionType = "Percentage" | "Fixed";
export type SettlementType = "Auto" | "Manual";
export type AccountType = "" | "Saving" | "Current";

/** What commission is earned by. */
export type CommissionRate = {
  readonly commissionType: CommissionType;
  /** Hundredths of a per cent, or paise, by the type. */
  readonly commissionHundredths: bigint;
};

export type FranchiseTerms = CommissionRate & {
  readonly onlineSettlement: boolean;
  readonly settlementType: SettlementType;
};

/** Where its commission goes. Texts that were not given are empty; the number and the IFSC are there both or neither. */
export type FranchiseAccount = {
  readonly holderName: string;
  readonly accountNumber: string;
  readonly bankName: string;
  readonly accountType: AccountType;
  readonly ifsc: string;
};

export type FranchiseKey = MerchantKey & { readonly franchiseId: bigint };

export type Franchise = FranchiseKey &
  FranchiseContact &
  FranchiseTerms & {
    readonly code: string;
    readonly account: FranchiseAccount;
    /** The beneficiary that has the account; `null` without one. */
    readonly beneficiaryId: bigint | null;
    readonly loginEmail: string | null;
    readonly roleName: string | null;
    /** From when on the next automatic payout of commission is due, where there are such. */
    readonly nextPayoutAt: Temporal.Instant;
    readonly createdAt: Temporal.Instant;
    readonly deletedAt: Temporal.Instant | null;
  };

/**
 * Whether commission is paid out each day, without anybody asking for it: docs/rules/franchises.md#automatic-payout.
 */
export function isPaidByItself({ settlementType, onlineSettlement }: FranchiseTerms): boolean {
  return settlementType === "Auto" && onlineSettlement;
}

/** The beginning of the next day in the merchant's time zone: commission is paid out once a day, for the days before. */
export function nextPayoutAfter(now: Temporal.Instant, timeZone: string): Temporal.Instant {
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  return today.add({ days: 1 }).toZonedDateTime(timeZone).toInstant();
}

/** The refusal for a franchise that the merchant does not have, or not any more. */
export function franchiseNotFound(): NodalError {
  return new NodalError(
    "franchise_not_found",
    "This franchise does not exist: use a franchise_id from POST /api/v1/franchise/save.",
  );
}

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

/** Where it is kept: under the names of the API. */
export const contactColumns = Object.fromEntries(
  NAMES.map((name): [string, string] => [propertyOf(name), `${name} text${SECRET.has(name) ? " sealed" : ""}`]),
) as Columns<FranchiseContact>;

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
