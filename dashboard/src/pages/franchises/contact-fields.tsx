// The contact of a franchise, as both forms have it: what may be changed later.
// What belongs here: those fields.
import { SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { hasWrongAadhaarDigit, hasWrongCheckDigit } from "../../format/check-digits.ts";
import { customers } from "../../strings/customers.ts";
import { franchises as words } from "../../strings/franchises.ts";

export type ContactValues = {
  readonly franchise_name: string;
  readonly contact_person_name: string;
  readonly email_id: string;
  readonly mobile: string;
  readonly pan_number: string;
  readonly aadhar_number: string;
  readonly gst_number: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
};

type Props = {
  readonly form: UseFormReturnType<ContactValues>;
  /** What is known and not shown in full; left empty, it stays. */
  readonly masked?: { readonly pan_number: string; readonly aadhar_number: string };
};

const stays = (masked: string | undefined) => (masked ? { description: words.unchanged(masked) } : {});

/** Who the franchise is and how to reach it. */
export function ContactFields({ form, masked }: Props) {
  const { gst_number: gstin, aadhar_number: aadhaar } = form.getValues();
  const isDoubtful = hasWrongCheckDigit(gstin);
  const aadhaarWarning = hasWrongAadhaarDigit(aadhaar) ? { description: words.aadhaarWarning } : {};
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput label={words.name} required {...form.getInputProps("franchise_name")} />
      <TextInput label={words.contactPerson} required {...form.getInputProps("contact_person_name")} />
      <TextInput label={words.email} type="email" required autoComplete="off" {...form.getInputProps("email_id")} />
      <TextInput label={words.mobile} type="tel" required autoComplete="off" {...form.getInputProps("mobile")} />
      <TextInput
        label={words.pan}
        autoComplete="off"
        {...stays(masked?.pan_number)}
        {...form.getInputProps("pan_number")}
      />
      <TextInput
        label={words.aadhaar}
        inputMode="numeric"
        autoComplete="off"
        {...stays(masked?.aadhar_number)}
        {...aadhaarWarning}
        {...form.getInputProps("aadhar_number")}
      />
      <TextInput
        label={words.gstin}
        autoComplete="off"
        description={isDoubtful ? customers.gstinWarning : null}
        inputWrapperOrder={["label", "input", "description", "error"]}
        {...form.getInputProps("gst_number")}
      />
      <TextInput label={words.address} autoComplete="off" {...form.getInputProps("address")} />
      <TextInput label={words.city} autoComplete="off" {...form.getInputProps("city")} />
      <TextInput label={words.state} autoComplete="off" {...form.getInputProps("state")} />
      <TextInput label={words.zipcode} inputMode="numeric" autoComplete="off" {...form.getInputProps("zipcode")} />
    </SimpleGrid>
  );
}
