// What a customer owes from before: entered, or changed while nothing is paid on it.
import { Textarea, TextInput } from "@mantine/core";
import { typedAmount } from "../../../src/platform/as-typed.ts";
import { api } from "../api/client.ts";
import { useRequestKey } from "../api/queries.ts";
import { useMerchant } from "../api/session.ts";
import { openingBalance as words } from "../strings/opening-balances.ts";
import { DateField } from "./date-field.tsx";
import { FormDialog } from "./dialogs.tsx";
import { MoneyField } from "./form.tsx";

/** What can be changed, as the API has it. */
type Members = {
  readonly date: string;
  readonly due_date: string;
  readonly amount: string;
  readonly note: string;
  readonly reference: string;
};

type Props = {
  /** A new one of this customer, or one that there is. */
  readonly of: { readonly customer_code: string } & (object | (Members & { readonly opening_balance_id: string }));
  readonly onClose: () => void;
};

const EMPTY: Members = { date: "", due_date: "", amount: "", note: "", reference: "" };

/** Enters an opening balance, or changes one. */
export function OpeningBalanceDialog({ of, onClose }: Props) {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  const isNew = !("opening_balance_id" in of);
  const { date, due_date, amount, note, reference }: Members = isNew ? EMPTY : of;
  return (
    <FormDialog
      title={isNew ? words.add : words.edit}
      label={words.save}
      hint={words.hint}
      initialValues={{ date, due_date, amount, note, reference }}
      submit={async (values) => {
        const body = { ...values, amount: typedAmount(values.amount) };
        return isNew
          ? api("POST", "/opening-balances", { key, body: { customer_code: of.customer_code, ...body } })
          : api("PUT", `/opening-balances/${of.opening_balance_id}`, { body });
      }}
      changes={["/opening-balances", "/invoices", "/customers"]}
      done={words.saved}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <MoneyField {...field("amount", words.amount)} required data-autofocus />
          <DateField {...field("date", words.date, words.dateHint)} required max={today} />
          <DateField {...field("due_date", words.dueDate, words.dueDateHint)} />
          <TextInput {...field("reference", words.reference, words.referenceHint)} maxLength={100} />
          <Textarea {...field("note", words.note)} autosize minRows={2} maxLength={500} />
        </>
      )}
    </FormDialog>
  );
}
