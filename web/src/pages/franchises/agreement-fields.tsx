// What is agreed with a franchise, as the form of a new one and the dialogs for changes have it.
import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { IfscField } from "../../components/ifsc-field.tsx";
import { fieldsOf } from "../../forms/form.tsx";
import { franchises as words } from "../../strings/franchises.ts";

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
