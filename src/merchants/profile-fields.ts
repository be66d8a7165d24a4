// What may stand in a merchant's profile: one field for each entry of MerchantProfile.
// What belongs here: forms and lengths. Whether a name or number is true is not checked.
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
