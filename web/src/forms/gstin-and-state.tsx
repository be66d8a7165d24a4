// The two fields that decide the kind of tax for a customer: a GSTIN, and a state of a list.
// What belongs here: the fields. What the server says of them is invoice/supply-notice.tsx.
import { NativeSelect, TextInput, type NativeSelectProps, type TextInputProps } from "@mantine/core";
import type { Answer } from "../api/contract.ts";
import { hasWrongCheckDigit } from "../format/check-digits.ts";
import { gstinAndState as words } from "../strings/customers.ts";

type States = Answer<"GET", "/customers/form">["states"];

const ORDER: NonNullable<TextInputProps["inputWrapperOrder"]> = ["label", "input", "description", "error"];

type StateProps = Omit<NativeSelectProps, "data"> & {
  readonly states: States;
  /** What the GSTIN says otherwise, as a sentence. */
  readonly contradiction: string | null;
};

/** A state of the list. One that was saved in another spelling stays in it until another is chosen. */
export function StateField({ states, contradiction, ...props }: StateProps) {
  const names = states.map(({ name }) => name);
  const value = String(props.value ?? "");
  const others = value === "" || names.includes(value) ? [] : [value];
  return (
    <NativeSelect
      {...props}
      data={[{ value: "", label: words.noState }, ...others, ...names]}
      description={contradiction}
      inputWrapperOrder={ORDER}
    />
  );
}

type GstinProps = TextInputProps & { readonly states: States; readonly state: string };

/** A GSTIN, with the digits that it begins with once a state is chosen, and a warning where its check digit is wrong. */
export function GstinField({ states, state, ...props }: GstinProps) {
  const typed = String(props.value ?? "");
  const found = typed === "" ? states.find(({ name }) => name === state) : undefined;
  const hint = found ? words.beginsWith(found.code, found.name) : words.gstinHint;
  return (
    <TextInput
      {...props}
      maxLength={15}
      autoComplete="off"
      description={hasWrongCheckDigit(typed) ? words.gstinWarning : hint}
      inputWrapperOrder={ORDER}
    />
  );
}
