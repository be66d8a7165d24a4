// How money was paid: the mode, and what each mode has beside it.
import { NativeSelect, TextInput } from "@mantine/core";
import { payments } from "../strings/billing-lists.ts";
import { payment as words } from "../strings/invoices.ts";
import type { ApiForm } from "./form.tsx";

const MODES = ["Cash", "Cheque", "NEFT", "RTGS", "IMPS", "UPI", "Card", "Online"] as const;
/** The further fields of each mode. */
const ASKED: Readonly<Record<string, readonly Detail[]>> = {
  Cash: ["cash_paid_to"],
  Cheque: ["cheque_no", "bank_name"],
};
const OF_BANKS: readonly Detail[] = ["bank_name", "bank_ref_no"];
const LABELS = {
  bank_name: words.bankName,
  bank_ref_no: words.bankRefNo,
  cheque_no: words.chequeNo,
  cash_paid_to: words.cashPaidTo,
};
type Detail = keyof typeof LABELS;

/** The fields of a form that say how money was paid. */
export type PaymentMode = { mode: string } & Record<Detail, string>;

/** The values of a new form. */
export const EMPTY_MODE: PaymentMode = { mode: "UPI", bank_name: "", bank_ref_no: "", cheque_no: "", cash_paid_to: "" };

const askedFor = (mode: string): readonly Detail[] => ASKED[mode] ?? OF_BANKS;

/** The mode and what it asks for, for a request: what was typed for another mode is left out. */
export function toPaymentMode(values: PaymentMode): Pick<PaymentMode, "mode"> & Partial<PaymentMode> {
  return { mode: values.mode, ...Object.fromEntries(askedFor(values.mode).map((name) => [name, values[name]])) };
}

const NAMES: Readonly<Record<string, string>> = payments.modes;

/** What a mode of payment is called. */
export const modeName = (mode: string): string => NAMES[mode] ?? mode;

/** The entries of a select of modes. */
export const modeChoices = (modes: readonly string[]): { value: string; label: string }[] =>
  modes.map((mode) => ({ value: mode, label: modeName(mode) }));

type Props = { readonly mode: string; readonly field: ApiForm<PaymentMode>["field"] };

/** The mode, and the fields that it asks for. */
export function PaymentModeFields({ mode, field }: Props) {
  return (
    <>
      <NativeSelect {...field("mode", words.mode)} data={modeChoices(MODES)} />
      {askedFor(mode).map((name) => (
        <TextInput key={name} {...field(name, LABELS[name])} />
      ))}
    </>
  );
}
