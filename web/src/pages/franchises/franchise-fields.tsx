// The fields of a franchise: its contact, which may be changed later, and its agreement.
import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { CONTACT_MEMBERS } from "../../../../src/franchises/contact-members.ts";
import type { TextsOf } from "../../../../src/platform/member.ts";
import { hasWrongAadhaarDigit } from "../../format/check-digits.ts";
import { RecordField } from "../../forms/record-field.tsx";
import { franchises as words } from "../../strings/franchises.ts";
import type { ReactNode } from "react";
import { IfscField } from "../../components/ifsc-field.tsx";
import { fieldsOf } from "../../forms/form.tsx";
import type { Answer } from "../../api/contract.ts";
import { indianAmount } from "../../format/money.ts";

export type ContactValues = TextsOf<(typeof CONTACT_MEMBERS)[number]>;

type Props = {
  readonly form: UseFormReturnType<ContactValues>;
  /** A saved value that is masked; an empty field keeps it. */
  readonly masked?: { readonly pan_number: string; readonly aadhar_number: string };
};

const stays = (masked: string | undefined) => (masked ? words.unchanged(masked) : undefined);

/** Who the franchise is and how to reach it. */
export function ContactFields({ form, masked }: Props) {
  const field = fieldsOf(form);
  const { aadhar_number: aadhaar, state } = form.getValues();
  const hints: { readonly [Name in keyof ContactValues]?: string | undefined } = {
    pan_number: stays(masked?.pan_number),
    aadhar_number: hasWrongAadhaarDigit(aadhaar) ? words.aadhaarWarning : stays(masked?.aadhar_number),
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {CONTACT_MEMBERS.map((member) => {
        const { name } = member;
        return (
          <RecordField key={name} member={member} state={state} field={field(name, words.fields[name], hints[name])} />
        );
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

/** The bank account for commission. */
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
