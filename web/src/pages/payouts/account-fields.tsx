// The fields of a payee's account: account number with IFSC, or UPI ID; and their checks.
import { TextInput } from "@mantine/core";
import { IFSC, IfscField } from "../../components/ifsc-field.tsx";
import type { ApiForm } from "../../forms/form.tsx";
import { beneficiaries as words } from "../../strings/payouts.ts";

export const NO_ACCOUNT = { account_number: "", ifsc: "", upi: "" };
type Values = typeof NO_ACCOUNT;

const ACCOUNT = /^[A-Za-z0-9]{4,35}$/;
const HANDLE = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/;

const isEmpty = (text: string): boolean => text.trim() === "";

/** The errors of both; a payee needs one of the two. */
export const ACCOUNT_RULES = {
  account_number: (text: string, { upi, ifsc }: Values) => {
    if (!isEmpty(text)) return ACCOUNT.test(text.trim()) ? null : words.accountInvalid;
    return isEmpty(upi) || !isEmpty(ifsc) ? words.payableMissing : null;
  },
  ifsc: (text: string, { account_number }: Values) =>
    (isEmpty(text) && isEmpty(account_number)) || IFSC.test(text.trim()) ? null : words.ifscInvalid,
  upi: (text: string) => (isEmpty(text) || HANDLE.test(text.trim()) ? null : words.upiInvalid),
};

type Props = Pick<ApiForm<Values>, "field">;

/** The account and its IFSC, which names the bank once it is typed. */
export function BankFields({ field, autoFocus = false }: Props & { readonly autoFocus?: boolean }) {
  return (
    <>
      <TextInput
        {...field("account_number", words.account, words.accountHint)}
        autoComplete="off"
        autoFocus={autoFocus}
      />
      <IfscField {...field("ifsc", words.ifsc, words.ifscHint)} />
    </>
  );
}

/** The UPI ID. */
export function UpiField({ field }: Props) {
  return <TextInput {...field("upi", words.upi)} autoComplete="off" />;
}
