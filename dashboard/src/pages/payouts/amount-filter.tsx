// A filter by amount: it narrows the list once what is typed is an amount, and says so while it is none.
// What belongs here: the field.
import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";
import { toPaise } from "../../format/money.ts";
import { newTransfer } from "../../strings/payouts.ts";

const TYPING_MS = 400;

type Props = { readonly label: string; readonly value: string; readonly onChange: (amount: string) => void };

/** An amount of rupees, or nothing. */
export function AmountFilter({ label, value, onChange }: Props) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const changeLater = useDebouncedCallback(onChange, TYPING_MS);
  if (value !== known) {
    setKnown(value);
    if (value !== plain(typed)) setTyped(value);
  }
  const isWrong = typed.trim() !== "" && (toPaise(typed) ?? 0n) <= 0n;
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      leftSection="₹"
      w={140}
      value={typed}
      error={isWrong && newTransfer.amountInvalid}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        const amount = plain(currentTarget.value);
        if (amount === "" || (toPaise(amount) ?? 0n) > 0n) changeLater(amount);
      }}
    />
  );
}

function plain(typed: string): string {
  return typed.trim().replaceAll(",", "");
}
