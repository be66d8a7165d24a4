// The rules for payouts: limits, cooling-off, and what a second person approves.
import { Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { EVERYTHING, useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { LinkTo } from "../../components/actions.tsx";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Facts } from "../../components/values.tsx";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { Form, MoneyField, useApiForm } from "../../forms/form.tsx";
import { policy } from "../../strings/payouts.ts";
import { titles } from "../../strings/titles.ts";
import { policyFacts, type Policy } from "./policy-facts.ts";

const PATH = "/payout-policy";

/** Rules for payouts. */
export function Page() {
  const may = usePermissions();
  const { data, error, refetch } = useGet(PATH, {
    // Don't replace the values while somebody is typing.
    refetchOnWindowFocus: false,
  });
  return (
    <Outline title={titles.policy} hint={policy.hint}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && (
        <Panel>{may("approvals.manage") ? <PolicyForm rules={data} /> : <Facts facts={policyFacts(data)} />}</Panel>
      )}
    </Outline>
  );
}

function PolicyForm({ rules }: { readonly rules: Policy }) {
  const [approvalId, setApprovalId] = useState<string | null>(null);
  const sent = useApiForm({
    initialValues: valuesOf(rules),
    submit: ({ approve_payees, verified_payees_only, ...values }) => {
      const typed = Object.entries(values).map(([name, text]) => [name, typedAmount(text) || null]);
      const body = Object.fromEntries(typed) as Record<keyof typeof values, string | null>;
      const ticked = { approve_payees: approve_payees ? 1 : 0, verified_payees_only: verified_payees_only ? 1 : 0 };
      return api("PUT", PATH, { body: { ...body, ...ticked } });
    },
    changes: EVERYTHING,
    done: ({ approval_id }) => (approval_id === null ? policy.saved : policy.savedWaits),
    onDone: (answer, form) => {
      setApprovalId(answer.approval_id);
      form.setValues(valuesOf(answer));
    },
  });
  const { field, check } = sent;
  return (
    <Form of={sent} label={policy.save} maw={560} noValidate={false}>
      {approvalId !== null && (
        <Notice>
          {policy.savedWaits} <LinkTo label={policy.openApproval} to={`/approvals/${approvalId}`} inherit />
        </Notice>
      )}
      <MoneyField {...field("approve_over", policy.approveOver, policy.approveOverHint)} />
      <Checkbox {...check("approve_payees", policy.approvePayees)} />
      <Checkbox {...check("verified_payees_only", policy.verifiedPayees, policy.verifiedPayeesHint)} />
      <TextInput {...field("cooling_off_minutes", policy.coolingOff, policy.off)} inputMode="numeric" />
      <MoneyField {...field("transfer_limit", policy.transferLimit, policy.off)} />
      <MoneyField {...field("daily_limit", policy.dailyLimit, policy.off)} />
      <TextInput {...field("approval_expires_hours", policy.expires)} required inputMode="numeric" />
    </Form>
  );
}

/** The rules as values of fields: empty is off. */
function valuesOf(rules: Policy) {
  return {
    approve_over: rules.approve_over ?? "",
    approve_payees: rules.approve_payees,
    verified_payees_only: rules.verified_payees_only,
    cooling_off_minutes: String(rules.cooling_off_minutes ?? ""),
    transfer_limit: rules.transfer_limit ?? "",
    daily_limit: rules.daily_limit ?? "",
    approval_expires_hours: String(rules.approval_expires_hours),
  };
}
