// What is agreed with a franchise, as the form of a new one and the dialogs for changes have it.
// What belongs here: the fields of commission and of the bank account.
import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import { franchises as words } from "../../strings/franchises.ts";

export type TermsValues = {
  readonly commission_type: string;
  readonly commission: string;
  readonly settlement_type: string;
};

export type AccountValues = {
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
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <NativeSelect
        label={words.commissionType}
        data={choicesOf(words.types)}
        {...form.getInputProps("commission_type")}
      />
      <TextInput
        label={words.commission}
        required
        inputMode="decimal"
        leftSection={form.getValues().commission_type === "Fixed" ? "₹" : "%"}
        {...form.getInputProps("commission")}
      />
      <NativeSelect
        label={words.settlementType}
        data={choicesOf(words.settlements)}
        {...form.getInputProps("settlement_type")}
      />
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
  const field = (name: keyof AccountValues) => ({ autoComplete: "off", required, ...form.getInputProps(name) });
  const { "": unsaid, ...kinds } = words.accountTypes;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput label={words.holder} {...field("bank_holder_name")} />
      <TextInput label={words.accountNumber} {...field("account_number")} />
      {children}
      <TextInput label={words.ifsc} {...field("ifsc")} />
      <TextInput label={words.bankName} {...field("bank_name")} />
      <NativeSelect
        label={words.accountType}
        data={choicesOf(required ? kinds : { "": unsaid, ...kinds })}
        {...form.getInputProps("account_type")}
      />
    </SimpleGrid>
  );
}
