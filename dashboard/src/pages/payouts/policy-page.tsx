// The rules for payouts: limits, cooling-off, and what a second person approves.
// What belongs here: the page; who may not change them sees them.
import { Alert, Anchor, Checkbox, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { MoneyField } from "../../forms/fields.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { policy } from "../../strings/payouts.ts";
import type { Policy } from "./approval.ts";
import { policyFacts } from "./policy-facts.ts";

const PATH = "/payout-policy";

/** Rules for payouts. */
export function Page() {
  const may = usePermissions();
  const { data, error, refetch } = useQuery({
    queryKey: [PATH],
    queryFn: ({ signal }) => api<Policy>("GET", PATH, { signal }),
    // Not under somebody's fingers.
    refetchOnWindowFocus: false,
  });
  return (
    <Outline title={policy.title} hint={policy.hint}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && (
        <Panel>{may("approvals.manage") ? <PolicyForm rules={data} /> : <Facts facts={policyFacts(data)} />}</Panel>
      )}
    </Outline>
  );
}

type Answer = Policy & { readonly approval_id: string | null };

function PolicyForm({ rules }: { readonly rules: Policy }) {
  const queries = useQueryClient();
  const [approvalId, setApprovalId] = useState<string | null>(null);
  const sent = useApiForm({
    initialValues: valuesOf(rules),
    submit: ({ approve_payees, ...values }) => {
      const body = Object.fromEntries(
        Object.entries(values).map(([name, text]) => [name, text.replaceAll(",", "").trim() || null]),
      );
      return api<Answer>("PUT", PATH, { body: { ...body, approve_payees: approve_payees ? 1 : 0 } });
    },
    onDone: async (answer, form) => {
      setApprovalId(answer.approval_id);
      form.setValues(valuesOf(answer));
      notifications.show({ color: "green", message: answer.approval_id === null ? policy.saved : policy.savedWaits });
      await queries.invalidateQueries();
    },
  });
  const field = (name: keyof ReturnType<typeof valuesOf>) => sent.form.getInputProps(name);
  return (
    <form onSubmit={sent.onSubmit}>
      <Stack gap="md" maw={560}>
        <FormError error={sent.error} />
        {approvalId !== null && (
          <Alert variant="outline" role="status">
            {policy.savedWaits}{" "}
            <Anchor component={Link} to={`/approvals/${approvalId}`} inherit>
              {policy.openApproval}
            </Anchor>
          </Alert>
        )}
        <MoneyField label={policy.approveOver} description={policy.approveOverHint} {...field("approve_over")} />
        <Checkbox label={policy.approvePayees} {...sent.form.getInputProps("approve_payees", { type: "checkbox" })} />
        <TextInput
          label={policy.coolingOff}
          description={policy.off}
          inputMode="numeric"
          {...field("cooling_off_minutes")}
        />
        <MoneyField label={policy.transferLimit} description={policy.off} {...field("transfer_limit")} />
        <MoneyField label={policy.dailyLimit} description={policy.off} {...field("daily_limit")} />
        <TextInput label={policy.expires} required inputMode="numeric" {...field("approval_expires_hours")} />
        <SubmitRow of={sent} label={policy.save} />
      </Stack>
    </form>
  );
}

/** The rules as what fields hold: empty is off. */
function valuesOf(rules: Policy) {
  return {
    approve_over: rules.approve_over ?? "",
    approve_payees: rules.approve_payees,
    cooling_off_minutes: String(rules.cooling_off_minutes ?? ""),
    transfer_limit: rules.transfer_limit ?? "",
    daily_limit: rules.daily_limit ?? "",
    approval_expires_hours: String(rules.approval_expires_hours),
  };
}
