// A member of a record as a field of a form, by its kind.
import { NativeSelect, TextInput, type TextInputProps } from "@mantine/core";
import type { Member, MemberKind } from "../../../src/platform/member.ts";
import { IfscField } from "../components/ifsc-field.tsx";
import { choiceWord, memberChoices } from "../strings/member-choices.ts";
import { DateField } from "./date-field.tsx";
import type { fieldsOf } from "./form.tsx";
import { GstinField, StateField } from "./gstin-and-state.tsx";

/** What is particular to the input of a kind. */
const INPUTS: { readonly [Kind in MemberKind]?: TextInputProps } = {
  email: { type: "email" },
  mobile: { type: "tel" },
  pincode: { inputMode: "numeric" },
  "postal-code": { inputMode: "numeric" },
  aadhaar: { inputMode: "numeric" },
};

type Props = Pick<TextInputProps, "placeholder" | "required" | "autoFocus"> & {
  readonly member: Member;
  /** `field(member.name, words.fields[member.name])`. */
  readonly field: ReturnType<ReturnType<typeof fieldsOf>>;
  /** Whose digits a GSTIN begins with. */
  readonly state?: string;
  /** The label of the choice of no state. */
  readonly none?: string;
  readonly "data-autofocus"?: true | undefined;
};

/** The input, with the field's label and value. */
export function RecordField({ member, field, state = "", none, ...props }: Props) {
  const { kind, isRequired } = member;
  if (kind === "gstin") return <GstinField {...props} {...field} state={state} />;
  if (kind === "state") return <StateField {...field} {...(none === undefined ? {} : { none })} />;
  if (kind === "ifsc") return <IfscField {...props} {...field} />;
  if (kind === "date") return <DateField {...props} {...field} />;
  if (kind === "choice") {
    const choices = (member.choices ?? []).map((value) => ({ value, label: choiceWord(member, value) }));
    return <NativeSelect {...field} data={[{ value: "", label: memberChoices.none }, ...choices]} />;
  }
  return (
    <TextInput
      autoComplete="off"
      required={isRequired === true}
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...INPUTS[kind]}
      {...props}
      {...field}
    />
  );
}
