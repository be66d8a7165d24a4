// The members of a beneficiary and its contact details. The dashboard imports this file, so it must run in a browser.
import type { Member } from "../../platform/member.ts";

type BeneficiaryMember = Member & {
  /** A contact detail, which may change; name and account never do. */
  readonly isContact?: true;
};

/** In the order of the API. docs/rules/payouts.md#beneficiaries has the rules between them. */
export const BENEFICIARY_MEMBERS = [
  { name: "name", kind: "text", maxLength: 100, isRequired: true },
  { name: "email_id", kind: "email", isContact: true, help: "its e-mail address" },
  { name: "mobile", kind: "mobile", isContact: true, help: "its mobile number" },
  { name: "account_number", answer: "bank_account_no", kind: "account", isSealed: true, isNullable: true },
  { name: "ifsc", answer: "ifsc_code", kind: "ifsc", isNullable: true },
  { name: "upi", kind: "upi", isSealed: true, isNullable: true },
  { name: "address", kind: "text", maxLength: 500, isContact: true, help: "its postal address" },
  { name: "city", kind: "text", maxLength: 100, isContact: true, help: "its city" },
  { name: "state", kind: "text", maxLength: 100, isContact: true, help: "its state" },
  {
    name: "pincode",
    property: "zipcode",
    column: "zipcode",
    answer: "zipcode",
    kind: "pincode",
    isContact: true,
    help: "its postal code",
  },
] as const satisfies readonly BeneficiaryMember[];

type Listed = (typeof BENEFICIARY_MEMBERS)[number];
type ContactMember = Extract<Listed, { readonly isContact: true }>;

export const CONTACT_MEMBERS = BENEFICIARY_MEMBERS.filter((member): member is ContactMember => "isContact" in member);
export const ACCOUNT_MEMBERS = BENEFICIARY_MEMBERS.filter((member) => "isNullable" in member);
