// A merchant's profile at the edges.
import { RecordList } from "../platform/http/record.ts";
import { optionalMembers } from "../platform/member.ts";
import type { Merchant, MerchantProfile } from "./merchant.ts";
import { COMPANY_MEMBERS, DEFAULT_TIME_ZONE, DETAIL_MEMBERS, PROFILE_MEMBERS } from "./profile-members.ts";

export const profileRecord = new RecordList(PROFILE_MEMBERS);
export const detailRecord = new RecordList(DETAIL_MEMBERS);
/** What a template may print instead. */
export const companyRecord = new RecordList(optionalMembers(COMPANY_MEMBERS));

/** A profile with a time zone, where a request has given or changed none. */
export function withTimeZone<Profile extends Partial<MerchantProfile>>(profile: Profile): Profile {
  return profile.timeZone === "" ? { ...profile, timeZone: DEFAULT_TIME_ZONE } : profile;
}

/** A merchant's profile in the names of the outside. `show` is how account and PAN may be seen. */
export function describeProfile(merchant: Merchant, show: (text: string) => string) {
  return { merchant_id: String(merchant.merchantId), ...profileRecord.describe(merchant, show) };
}
