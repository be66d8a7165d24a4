// The two fields that decide the kind of tax: a GSTIN, and a state of a list. What the server says of a customer's is
// invoice/supply-notice.tsx.
import { NativeSelect, TextInput, type NativeSelectProps, type TextInputProps } from "@mantine/core";
import { useGet } from "../api/queries.ts";
import { hasWrongCheckDigit } from "../format/check-digits.ts";
import { gstinAndState as words } from "../strings/customers.ts";

const ORDER: NonNullable<TextInputProps["inputWrapperOrder"]> = ["label", "input", "description", "error"];

const useStates = () => useGet("/states").data?.states ?? [];

type StateProps = Omit<NativeSelectProps, "data"> & {
  /** What stands for none. */
  readonly none?: string;
};

/** A state of the list. One that was saved in another spelling stays in it until another is chosen. */
export function StateField({ none = words.noState, ...props }: StateProps) {
  const names = useStates().map(({ name }) => name);
  const value = String(props.value ?? "");
  const others = value === "" || names.includes(value) ? [] : [value];
  return <NativeSelect {...props} data={[{ value: "", label: none }, ...others, ...names]} inputWrapperOrder={ORDER} />;
}

type GstinProps = TextInputProps & { readonly state: string };

/**
 * A GSTIN, with the digits that it begins with once a state is chosen, and a warning where its check digit is wrong. Another
 * hint, where there is one, comes after the warning.
 */
export function GstinField({ state, description, ...props }: GstinProps) {
  const states = useStates();
  const typed = String(props.value ?? "");
  const found = typed === "" ? states.find(({ name }) => name === state) : undefined;
  const hint = description ?? (found ? words.beginsWith(found.code, found.name) : words.gstinHint);
  return (
    <TextInput
      {...props}
      // One that is pasted with spaces must not lose its end.
      maxLength={20}
      autoComplete="off"
      description={hasWrongCheckDigit(typed) ? words.gstinWarning : hint}
      inputWrapperOrder={ORDER}
    />
  );
}
