// Merchants: their types, and the rules that need no database.
// What belongs here: what a merchant is, and which bucket it lives in.

/** Names a merchant everywhere: the bucket is the database's distribution key and stays what it was at creation. */
export type MerchantKey = { readonly bucket: number; readonly merchantId: bigint };

/** The merchant's own bank account, where withdrawals go. */
export type MerchantBankAccount = {
  readonly accountNumber: string;
  readonly ifsc: string;
  readonly holder: string;
};

export type MerchantProfile = {
  readonly name: string;
  readonly email: string;
  readonly mobile: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
  readonly gstin: string;
  readonly pan: string;
  readonly bankAccount: string;
  readonly ifsc: string;
  readonly bankHolder: string;
  readonly timeZone: string;
};

/** Of merchants that name none. Source: decisions.md, "Values". */
export const DEFAULT_TIME_ZONE = "Asia/Kolkata";

export type MerchantStatus = "active" | "suspended";

export type Merchant = MerchantKey &
  MerchantProfile & {
    /** `null` where the installation's limit applies. */
    readonly rateLimitPerMinute: number | null;
    readonly status: MerchantStatus;
    readonly live: boolean;
    /** The day that a moved sandbox clock shows; `null` where it was not moved. Read it through `todayOf`. */
    readonly clockDate: Temporal.PlainDate | null;
    readonly createdAt: Temporal.Instant;
  };

const BUCKETS = 128n;

/** The bucket of a new merchant: a hash of its id into 128. Fibonacci hashing, so that ids in a row spread evenly. */
export function bucketOfNewMerchant(merchantId: bigint): number {
  const mixed = BigInt.asUintN(64, merchantId * 0x9e3779b97f4a7c15n);
  return Number((mixed >> 57n) % BUCKETS);
}

/** The merchant's own account, or `null` where the profile has none. */
export function ownBankAccount(merchant: MerchantProfile): MerchantBankAccount | null {
  if (merchant.bankAccount === "" || merchant.ifsc === "") return null;
  return { accountNumber: merchant.bankAccount, ifsc: merchant.ifsc, holder: merchant.bankHolder || merchant.name };
}
