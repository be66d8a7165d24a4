// The balance of a merchant, and money that came in for it: typed, then confirmed in words, once for each reference.
// What belongs here: that panel and its two steps.
import { Button, Modal, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { Facts } from "../../components/facts.tsx";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/page.tsx";
import { ConfirmMoney } from "../../forms/confirm-money.tsx";
import { MoneyField } from "../../forms/fields.tsx";
import { SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { rupees, toPaise } from "../../format/money.ts";
import { merchants } from "../../strings/operator.ts";
import { parts } from "../../strings/shell.ts";
import type { MerchantAnswer, MerchantProps } from "./merchant.ts";

type Funding = { readonly amount: string; readonly reference: string };
type FundAnswer = MerchantAnswer & Funding & { readonly repeated: boolean };

/** The panel of the balance. */
export function MerchantFunding({ merchant, path, onChanged }: MerchantProps) {
  const may = usePermissions();
  const [step, setStep] = useState<"closed" | "form" | "confirm">("closed");
  const [funding, setFunding] = useState<Funding>({ amount: "", reference: "" });
  const send = async (): Promise<void> => {
    const answer = await api<FundAnswer>("POST", `${path}/fund`, { body: funding });
    onChanged(answer);
    const tell = answer.repeated ? merchants.fundedBefore : merchants.funded;
    notifications.show({ color: "green", message: tell(rupees(answer.amount), answer.reference) });
    setStep("closed");
    setFunding({ amount: "", reference: "" });
  };
  const button = may("merchants.fund") && <Button onClick={() => setStep("form")}>{merchants.fund}</Button>;
  return (
    <Panel title={merchants.moneyTitle} actions={button}>
      <Facts
        facts={[
          { label: merchants.available, value: <Money amount={merchant.available_balance} /> },
          { label: merchants.held, value: <Money amount={merchant.held_balance} /> },
        ]}
      />
      {step === "form" && (
        <FundingForm
          funding={funding}
          onDone={(given) => {
            setFunding(given);
            setStep("confirm");
          }}
          onClose={() => setStep("closed")}
        />
      )}
      <ConfirmMoney
        opened={step === "confirm"}
        onClose={() => setStep("form")}
        title={merchants.fundTitle}
        amount={funding.amount}
        facts={[
          { label: merchants.fundTo, value: merchant.name },
          { label: merchants.reference, value: funding.reference },
        ]}
        confirmLabel={merchants.fundConfirm}
        onConfirm={send}
      />
    </Panel>
  );
}

type FormProps = {
  readonly funding: Funding;
  readonly onDone: (funding: Funding) => void;
  readonly onClose: () => void;
};

/** Nothing is sent yet: the next step asks, with the amount in words. */
function FundingForm({ funding, onDone, onClose }: FormProps) {
  const sent = useApiForm({
    initialValues: funding,
    validate: {
      amount: (text) => ((toPaise(text) ?? 0n) > 0n ? null : merchants.amountWrong),
      reference: (text) => (text.trim() === "" ? merchants.referenceWrong : null),
    },
    submit: (values) => Promise.resolve(values),
    onDone: ({ amount, reference }) => {
      onDone({ amount: amount.trim().replaceAll(",", ""), reference: reference.trim() });
    },
  });
  return (
    <Modal opened onClose={onClose} title={merchants.fundTitle} closeButtonProps={{ "aria-label": parts.close }}>
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack gap="md">
          <MoneyField label={merchants.amount} required data-autofocus {...sent.form.getInputProps("amount")} />
          <TextInput
            label={merchants.reference}
            description={merchants.referenceHint}
            maxLength={64}
            autoComplete="off"
            required
            {...sent.form.getInputProps("reference")}
          />
          <SubmitRow of={sent} label={merchants.fundNext} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
