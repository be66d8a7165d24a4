// A new withdrawal: how much; asked once more with the amount in words before it leaves.
// What belongs here: the page. The reference is made once for the form, so that no second press or retry pays twice.
import { Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { useMerchant } from "../../api/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { ConfirmMoney } from "../../forms/confirm-money.tsx";
import { MoneyField } from "../../forms/fields.tsx";
import { SubmitRow } from "../../forms/form-parts.tsx";
import { rupees } from "../../format/money.ts";
import { newTransfer, transfers, withdrawals } from "../../strings/payouts.ts";
import { newReference } from "./new-reference.ts";
import { wireAmount } from "./transfer-list.tsx";

type Account = { readonly holder: string; readonly account_number: string; readonly ifsc: string };
type Answer = { readonly available: string; readonly account: Account | null };

/** New withdrawal. */
export function Page() {
  const { data, error, refetch } = useQuery({
    queryKey: ["/withdrawal-account"],
    queryFn: ({ signal }) => api<Answer>("GET", "/withdrawal-account", { signal }),
  });
  return (
    <Outline title={withdrawals.newTitle} hint={newTransfer.hint}>
      <Panel>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data?.account && <WithdrawalForm account={data.account} available={data.available} />}
        {data && !data.account && <EmptyState title={withdrawals.noAccount} hint={withdrawals.noAccountHint} />}
      </Panel>
    </Outline>
  );
}

type FormProps = { readonly account: Account; readonly available: string };

function WithdrawalForm({ account, available }: FormProps) {
  const { today } = useMerchant();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [reference] = useState(() => newReference(today));
  const [isConfirming, setConfirming] = useState(false);
  const form = useForm({
    initialValues: { amount: "", narrative: "", reference_id: reference },
    validate: { amount: (typed) => (wireAmount(typed) === null ? newTransfer.amountInvalid : null) },
  });
  const amount = wireAmount(form.values.amount) ?? "0.00";
  const to = `${account.holder}, ${account.account_number} ${account.ifsc}`;
  const send = async (): Promise<void> => {
    try {
      const body = { ...form.values, amount };
      const { transfer_id } = await api<{ transfer_id: string }>("POST", "/withdrawals", { body });
      void queries.invalidateQueries();
      await navigate({ to: `/withdrawals/${transfer_id}`, replace: true });
    } catch (error) {
      if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) throw error;
      form.setErrors(error.fields);
      setConfirming(false);
    }
  };
  return (
    <form onSubmit={form.onSubmit(() => setConfirming(true))} noValidate>
      <Stack gap="md" maw={560}>
        <Text c="dimmed">{newTransfer.available(rupees(available))}</Text>
        <Facts facts={[{ label: withdrawals.to, value: to }]} />
        <MoneyField label={newTransfer.amount} required {...form.getInputProps("amount")} />
        <TextInput label={newTransfer.narrative} maxLength={100} {...form.getInputProps("narrative")} />
        <TextInput
          label={newTransfer.reference}
          description={newTransfer.referenceHint}
          required
          maxLength={64}
          {...form.getInputProps("reference_id")}
        />
        <SubmitRow of={{ isSending: false }} label={newTransfer.review} />
      </Stack>
      <ConfirmMoney
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={withdrawals.confirmTitle}
        amount={amount}
        facts={[
          { label: withdrawals.to, value: to },
          { label: transfers.reference, value: form.values.reference_id },
        ]}
        confirmLabel={withdrawals.confirm}
        onConfirm={send}
      />
    </form>
  );
}
