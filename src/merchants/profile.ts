// A merchant's profile in requests and answers.
import { RecordList } from "../platform/http/record.ts";
import { optionalMembers } from "../platform/member.ts";
import type { Merchant, MerchantProfile } from "./merchant.ts";
import { COMPANY_MEMBERS, DEFAULT_TIME_ZONE, DETAIL_MEMBERS, PROFILE_MEMBERS } from "./profile-members.ts";

export const profileRecord = new RecordList(PROFILE_MEMBERS);
export const detailRecord = new RecordList(DETAIL_MEMBERS);
/** Values that a template can print instead. */
export const companyRecord = new RecordList(optionalMembers(COMPANY_MEMBERS));

/** A profile with a time zone, after a request that may set one. */
export function withTimeZone<Profile extends Partial<MerchantProfile>>(profile: Profile): Profile {
  return profile.timeZone === "" ? { ...profile, timeZone: DEFAULT_TIME_ZONE } : profile;
}

/** A merchant's profile by its API names. `show` formats account and PAN. */
export function describeProfile(merchant: Merchant, show: (text: string) => string) {
  return { merchant_id: String(merchant.merchantId), ...profileRecord.describe(merchant, show) };
}
