// The calls to a bank or payout provider, and its answers. Every connector implements `Rail`; some can also verify who owns an
// account. The terms here are those of providers; transfer.ts has the states of our transfers.
import type { MerchantKey } from "../../merchants/index.ts";

export type RailMode = "IMPS" | "NEFT" | "RTGS" | "UPI";

/** Where the money goes: a bank account or a UPI handle. */
export type Payee = {
  readonly name: string;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
};

/** One payment to make. `transferId` identifies it at the bank forever: repeating the id means the same payment. */
export type PaymentInstruction = {
  readonly transferId: bigint;
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly amountPaise: bigint;
  readonly mode: RailMode;
  readonly payee: Payee;
  readonly narrative: string;
};

/** Whether it has a destination. It has none if the beneficiary's row is gone, or its account can't be decrypted. */
export function hasDestination({ mode, payee }: PaymentInstruction): boolean {
  return (mode === "UPI" ? payee.upi : payee.accountNumber) !== null;
}

export type PaymentStatus = "PENDING" | "SUCCESS" | "FAILED" | "REVERSED" | "REJECTED";

/** A bank's report on a payment. May arrive twice and out of order; the receiver applies it by rank of status. */
export type PaymentReport = {
  readonly transferId: bigint;
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly status: PaymentStatus;
  /** The bank's reference, at most 30 characters; `null` until there is one. */
  readonly utr: string | null;
  /** Why the payment failed, or what it waits for at the provider, as shown to people; `null` for neither. */
  readonly reason: string | null;
  /** Present on a pending payment that the provider has accepted, and makes once the account has enough balance. */
  readonly isShort?: true;
  /** Whether the beneficiary's bank has confirmed the credit. */
  readonly acknowledged: boolean;
  /** The provider's fee for a payment that it made; absent if not reported. */
  readonly fee?: ProviderFee;
  /** Whether the provider returns its fee, because the payment came back. */
  readonly returnsFee?: boolean;
};

/** A provider's fee for a payment, and the tax on it, in paise. Neither is part of the payment's amount. */
export type ProviderFee = { readonly feePaise: bigint; readonly taxPaise: bigint };

/** Identifies a payment to ask about. A payment with this id but another amount is not this payment. */
export type PaymentReference = Pick<PaymentInstruction, "transferId" | "bucket" | "merchantId"> &
  Partial<Pick<PaymentInstruction, "amountPaise">>;

/**
 * A connection to banks. `submit` and `status` reject if the outcome is unknown (timeout, broken connection, provider error): the caller
 * then asks for the status of the same id, and never starts another payment.
 */
export interface Rail {
  readonly name: string;
  /** Makes the payment. Repeated with an id that the bank knows, it returns that payment and pays nothing. */
  submit(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport>;
  /** The bank's current status of the payment; `null` if the bank doesn't know the id. */
  status(reference: PaymentReference, signal: AbortSignal): Promise<PaymentReport | null>;
  /**
   * Starts to deliver changes that the bank reports unasked, such as a late success or a reversal. A report is repeated until `onReport`
   * resolves.
   */
  start(onReport: (report: PaymentReport) => Promise<void>): void;
  /** Stops deliveries and closes connections. The caller aborts calls in progress. */
  stop(): Promise<void>;
}

/** An account to ask about, for a merchant. */
export type AccountQuestion = MerchantKey & {
  readonly payee: Payee & { readonly accountNumber: string; readonly ifsc: string };
  /** The payee's mobile number as it was given, or empty. */
  readonly mobile: string;
  /** The provider's id of an earlier question about this account that is still unanswered. */
  readonly reference: string | null;
};

export type AccountCheck =
  | {
      readonly status: "valid";
      readonly nameAtBank: string;
      /** Empty if the provider does not give it. */
      readonly branch: string;
      readonly utr: string;
    }
  | { readonly status: "invalid"; readonly reason: string }
  /** The bank has not answered yet: ask again, with the reference. */
  | { readonly status: "pending"; readonly reference: string };
