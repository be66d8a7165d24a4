// Chooses one of the merchant's customers, of whom there may be very many: typing searches names and codes.
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer } from "../api/contract.ts";
import { useGet } from "../api/queries.ts";
import { customerPicker } from "../strings/customers.ts";

type Found = Answer<"GET", "/session/customer-choices">["customers"][number];
export type CustomerChoice = Omit<Found, "customer_id">;

type Props = {
  readonly label?: string;
  /** The customer that is chosen; `null` where none is. */
  readonly value: CustomerChoice | null;
  readonly onChange: (customer: CustomerChoice | null, customerId: string | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly disabled?: boolean;
};

const TYPING_MS = 200;

/** Chooses a customer. */
export function CustomerPicker({ label = customerPicker.label, value, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState("");
  // The field shows the chosen customer, which is no search text.
  const [search] = useDebouncedValue(value && typed === nameOf(value) ? "" : typed.trim(), TYPING_MS);
  const { data } = useGet("/session/customer-choices", { query: { search }, placeholderData: keepPreviousData });
  const found = data?.customers ?? [];
  const isListed = value === null || found.some(({ customer_code }) => customer_code === value.customer_code);
  const choices = isListed ? found : [value, ...found];
  return (
    <Select
      label={label}
      placeholder={customerPicker.placeholder}
      data={choices.map((choice) => ({ value: choice.customer_code, label: nameOf(choice) }))}
      // The server has filtered already.
      filter={({ options }) => options}
      searchable
      clearable={!rest.required}
      clearButtonProps={{ "aria-label": customerPicker.clear }}
      value={value?.customer_code ?? null}
      onChange={(code) => {
        const isChosen = ({ customer_code }: CustomerChoice): boolean => customer_code === code;
        onChange(choices.find(isChosen) ?? null, found.find(isChosen)?.customer_id ?? null);
      }}
      onSearchChange={setTyped}
      nothingFoundMessage={customerPicker.nothing}
      comboboxProps={{ withinPortal: true }}
      {...rest}
    />
  );
}

function nameOf({ customer_code, customer_name }: CustomerChoice): string {
  return `${customer_name} (${customer_code})`;
}
