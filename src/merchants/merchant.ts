// Merchants: their types, and the rules that need no database.
import { BUCKETS } from "../platform/database/buckets.ts";
import type { RecordOf } from "../platform/member.ts";
import type { PROFILE_MEMBERS } from "./profile-members.ts";

/** Names a merchant everywhere: the bucket is the database's distribution key and stays what it was at creation. */
export type MerchantKey = { readonly bucket: number; readonly merchantId: bigint };

/** The merchant's own bank account, where withdrawals go. */
export type MerchantBankAccount = {
  readonly accountNumber: string;
  readonly ifsc: string;
  readonly holder: string;
};

export type MerchantProfile = RecordOf<(typeof PROFILE_MEMBERS)[number]>;

/** Who bears what a payout provider takes for a transfer, by the merchant's contract with the platform. */
export const FEE_PAYERS = ["merchant", "platform"] as const;
export type FeePayer = (typeof FEE_PAYERS)[number];

/** Over which rail a payout leaves, by the way that money goes; none where no account carries it. */
export type PayoutRails = Readonly<Partial<Record<"IMPS" | "NEFT" | "RTGS" | "UPI", string>>>;

export const WHEN_DOWN = ["wait", "next", "fail"] as const;
export type WhenDown = (typeof WHEN_DOWN)[number];

export const KYC_STATUSES = ["not_started", "pending", "approved", "rejected"] as const;
export type KycStatus = (typeof KYC_STATUSES)[number];

/** What an operator notes beside the state of KYC. */
export type KycNotes = {
  /** Why it was rejected; empty in any other state. */
  readonly reasons: readonly string[];
  /** URLs or ids of documents that are kept elsewhere. */
  readonly documents: readonly string[];
};

export type MerchantStatus = "active" | "suspended";

export type Merchant = MerchantKey &
  MerchantProfile & {
    /** `null` where the installation's limit applies. */
    readonly rateLimitPerMinute: number | null;
    readonly status: MerchantStatus;
    /** Set where the row was changed with SQL: then the merchant counts as suspended, whatever the row says. */
    readonly isChanged?: true;
    /** What it was opened as: it stays so. */
    readonly live: boolean;
    /** Of a live merchant the sandbox that it was opened beside, of that sandbox the live merchant; `null` for one by itself. */
    readonly counterpartId: bigint | null;
    readonly feesPaidBy: FeePayer;
    readonly kycStatus: KycStatus;
    readonly kyc: KycNotes;
    /** The rails of the accounts at providers that come first; `null` where none is connected. */
    readonly payoutRails: PayoutRails | null;
    /** What becomes of payouts that were never sent while a provider is down or its balance is short. */
    readonly whenDown: WhenDown;
    /** After how many minutes of such waiting they fail; `null` for never. */
    readonly giveUpMinutes: number | null;
    /** The day that a moved sandbox clock shows; `null` where it was not moved. Read it through `todayOf`. */
    readonly clockDate: Temporal.PlainDate | null;
    readonly createdAt: Temporal.Instant;
  };

/** KYC of a new merchant. */
export const NO_KYC: Pick<Merchant, "kycStatus" | "kyc"> = {
  kycStatus: "not_started",
  kyc: { reasons: [], documents: [] },
};

export const MODES = ["sandbox", "live"] as const;
export type Mode = (typeof MODES)[number];

/** Which of the two a merchant is, in a word. */
export function modeOf({ live }: Pick<Merchant, "live">): Mode {
  return live ? "live" : "sandbox";
}

/** The bucket of a new merchant: a hash of its id into 128. Fibonacci hashing, so that ids in a row spread evenly. */
export function bucketOfNewMerchant(merchantId: bigint): number {
  const mixed = BigInt.asUintN(64, merchantId * 0x9e3779b97f4a7c15n);
  return Number((mixed >> 57n) % BigInt(BUCKETS));
}

/** The merchant's own account, or `null` where the profile has none. */
export function ownBankAccount(merchant: MerchantProfile): MerchantBankAccount | null {
  if (merchant.bankAccount === "" || merchant.ifsc === "") return null;
  return { accountNumber: merchant.bankAccount, ifsc: merchant.ifsc, holder: merchant.bankHolder || merchant.name };
}

/** What decides a merchant's day. */
export type MerchantClock = Pick<Merchant, "timeZone" | "live" | "clockDate">;

/**
 * Today where the merchant is. A merchant in the sandbox may have moved its clock ahead: then it is that day, until the
 * real date has passed it.
 */
export function todayOf(merchant: MerchantClock, now = Temporal.Now.instant()): Temporal.PlainDate {
  const real = now.toZonedDateTimeISO(merchant.timeZone).toPlainDate();
  const { clockDate } = merchant;
  if (merchant.live || clockDate === null) return real;
  return Temporal.PlainDate.compare(clockDate, real) > 0 ? clockDate : real;
}

/**
 * The instant that the merchant's clock shows: the present one, on the day that it is there. The same as merchant_now in
 * the database.
 */
export function nowOf(merchant: MerchantClock, now = Temporal.Now.instant()): Temporal.Instant {
  const real = now.toZonedDateTimeISO(merchant.timeZone);
  return todayOf(merchant, now).toZonedDateTime({ timeZone: merchant.timeZone, plainTime: real }).toInstant();
}
