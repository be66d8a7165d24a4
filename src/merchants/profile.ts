// A merchant's profile at the edges: its fields as they may be given, and its members as they are shown.
import {
  bankAccount,
  email,
  gstin,
  ifsc,
  mobile,
  optional,
  optionalText,
  pan,
  pincode,
  requiredText,
  timeZone,
} from "../platform/http/fields.ts";
import { indianState } from "../platform/http/state-field.ts";
import type { Merchant } from "./merchant.ts";

/** The fields of a profile; the optional ones are `null` where nothing is given. */
export const profileFields = {
  name: requiredText(100),
  email: email(),
  mobile: optional(mobile()),
  address: optionalText(500),
  city: optionalText(100),
  state: optional(indianState()),
  zipcode: optional(pincode()),
  gstin: optional(gstin()),
  pan: optional(pan()),
  bankAccount: optional(bankAccount()),
  ifsc: optional(ifsc()),
  bankHolder: optionalText(100),
  timeZone: optional(timeZone()),
};

/** A merchant's profile in the names of the outside. `show` is how account and PAN may be seen. */
export function describeProfile(merchant: Merchant, show: (text: string) => string) {
  return {
    merchant_id: String(merchant.merchantId),
    name: merchant.name,
    email: merchant.email,
    mobile: merchant.mobile,
    address: merchant.address,
    city: merchant.city,
    state: merchant.state,
    zipcode: merchant.zipcode,
    gstin: merchant.gstin,
    pan: show(merchant.pan),
    bank_account: show(merchant.bankAccount),
    ifsc: merchant.ifsc,
    bank_holder: merchant.bankHolder,
    time_zone: merchant.timeZone,
  };
}
