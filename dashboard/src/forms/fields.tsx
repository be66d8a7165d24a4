// Fields of forms beyond Mantine's own: amounts as text, dates by the browser, files with progress.
// What belongs here: fields alone; each takes the props that `form.getInputProps` gives.
import { TextInput, type TextInputProps } from "@mantine/core";
import { inWords } from "../format/money.ts";

type FieldProps = TextInputProps;

/** An amount of rupees, typed as text so that no float touches it. The words below tell a zero too many. */
export function MoneyField({ description, ...props }: FieldProps) {
  const words = typeof props.value === "string" && props.value.trim() !== "" ? inWords(props.value) : null;
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      leftSection="₹"
      description={words ?? description}
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...props}
    />
  );
}

/** A date as YYYY-MM-DD, with the browser's own calendar. */
export function DateField(props: FieldProps) {
  return <TextInput type="date" {...props} />;
}
