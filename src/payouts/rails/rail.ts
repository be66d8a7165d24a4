// What Nodal asks of a bank or payout provider, and what it hears back. Every connector implements `Rail`; some can also say
// whose an account is, before anything is paid there. The words are the provider side's; states of our transfers are in
// transfer.ts.
import type { MerchantKey } from "../../merchants/index.ts";

export type RailMode = "IMPS" | "NEFT" | "RTGS" | "UPI";

/** Where the money goes: a bank account or a UPI handle. */
export type Payee = {
  readonly name: string;
  readonly accountNumber: string | null;
  readonly ifsc: string | null;
  readonly upi: string | null;
};

/** One payment to make. `transferId` identifies it at the bank, forever: the same id again is the same payment. */
export type PaymentInstruction = {
  readonly transferId: bigint;
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly amountPaise: bigint;
  readonly mode: RailMode;
  readonly payee: Payee;
  readonly narrative: string;
};

/** Whether it says where the money goes. It does not where a beneficiary's row is gone, or its account does not open. */
export function hasDestination({ mode, payee }: PaymentInstruction): boolean {
  return (mode === "UPI" ? payee.upi : payee.accountNumber) !== null;
}

export type PaymentStatus = "PENDING" | "SUCCESS" | "FAILED" | "REVERSED" | "REJECTED";

/** What the bank says of a payment. May come twice and out of order; the receiver applies it by rank of status. */
export type PaymentReport = {
  readonly transferId: bigint;
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly status: PaymentStatus;
  /** The bank's reference, at most 30 characters; `null` until there is one. */
  readonly utr: string | null;
  /** Why the payment did not go through, or what it waits for at the provider, for people; `null` for neither. */
  readonly reason: string | null;
  /** Present on a pending payment that the provider has accepted, and makes once the account has enough balance. */
  readonly isShort?: true;
  /** Whether the beneficiary's bank has confirmed the credit. */
  readonly acknowledged: boolean;
  /** What the provider has taken for a payment that it made; absent where it says nothing of it. */
  readonly fee?: ProviderFee;
  /** Whether the provider gives back what it took for the payment, since the payment came back. */
  readonly returnsFee?: boolean;
};

/** What a provider takes for a payment, and the tax on that, in paise. Neither is part of the payment's amount. */
export type ProviderFee = { readonly feePaise: bigint; readonly taxPaise: bigint };

/** Identifies a payment to ask about. What is found under the id with another amount than the given one is not this payment. */
export type PaymentReference = Pick<PaymentInstruction, "transferId" | "bucket" | "merchantId"> &
  Partial<Pick<PaymentInstruction, "amountPaise">>;

/**
 * A way to the banks. `submit` and `status` reject when the outcome is not known (timeout, broken connection,
 * provider error): the caller then asks for the status of the same id, and never starts another payment.
 */
export interface Rail {
  readonly name: string;
  /** Makes the payment. Called again with an id that the bank knows, it answers with that payment and pays nothing. */
  submit(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport>;
  /** The payment as the bank has it now, or `null` where the bank has never heard of the id. */
  status(reference: PaymentReference, signal: AbortSignal): Promise<PaymentReport | null>;
  /**
   * Starts to deliver changes that the bank reports by itself, such as a late success or a reversal. A report is
   * delivered again until `onReport` resolves.
   */
  start(onReport: (report: PaymentReport) => Promise<void>): void;
  /** Stops deliveries and lets go of connections. Calls under way are the caller's to abort. */
  stop(): Promise<void>;
}

/** An account to ask about, for a merchant. */
export type AccountQuestion = MerchantKey & {
  readonly payee: Payee & { readonly accountNumber: string; readonly ifsc: string };
  /** The payee's mobile number as it was given, or empty. */
  readonly mobile: string;
  /** What the provider called an earlier question of this account that is not answered yet. */
  readonly reference: string | null;
};

export type AccountCheck =
  | {
      readonly status: "valid";
      readonly nameAtBank: string;
      /** Empty where the provider does not say. */
      readonly branch: string;
      readonly utr: string;
    }
  | { readonly status: "invalid"; readonly reason: string }
  /** The bank has not answered yet: ask again, with the reference. */
  | { readonly status: "pending"; readonly reference: string };
