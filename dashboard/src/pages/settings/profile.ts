// The profile as the server describes it.
// What belongs here: its type, the entries that can be changed, and under which key it is kept.

export const PROFILE_FIELDS = [
  "name",
  "email",
  "mobile",
  "address",
  "city",
  "state",
  "zipcode",
  "gstin",
  "pan",
  "time_zone",
] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

export type Profile = Readonly<Record<ProfileField, string>> & {
  readonly merchant_id: string;
  /** Masked, unless one may see such data. */
  readonly bank_account: string;
  readonly ifsc: string;
  readonly bank_holder: string;
  readonly live: boolean;
};

export type ProfileAnswer = {
  readonly profile: Profile;
  readonly warnings: readonly { readonly field: "gstin" | "pan" | "state"; readonly message: string }[];
};

export const PROFILE_KEY = ["/profile"];
