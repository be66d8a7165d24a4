// A new transfer: whom, how much, under which reference; asked once more with the amount in words before it leaves.
// The reference is made once for the form, so that no second press or retry pays twice.
import { NativeSelect, Text, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { EVERYTHING, useGet } from "../../api/queries.ts";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { ConfirmMoney } from "../../forms/dialogs.tsx";
import { DateField } from "../../forms/date-field.tsx";
import { backTo, fieldsOf, Form, MoneyField } from "../../forms/form.tsx";
import { beforeMoney } from "../../strings/before-money.ts";
import { newTransfer, transfers } from "../../strings/payouts.ts";
import { accountOf, ChooseBeneficiary, type Beneficiary } from "./choose-beneficiary.tsx";
import { ApprovalNotice, labelOf, factsOf, usePreview, type Terms } from "./preview.tsx";
import { newReference, wireAmount } from "./transfer-list.tsx";

type Values = {
  beneficiary_id: string;
  amount: string;
  mode: string;
  narrative: string;
  reference_id: string;
  scheduled_for: string;
};

/** New transfer. */
export function Page() {
  const search: Readonly<Record<string, string>> = useSearch({ strict: false });
  const { today } = useMerchant();
  const [reference] = useState(() => newReference(today));
  const form = useForm<Values>({
    initialValues: {
      beneficiary_id: search["beneficiary"] ?? "",
      amount: search["amount"] ?? "",
      mode: search["mode"] ?? "",
      narrative: search["narrative"] ?? "",
      reference_id: reference,
      scheduled_for: "",
    },
    validate: {
      beneficiary_id: (id) => (id === "" ? newTransfer.choose : null),
      scheduled_for: (chosenDay) => (chosenDay !== "" && chosenDay <= today ? newTransfer.dayInvalid : null),
      amount: (typed) => (wireAmount(typed) === null ? newTransfer.amountInvalid : null),
    },
  });
  const { chosen, error, choose } = useChosen(form);
  const preview = usePreview(() => {
    const { beneficiary_id, mode } = form.getValues();
    return api("GET", "/transfers/preview", {
      query: { beneficiary_id, mode, amount: wireAmount(form.getValues().amount) ?? "" },
    });
  });
  return (
    <Outline title={newTransfer.title} hint={newTransfer.hint}>
      <Panel>
        <Form
          of={{ ...preview, onSubmit: form.onSubmit(preview.review), isChanged: () => form.isDirty() }}
          label={newTransfer.review}
          failed={newTransfer.failed}
          maw={560}
        >
          <Balance />
          {error && <ErrorNotice error={error} />}
          <ChooseBeneficiary
            chosen={chosen}
            error={typeof form.errors["beneficiary_id"] === "string" ? form.errors["beneficiary_id"] : null}
            onChoose={choose}
          />
          <Fields form={form} chosen={chosen} />
        </Form>
      </Panel>
      {preview.terms && <Confirm form={form} chosen={chosen} terms={preview.terms} onClose={preview.close} />}
    </Outline>
  );
}

/** What is there to be spent, for who may see it. */
function Balance() {
  const may = usePermissions();
  const { data } = useGet("/session/home/balances", { enabled: may("payouts.view") });
  return data && <Text c="dimmed">{newTransfer.available(rupees(data.available))}</Text>;
}

/** The beneficiary that the form names: from the address, or chosen here. */
function useChosen(form: UseFormReturnType<Values>) {
  const id = form.values.beneficiary_id;
  const { data, error } = useGet(`/beneficiaries/${id}`, { enabled: id !== "" });
  const choose = (beneficiary: Beneficiary | null): void => {
    form.setFieldValue("beneficiary_id", beneficiary?.beneficiary_id ?? "");
    form.clearFieldError("beneficiary_id");
  };
  return { chosen: id === "" ? null : (data ?? null), error: id === "" ? null : error, choose };
}

type Chosen = { readonly form: UseFormReturnType<Values>; readonly chosen: Beneficiary | null };

function Fields({ form, chosen }: Chosen) {
  const field = fieldsOf(form);
  const both = chosen !== null && chosen.account_number !== "" && chosen.upi !== "";
  return (
    <>
      <MoneyField {...field("amount", newTransfer.amount)} required />
      {(both || form.errors["mode"] !== undefined) && (
        <NativeSelect
          {...field("mode", newTransfer.mode)}
          data={[
            { value: "", label: newTransfer.modeAuto },
            ...Object.entries(transfers.modes).map(([value, label]) => ({ value, label })),
          ]}
        />
      )}
      <TextInput {...field("narrative", newTransfer.narrative, newTransfer.narrativeHint)} maxLength={100} />
      <DateField {...field("scheduled_for", newTransfer.day, newTransfer.dayHint)} />
      <TextInput {...field("reference_id", newTransfer.reference, newTransfer.referenceHint)} required maxLength={64} />
    </>
  );
}

function Confirm({ form, chosen, terms, onClose }: Chosen & { readonly terms: Terms; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const amount = wireAmount(form.values.amount) ?? "0.00";
  const { beneficiary_id, mode, narrative, reference_id, scheduled_for } = form.values;
  return (
    <ConfirmMoney
      title={newTransfer.confirmTitle}
      label={scheduled_for === "" ? labelOf(terms, newTransfer.confirm) : beforeMoney.schedule}
      amount={amount}
      facts={[
        { label: transfers.payee, value: chosen?.name },
        { label: transfers.account, value: chosen && accountOf(chosen) },
        { label: transfers.reference, value: reference_id },
        ...factsOf(terms),
        ...(scheduled_for === "" ? [] : [{ label: newTransfer.day, value: day(scheduled_for) }]),
      ]}
      hint={scheduled_for === "" ? <ApprovalNotice terms={terms} /> : beforeMoney.later}
      submit={() =>
        api("POST", "/transfers", {
          body: { beneficiary_id, amount, reference_id, mode, narrative, scheduled_for },
        }).catch(backTo(form, onClose))
      }
      changes={EVERYTHING}
      onDone={({ transfer_id, status }) => {
        form.resetDirty();
        return navigate({
          to: status === "SCHEDULED" ? "/bulk-payouts/scheduled" : `/transfers/${transfer_id}`,
          replace: true,
        });
      }}
      onClose={onClose}
    />
  );
}
