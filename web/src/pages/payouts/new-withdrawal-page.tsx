// A new withdrawal: the amount; confirmed with the amount in words before it is sent.
// The reference is made once for the form, so that no second press or retry pays twice.
import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { EVERYTHING, useGet } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { EmptyState, ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Facts } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { ConfirmMoney } from "../../forms/dialogs.tsx";
import { backTo, fieldsOf, Form, MoneyField } from "../../forms/form.tsx";
import { newTransfer, transfers, withdrawals } from "../../strings/payouts.ts";
import { ApprovalNotice, labelOf, factsOf, usePreview } from "./preview.tsx";
import { newReference, wireAmount } from "./transfer-list.tsx";

type Account = NonNullable<Answer<"GET", "/withdrawal-account">["account"]>;
/** New withdrawal. */
export function Page() {
  const { data, error, refetch } = useGet("/withdrawal-account");
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
  const navigate = useNavigate();
  const [reference] = useState(() => newReference(today));
  const form = useForm({
    initialValues: { amount: "", narrative: "", reference_id: reference },
    validate: { amount: (typed) => (wireAmount(typed) === null ? newTransfer.amountInvalid : null) },
  });
  const preview = usePreview(() =>
    api("GET", "/withdrawals/preview", { query: { amount: wireAmount(form.getValues().amount) ?? "" } }),
  );
  const field = fieldsOf(form);
  const amount = wireAmount(form.values.amount) ?? "0.00";
  const to = `${account.holder}, ${account.account_number} ${account.ifsc}`;
  const { close } = preview;
  return (
    <>
      <Form
        of={{ ...preview, onSubmit: form.onSubmit(preview.review), isChanged: () => form.isDirty() }}
        label={newTransfer.review}
        failed={withdrawals.failed}
        maw={560}
        hint={newTransfer.available(rupees(available))}
      >
        <Facts facts={[{ label: withdrawals.to, value: to }]} />
        <MoneyField {...field("amount", newTransfer.amount)} required />
        <TextInput {...field("narrative", newTransfer.narrative)} maxLength={100} />
        <TextInput
          {...field("reference_id", newTransfer.reference, newTransfer.referenceHint)}
          required
          maxLength={64}
        />
      </Form>
      {preview.terms && (
        <ConfirmMoney
          title={withdrawals.confirmTitle}
          label={labelOf(preview.terms, withdrawals.confirm)}
          amount={amount}
          facts={[
            { label: withdrawals.to, value: to },
            { label: transfers.reference, value: form.values.reference_id },
            ...factsOf(preview.terms),
          ]}
          hint={<ApprovalNotice terms={preview.terms} />}
          submit={() => api("POST", "/withdrawals", { body: { ...form.values, amount } }).catch(backTo(form, close))}
          changes={EVERYTHING}
          onDone={({ transfer_id }) => {
            form.resetDirty();
            return navigate({ to: `/withdrawals/${transfer_id}`, replace: true });
          }}
          onClose={close}
        />
      )}
    </>
  );
}
