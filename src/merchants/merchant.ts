// Merchants: their types, and the rules that need no database.
import { BUCKETS } from "../platform/database/buckets.ts";
import type { RecordOf } from "../platform/member.ts";
import type { PROFILE_MEMBERS } from "./profile-members.ts";

/** A merchant's full key: the bucket is the database's distribution key and never changes. */
export type MerchantKey = { readonly bucket: number; readonly merchantId: bigint };

/** The merchant's own bank account, where withdrawals go. */
export type MerchantBankAccount = {
  readonly accountNumber: string;
  readonly ifsc: string;
  readonly holder: string;
};

export type MerchantProfile = RecordOf<(typeof PROFILE_MEMBERS)[number]>;

/** Who bears a provider's fee for a transfer, by the merchant's contract with the platform. */
export const FEE_PAYERS = ["merchant", "platform"] as const;
export type FeePayer = (typeof FEE_PAYERS)[number];

/** The rail of each payout mode; unset if no account supports it. */
export type PayoutRails = Readonly<Partial<Record<"IMPS" | "NEFT" | "RTGS" | "UPI", string>>>;

export const WHEN_DOWN = ["wait", "next", "fail"] as const;
export type WhenDown = (typeof WHEN_DOWN)[number];

export const KYC_STATUSES = ["not_started", "pending", "approved", "rejected"] as const;
export type KycStatus = (typeof KYC_STATUSES)[number];

/** An operator's notes on the state of KYC. */
export type KycNotes = {
  /** Why it was rejected; empty in any other state. */
  readonly reasons: readonly string[];
  /** URLs or ids of documents that are stored elsewhere. */
  readonly documents: readonly string[];
};

export type MerchantStatus = "active" | "suspended";

export type Merchant = MerchantKey &
  MerchantProfile & {
    /** `null` for the installation's limit. */
    readonly rateLimitPerMinute: number | null;
    readonly status: MerchantStatus;
    /** Set if the row was changed with SQL: then the merchant counts as suspended, whatever the row says. */
    readonly isChanged?: true;
    /** Set when it was opened, and never changed. */
    readonly live: boolean;
    /** For a live merchant the sandbox that it was opened for, and for that sandbox the live merchant; else `null`. */
    readonly counterpartId: bigint | null;
    readonly feesPaidBy: FeePayer;
    readonly kycStatus: KycStatus;
    readonly kyc: KycNotes;
    /** The rails of the provider accounts with the first position; `null` if none is connected. */
    readonly payoutRails: PayoutRails | null;
    /** The treatment of unsent payouts while a provider is down or its balance is short. */
    readonly whenDown: WhenDown;
    /** After how many minutes of waiting they fail; `null` for never. */
    readonly giveUpMinutes: number | null;
    /** The day of a sandbox clock that was moved; `null` if it was not. Read it through `todayOf`. */
    readonly clockDate: Temporal.PlainDate | null;
    readonly createdAt: Temporal.Instant;
  };

export const NO_KYC: Pick<Merchant, "kycStatus" | "kyc"> = {
  kycStatus: "not_started",
  kyc: { reasons: [], documents: [] },
};

export const MODES = ["sandbox", "live"] as const;
export type Mode = (typeof MODES)[number];

/** The mode of a merchant, as a word. */
export function modeOf({ live }: Pick<Merchant, "live">): Mode {
  return live ? "live" : "sandbox";
}

/** The bucket of a new merchant: its id hashed into 128, by Fibonacci hashing, which spreads consecutive ids evenly. */
export function bucketOfNewMerchant(merchantId: bigint): number {
  const mixed = BigInt.asUintN(64, merchantId * 0x9e3779b97f4a7c15n);
  return Number((mixed >> 57n) % BigInt(BUCKETS));
}

/** The merchant's own account; `null` if the profile has none. */
export function ownBankAccount(merchant: MerchantProfile): MerchantBankAccount | null {
  if (merchant.bankAccount === "" || merchant.ifsc === "") return null;
  return { accountNumber: merchant.bankAccount, ifsc: merchant.ifsc, holder: merchant.bankHolder || merchant.name };
}

/** The settings that decide a merchant's day. */
export type MerchantClock = Pick<Merchant, "timeZone" | "live" | "clockDate">;

/**
 * Today in the merchant's time zone. A sandbox may have moved its clock ahead: then it is that day, until the real date has passed
 * it.
 */
export function todayOf(merchant: MerchantClock, now = Temporal.Now.instant()): Temporal.PlainDate {
  const real = now.toZonedDateTimeISO(merchant.timeZone).toPlainDate();
  const { clockDate } = merchant;
  if (merchant.live || clockDate === null) return real;
  return Temporal.PlainDate.compare(clockDate, real) > 0 ? clockDate : real;
}

/** The time of the merchant's clock: the present time of day, on the merchant's day. Equals merchant_now in the database. */
export function nowOf(merchant: MerchantClock, now = Temporal.Now.instant()): Temporal.Instant {
  const real = now.toZonedDateTimeISO(merchant.timeZone);
  return todayOf(merchant, now).toZonedDateTime({ timeZone: merchant.timeZone, plainTime: real }).toInstant();
}
