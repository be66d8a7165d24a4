// A new beneficiary in the form of a transfer: a name, and an account or a UPI ID. It is saved by itself, and then chosen.
import { SegmentedControl, SimpleGrid, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { Form, useApiForm } from "../../forms/form.tsx";
import { beneficiaries, newTransfer } from "../../strings/payouts.ts";
import { ACCOUNT_RULES, BankFields, NO_ACCOUNT, UpiField } from "./account-fields.tsx";
import { NO_CONTACT } from "./beneficiary-dialogs.tsx";

/** Without the fields of an account, the handle is needed. */
const UPI_RULES = { upi: (text: string) => (text.trim() === "" ? beneficiaries.upiInvalid : ACCOUNT_RULES.upi(text)) };

type Props = {
  /** What was searched for. */
  readonly name: string;
  /** With the beneficiary's id, or `null` where nobody can be paid: it waits for approval, or nothing was saved. */
  readonly onDone: (beneficiaryId: string | null) => void;
};

/** Its form. An account that is saved already is chosen as it is. */
export function AddBeneficiary({ name, onDone }: Props) {
  const [way, setWay] = useState<"bank" | "upi">("bank");
  const sent = useApiForm({
    initialValues: { name, ...NO_ACCOUNT, ...NO_CONTACT },
    validate: way === "upi" ? UPI_RULES : ACCOUNT_RULES,
    submit: (body): Promise<Saved> => api("POST", "/beneficiaries", { body }).catch(chooseKnown),
    changes: ["/beneficiaries"],
    done: ({ waits, isKnown }) =>
      isKnown ? newTransfer.known : waits ? beneficiaries.savedWaits : beneficiaries.saved,
    onDone: ({ beneficiary_id, waits }) => onDone(waits ? null : beneficiary_id),
  });
  const { field, form } = sent;
  const choose = (chosen: string): void => {
    form.setValues(NO_ACCOUNT);
    form.clearErrors();
    setWay(chosen === "upi" ? "upi" : "bank");
  };
  return (
    <Form of={sent} label={newTransfer.save} onCancel={() => onDone(null)}>
      <TextInput {...field("name", beneficiaries.name)} required maxLength={100} autoFocus={name === ""} />
      <SegmentedControl
        aria-label={beneficiaries.payable}
        value={way}
        onChange={choose}
        data={[
          { value: "bank", label: newTransfer.ways.bank },
          { value: "upi", label: newTransfer.ways.upi },
        ]}
      />
      {way === "upi" ? (
        <UpiField field={field} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <BankFields field={field} autoFocus={name !== ""} />
        </SimpleGrid>
      )}
    </Form>
  );
}

type Saved = { readonly beneficiary_id: string; readonly waits: boolean; readonly isKnown?: true };

function chooseKnown(error: unknown): Saved {
  if (error instanceof ApiError && error.beneficiaryId !== null) {
    return { beneficiary_id: error.beneficiaryId, waits: false, isKnown: true };
  }
  throw error;
}
