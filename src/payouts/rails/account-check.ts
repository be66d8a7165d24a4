// Asking a bank whose an account is, before anything is paid there: the question, and what a bank may say.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Payee } from "./rail.ts";

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
