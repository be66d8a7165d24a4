// A new transfer: whom, how much, under which reference; asked once more with the amount in words before it leaves.
// What belongs here: the page. The reference is made once for the form, so that no second press or retry pays twice.
import { NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { ConfirmMoney } from "../../forms/confirm-money.tsx";
import { MoneyField } from "../../forms/fields.tsx";
import { SubmitRow } from "../../forms/form-parts.tsx";
import { rupees } from "../../format/money.ts";
import { newTransfer, transfers } from "../../strings/payouts.ts";
import { accountOf, type Beneficiary } from "./beneficiary.ts";
import { ChooseBeneficiary } from "./choose-beneficiary.tsx";
import { newReference } from "./new-reference.ts";
import { wireAmount } from "./transfer-list.tsx";

type Values = {
  beneficiary_id: string;
  amount: string;
  mode: string;
  narrative: string;
  reference_id: string;
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
    },
    validate: {
      beneficiary_id: (id) => (id === "" ? newTransfer.choose : null),
      amount: (typed) => (wireAmount(typed) === null ? newTransfer.amountInvalid : null),
    },
  });
  const { chosen, error, choose } = useChosen(form);
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Outline title={newTransfer.title} hint={newTransfer.hint}>
      <Panel>
        <form onSubmit={form.onSubmit(() => setConfirming(true))} noValidate>
          <Stack gap="md" maw={560}>
            <Balance />
            {error && <ErrorNotice error={error} />}
            <ChooseBeneficiary
              chosen={chosen}
              error={typeof form.errors["beneficiary_id"] === "string" ? form.errors["beneficiary_id"] : null}
              onChoose={choose}
            />
            <Fields form={form} chosen={chosen} />
            <SubmitRow of={{ isSending: false }} label={newTransfer.review} />
          </Stack>
        </form>
      </Panel>
      <Confirm form={form} chosen={chosen} opened={isConfirming} onClose={() => setConfirming(false)} />
    </Outline>
  );
}

/** What is there to be spent, for who may see it. */
function Balance() {
  const may = usePermissions();
  const { data } = useQuery({
    queryKey: ["/home/balances"],
    queryFn: ({ signal }) => api<{ available: string }>("GET", "/home/balances", { signal }),
    enabled: may("payouts.view"),
  });
  return data && <Text c="dimmed">{newTransfer.available(rupees(data.available))}</Text>;
}

/** The beneficiary that the form names: from the address, or chosen here. */
function useChosen(form: UseFormReturnType<Values>) {
  const id = form.values.beneficiary_id;
  const { data, error } = useQuery({
    queryKey: ["/beneficiaries", id],
    queryFn: ({ signal }) => api<Beneficiary>("GET", `/beneficiaries/${id}`, { signal }),
    enabled: id !== "",
  });
  const choose = (beneficiary: Beneficiary | null): void => {
    form.setFieldValue("beneficiary_id", beneficiary?.beneficiary_id ?? "");
    form.clearFieldError("beneficiary_id");
  };
  return { chosen: id === "" ? null : (data ?? null), error: id === "" ? null : error, choose };
}

type Chosen = { readonly form: UseFormReturnType<Values>; readonly chosen: Beneficiary | null };

function Fields({ form, chosen }: Chosen) {
  const both = chosen !== null && chosen.account_number !== "" && chosen.upi !== "";
  return (
    <>
      <MoneyField label={newTransfer.amount} required {...form.getInputProps("amount")} />
      {(both || form.errors["mode"] !== undefined) && (
        <NativeSelect
          label={newTransfer.mode}
          data={[
            { value: "", label: newTransfer.modeAuto },
            ...Object.entries(transfers.modes).map(([value, label]) => ({ value, label })),
          ]}
          {...form.getInputProps("mode")}
        />
      )}
      <TextInput
        label={newTransfer.narrative}
        description={newTransfer.narrativeHint}
        maxLength={100}
        {...form.getInputProps("narrative")}
      />
      <TextInput
        label={newTransfer.reference}
        description={newTransfer.referenceHint}
        required
        maxLength={64}
        {...form.getInputProps("reference_id")}
      />
    </>
  );
}

function Confirm({ form, chosen, opened, onClose }: Chosen & { opened: boolean; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const amount = wireAmount(form.values.amount) ?? "0.00";
  const { beneficiary_id, mode, narrative, reference_id } = form.values;
  const send = async (): Promise<void> => {
    try {
      const body = { beneficiary_id, amount, reference_id, mode, narrative };
      const { transfer_id } = await api<{ transfer_id: string }>("POST", "/transfers", { body });
      void queries.invalidateQueries();
      await navigate({ to: `/transfers/${transfer_id}`, replace: true });
    } catch (error) {
      if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) throw error;
      form.setErrors(error.fields);
      onClose();
    }
  };
  return (
    <ConfirmMoney
      opened={opened}
      onClose={onClose}
      title={newTransfer.confirmTitle}
      amount={amount}
      facts={[
        { label: transfers.payee, value: chosen?.name },
        { label: transfers.account, value: chosen && accountOf(chosen) },
        { label: transfers.reference, value: reference_id },
      ]}
      confirmLabel={newTransfer.confirm}
      onConfirm={send}
    />
  );
}
