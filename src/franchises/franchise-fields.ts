// Requests that save or change a franchise: fields, checks and decoding. Rules that need the database are in save-franchise.ts.
import { NumberLiteral } from "../platform/json.ts";
import { formatPaise, parsePaise } from "../platform/money.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail, requiredField, type Decode } from "../platform/http/field.ts";
import type { Warning } from "../platform/http/warning.ts";
import {
  bankAccount,
  digitsOrNumber,
  email,
  flag,
  ifsc,
  object,
  oneOf,
  optional,
  optionalText,
  rawText,
  requiredText,
  textOrNumber,
  type Between,
  type Decoded,
  type Field,
} from "../platform/http/fields.ts";
import { contactRecord, type FranchiseAccount, type FranchiseTerms } from "./franchise.ts";
import type { FranchiseDraft } from "./save-franchise.ts";

const PASSWORD_MIN_LENGTH = 8;
const PASSWORD_MAX_LENGTH = 200;
const HUNDRED_PER_CENT = 10_000n;

export const saveFields = {
  franchise_code: textOrNumber(45),
  ...contactRecord.fields,
  enable_online_settlement: optional(flag()),
  commission_type: oneOf(["Percentage", "Fixed"]),
  commission: commissionValue(),
  settlement_type: oneOf(["Auto", "Manual"]),
  bank_holder_name: optionalText(100),
  account_number: optional(bankAccount()),
  bank_name: optionalText(100),
  account_type: optional(oneOf(["Saving", "Current"])),
  ifsc: optional(ifsc()),
  enable_franchise_login: optional(flag()),
  login_email: optional(email()),
  password: optional(rawText(PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH)),
  role_name: optionalText(100),
};
export const saveBody = object(saveFields);

export const updateBody = object({ franchise_id: digitsOrNumber(16), ...contactRecord.changes });

/** Terms that replace the earlier ones. */
export const termsFields = {
  commission_type: oneOf(["Percentage", "Fixed"]),
  commission: commissionValue(),
  settlement_type: oneOf(["Auto", "Manual"]),
  enable_online_settlement: flag(),
};

/** A bank account that replaces the earlier one. */
export const accountFields = {
  bank_holder_name: requiredText(100),
  account_number: bankAccount(),
  bank_name: requiredText(100),
  account_type: oneOf(["Saving", "Current"]),
  ifsc: ifsc(),
};

/** The new login of a franchise; a missing password doesn't change. */
export const loginFields = {
  login_email: email(),
  password: optional(rawText(PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH)),
  role_name: requiredText(100),
};

export const deleteBody = object({ franchise_id: digitsOrNumber(16) });

export type SaveBody = Decoded<typeof saveBody>;

/** A percentage or an amount, by the type beside it; decoded into hundredths of either. */
function commissionValue(): Field<bigint> {
  const hint = 'an amount in rupees or a percentage, with at most 2 decimals, such as "12.50"';
  const schema = { type: ["string", "number"], pattern: "^[0-9]{1,13}(?:\\.[0-9]{1,2})?$", maxLength: 16, minimum: 0 };
  const decode: Decode<bigint> = (value, path, errors) => {
    const hundredths = parsePaise(value instanceof NumberLiteral ? value.text : value);
    if (hundredths !== null) return hundredths;
    fail(errors, path, "invalid", `must be ${hint}.`);
    return 0n;
  };
  // Hundredths of a percent are written as paise are.
  return requiredField(schema, hint, decode, { encode: formatPaise });
}

/** Adds errors about combinations of valid fields: docs/rules/franchises.md#saving-a-franchise. */
export function checkSaveBody(body: SaveBody, errors: FieldError[]): void {
  if (isTooHighRate(body)) fail(errors, "commission", "invalid", RATE_PROBLEM);
  requireAll(body, body.enable_online_settlement ? BANK_FIELDS : [], "online settlement", errors);
  if (!body.enable_online_settlement && (body.account_number === null) !== (body.ifsc === null)) {
    requireAll(body, ["account_number", "ifsc"], "a bank account", errors);
  }
  requireAll(body, body.enable_franchise_login ? LOGIN_FIELDS : [], "a franchise login", errors);
}

const RATE_PROBLEM = "must be a percentage from 0 to 100.";

type Rate = Partial<Pick<SaveBody, "commission_type" | "commission">>;

function isTooHighRate({ commission_type: type, commission = 0n }: Rate): boolean {
  return type === "Percentage" && commission > HUNDRED_PER_CENT;
}

const BANK_FIELDS = ["bank_holder_name", "account_number", "bank_name", "account_type", "ifsc"] as const;
const LOGIN_FIELDS = ["login_email", "password", "role_name"] as const;

function requireAll(body: SaveBody, names: readonly (keyof SaveBody)[], purpose: string, errors: FieldError[]): void {
  for (const name of names) {
    if (body[name] === null) fail(errors, name, "required", `is required for ${purpose}.`);
  }
}

/** Warnings about a valid request with surprising values: docs/rules/values-and-errors.md#warnings. */
export function warningsOfFranchise({
  settlement_type: type,
  enable_online_settlement: isOnline,
}: SaveBody): Warning[] {
  if (type !== "Auto" || isOnline) return [];
  const message =
    "Commission is not paid automatically: settlement_type Auto needs enable_online_settlement 1 and the bank account. " +
    "Turn on online settlement in the dashboard, or pay commission there.";
  return [{ code: "commission_not_paid_out", field: "settlement_type", message }];
}

/** The franchise to save, from a valid request. Login fields of a franchise without a login are dropped. */
export function readDraft(body: SaveBody): FranchiseDraft {
  return {
    code: body.franchise_code,
    contact: contactRecord.read(body),
    terms: {
      onlineSettlement: body.enable_online_settlement ?? false,
      commissionType: body.commission_type,
      commissionHundredths: body.commission,
      settlementType: body.settlement_type,
    },
    account: {
      holderName: body.bank_holder_name ?? "",
      accountNumber: body.account_number ?? "",
      bankName: body.bank_name ?? "",
      accountType: body.account_type ?? "",
      ifsc: body.ifsc ?? "",
    },
    login: body.enable_franchise_login
      ? { email: body.login_email!, password: body.password!, roleName: body.role_name! }
      : null,
  };
}

/** Errors about combinations of the fields of new terms. */
export const checkTerms: Between<typeof termsFields> = (terms, refuse) => {
  if (isTooHighRate(terms)) refuse("commission", "invalid", RATE_PROBLEM);
};

/** The new terms in a request. */
export function readTerms(body: Values<typeof termsFields>): FranchiseTerms {
  return {
    onlineSettlement: body.enable_online_settlement,
    commissionType: body.commission_type,
    commissionHundredths: body.commission,
    settlementType: body.settlement_type,
  };
}

/** The account in a request. */
export function readAccount(body: Values<typeof accountFields>): FranchiseAccount {
  return {
    holderName: body.bank_holder_name,
    accountNumber: body.account_number,
    bankName: body.bank_name,
    accountType: body.account_type,
    ifsc: body.ifsc,
  };
}

type Values<F extends Readonly<Record<string, Field<unknown>>>> = { readonly [Name in keyof F]: Decoded<F[Name]> };
