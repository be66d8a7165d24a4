// A merchant's profile as the dashboard and the command line show it.
// What belongs here: the names of its members. Who may see what is the caller's.
import type { Merchant } from "./merchant.ts";

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
