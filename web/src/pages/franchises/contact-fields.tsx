// The contact of a franchise, as both forms have it: what may be changed later.
import { SimpleGrid, TextInput, type TextInputProps } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { hasWrongAadhaarDigit, hasWrongCheckDigit } from "../../format/check-digits.ts";
import { gstinAndState } from "../../strings/customers.ts";
import { franchises as words } from "../../strings/franchises.ts";

const INPUTS = {
  franchise_name: { label: words.name, required: true },
  contact_person_name: { label: words.contactPerson, required: true },
  email_id: { label: words.email, type: "email", required: true, autoComplete: "off" },
  mobile: { label: words.mobile, type: "tel", required: true, autoComplete: "off" },
  pan_number: { label: words.pan, autoComplete: "off" },
  aadhar_number: { label: words.aadhaar, inputMode: "numeric", autoComplete: "off" },
  gst_number: {
    label: words.gstin,
    autoComplete: "off",
    inputWrapperOrder: ["label", "input", "description", "error"],
  },
  address: { label: words.address, autoComplete: "off" },
  city: { label: words.city, autoComplete: "off" },
  state: { label: words.state, autoComplete: "off" },
  zipcode: { label: words.zipcode, inputMode: "numeric", autoComplete: "off" },
} satisfies Readonly<Record<string, TextInputProps>>;

type Name = keyof typeof INPUTS;
export type ContactValues = { readonly [Field in Name]: string };
const NAMES = Object.keys(INPUTS) as Name[];

/** A contact's values, each as it is read. */
export function contactValues(read: (name: Name) => string): ContactValues {
  return Object.fromEntries(NAMES.map((name) => [name, read(name)])) as ContactValues;
}

const IN_ADDRESS: ReadonlySet<Name> = new Set(["city", "state", "zipcode"]);

/** A contact as the page of its franchise shows it: its name is the page's title, and the address is one line. */
export function contactFacts(contact: ContactValues): { readonly label: string; readonly value: string }[] {
  const { address, city, state, zipcode } = contact;
  const place = [address, city, state, zipcode].filter((part) => part !== "").join(", ");
  return NAMES.filter((name) => name !== "franchise_name" && !IN_ADDRESS.has(name)).map((name) => ({
    label: INPUTS[name].label,
    value: name === "address" ? place : contact[name],
  }));
}

type Props = {
  readonly form: UseFormReturnType<ContactValues>;
  /** What is known and not shown in full; left empty, it stays. */
  readonly masked?: { readonly pan_number: string; readonly aadhar_number: string };
};

const stays = (masked: string | undefined) => (masked ? { description: words.unchanged(masked) } : {});

/** Who the franchise is and how to reach it. */
export function ContactFields({ form, masked }: Props) {
  const { gst_number: gstin, aadhar_number: aadhaar } = form.getValues();
  const hints: { readonly [Field in Name]?: Pick<TextInputProps, "description"> } = {
    pan_number: stays(masked?.pan_number),
    aadhar_number: hasWrongAadhaarDigit(aadhaar) ? { description: words.aadhaarWarning } : stays(masked?.aadhar_number),
    gst_number: { description: hasWrongCheckDigit(gstin) ? gstinAndState.gstinWarning : null },
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {NAMES.map((name) => (
        <TextInput key={name} {...INPUTS[name]} {...hints[name]} {...form.getInputProps(name)} />
      ))}
    </SimpleGrid>
  );
}
