// The fields of a franchise: its contact, which may be changed later, and its agreement.
import { NativeSelect, SimpleGrid, TextInput, type TextInputProps } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import {} from "../../format/money.ts";
import { type Fact, Gstin, StatusBadge } from "../../components/values.tsx";
import { hasWrongAadhaarDigit } from "../../format/check-digits.ts";
import { GstinField, StateField } from "../../forms/gstin-and-state.tsx";
import { gstinAndState } from "../../strings/customers.ts";
import { franchises as words } from "../../strings/franchises.ts";
import type { ReactNode } from "react";
import { IfscField } from "../../components/ifsc-field.tsx";
import { fieldsOf } from "../../forms/form.tsx";
import type { Answer } from "../../api/contract.ts";
import { indianAmount } from "../../format/money.ts";

type Name = keyof typeof words.fields;
export type ContactValues = { readonly [Field in Name]: string };
const NAMES = Object.keys(words.fields) as Name[];

/** What is particular to the input of a field. */
const INPUTS: { readonly [Field in Name]?: TextInputProps } = {
  franchise_name: { required: true },
  contact_person_name: { required: true },
  email_id: { type: "email", required: true },
  mobile: { type: "tel", required: true },
  aadhar_number: { inputMode: "numeric" },
  zipcode: { inputMode: "numeric" },
};

/** A contact's values, each as it is read. */
export function contactValues(read: (name: Name) => string): ContactValues {
  return Object.fromEntries(NAMES.map((name) => [name, read(name)])) as ContactValues;
}

const IN_ADDRESS: ReadonlySet<Name> = new Set(["city", "state", "zipcode"]);

/** A contact as the page of its franchise shows it: its name is the page's title, and the address is one line. */
export function contactFacts(contact: ContactValues): Fact[] {
  const { address, city, state, zipcode } = contact;
  const place = [address, city, state, zipcode].filter((part) => part !== "").join(", ");
  return NAMES.filter((name) => name !== "franchise_name" && !IN_ADDRESS.has(name)).map((name) => ({
    label: words.fields[name],
    value: factOf(name, contact[name], place),
  }));
}

function factOf(name: Name, value: string, place: string): Fact["value"] {
  if (name === "address") return place;
  if (name === "gst_number") return <Gstin gstin={value} />;
  if (name !== "aadhar_number" || !hasWrongAadhaarDigit(value)) return value;
  return (
    <>
      {value} <StatusBadge status={gstinAndState.wrongDigit} tone="warning" />
    </>
  );
}

type Props = {
  readonly form: UseFormReturnType<ContactValues>;
  /** What is known and not shown in full; left empty, it stays. */
  readonly masked?: { readonly pan_number: string; readonly aadhar_number: string };
};

const stays = (masked: string | undefined) => (masked ? { description: words.unchanged(masked) } : {});

/** Who the franchise is and how to reach it. */
export function ContactFields({ form, masked }: Props) {
  const { aadhar_number: aadhaar, state } = form.getValues();
  const hints: { readonly [Field in Name]?: Pick<TextInputProps, "description"> } = {
    pan_number: stays(masked?.pan_number),
    aadhar_number: hasWrongAadhaarDigit(aadhaar) ? { description: words.aadhaarWarning } : stays(masked?.aadhar_number),
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {NAMES.map((name) => {
        const label = words.fields[name];
        const props = { label, autoComplete: "off", ...INPUTS[name], ...hints[name], ...form.getInputProps(name) };
        if (name === "gst_number") return <GstinField key={name} {...props} state={state} />;
        if (name === "state") return <StateField key={name} label={label} {...form.getInputProps(name)} />;
        return <TextInput key={name} {...props} />;
      })}
    </SimpleGrid>
  );
}

type TermsValues = {
  readonly commission_type: string;
  readonly commission: string;
  readonly settlement_type: string;
};

type AccountValues = {
  readonly bank_holder_name: string;
  readonly account_number: string;
  readonly bank_name: string;
  readonly account_type: string;
  readonly ifsc: string;
};

const choicesOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** How much commission there is, and when it is settled. */
export function TermsFields({ form }: { readonly form: UseFormReturnType<TermsValues> }) {
  const field = fieldsOf(form);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <NativeSelect {...field("commission_type", words.commissionType)} data={choicesOf(words.types)} />
      <TextInput
        {...field("commission", words.commission)}
        required
        inputMode="decimal"
        leftSection={form.getValues().commission_type === "Fixed" ? "₹" : "%"}
      />
      <NativeSelect {...field("settlement_type", words.settlementType)} data={choicesOf(words.settlements)} />
    </SimpleGrid>
  );
}

type AccountProps = {
  readonly form: UseFormReturnType<AccountValues>;
  /** Whether the account has to be given. */
  readonly required?: boolean;
  /** Stands after the number: the same again. */
  readonly children?: ReactNode;
};

/** Where commission goes. */
export function AccountFields({ form, required = false, children }: AccountProps) {
  const field = fieldsOf(form);
  const text = { autoComplete: "off", required };
  const { "": unsaid, ...kinds } = words.accountTypes;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput {...field("bank_holder_name", words.holder)} {...text} />
      <TextInput {...field("account_number", words.accountNumber)} {...text} />
      {children}
      <IfscField {...field("ifsc", words.ifsc)} required={required} />
      <TextInput {...field("bank_name", words.bankName)} {...text} />
      <NativeSelect
        {...field("account_type", words.accountType)}
        data={choicesOf(required ? kinds : { "": unsaid, ...kinds })}
      />
    </SimpleGrid>
  );
}

export type Franchise = Answer<"GET", "/franchises/:franchise_id">["franchise"];

/** Commission that was paid by other means than a transfer. */
export type CommissionPayment = Answer<"GET", "/franchises/:franchise_id">["payments"][number];

/** `12.50%`, or an amount. */
export function rateOf({ commission_type, commission }: Pick<Franchise, "commission_type" | "commission">): string {
  return commission_type === "Percentage" ? words.percent(commission) : `₹${indianAmount(commission)}`;
}
