// What a new business has still to do, until it is done or dismissed; and what can be typed to try payouts out.
import { Group, Stack, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { start, testPayees } from "../../strings/home.ts";

type Started = Answer<"GET", "/home/start">;

const PLACES: Readonly<Record<Started["steps"][number]["name"], string>> = {
  company: "/settings/company",
  bank: "/settings/company",
  provider: "/settings/payout-accounts",
  template: "/templates",
  invoice: "/invoices/new",
  second_factor: "/security",
};

/** The first steps. Each is read from what is there; that somebody has dismissed them is kept in this browser. */
export function Start() {
  const { kind, id, merchant } = useSession();
  const [dismissed, setDismissed] = useLocalStorage({
    key: `nodal-start:${kind}-${id}:${merchant?.id ?? ""}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { data } = useGet("/home/start", { enabled: !dismissed });
  const steps = data?.steps ?? [];
  const done = steps.filter((step) => step.done).length;
  if (dismissed || done === steps.length) return null;
  return (
    <Panel
      title={start.title}
      actions={
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {start.progress(done, steps.length)}
          </Text>
          <Action label={start.dismiss} size="compact-sm" onClick={() => setDismissed(true)} />
        </Group>
      }
    >
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
        {steps.map((step) => (
          <Step key={step.name} {...step} />
        ))}
      </Stack>
    </Panel>
  );
}

function Step({ name, done }: Started["steps"][number]) {
  const { name: title, hint, link } = start.steps[name];
  return (
    <li>
      <Group gap="xs">
        <Text fw={600}>{title}</Text>
        {done && <StatusBadge status={start.done} tone="success" />}
      </Group>
      {!done && (
        <Text size="sm" c="dimmed">
          {hint} <LinkTo label={link} to={PLACES[name]} size="sm" underline="always" />
        </Text>
      )}
    </li>
  );
}

type Payee = Started["test_payees"][number];

const COLUMNS: readonly Column<Payee>[] = [
  { key: "outcome", title: testPayees.outcome, render: ({ outcome }) => testPayees.outcomes[outcome] },
  {
    key: "account_number",
    title: testPayees.account,
    render: ({ account_number: number, ifsc, upi }) => (
      <>
        {number || upi}
        <Text size="sm" c="dimmed" hiddenFrom="sm">
          {ifsc}
        </Text>
      </>
    ),
  },
  { key: "ifsc", title: testPayees.ifsc, hideBelow: "sm" },
];

/** The accounts of the simulated bank, with what each of them shows. */
export function TestPayees() {
  const may = usePermissions();
  const found = useGet("/home/start");
  return (
    <TablePanel
      title={testPayees.title}
      hint={testPayees.hint}
      actions={may("beneficiaries.manage") && <Action label={testPayees.add} to="/beneficiaries/new" />}
      of={found}
      rows={found.data?.test_payees}
      columns={COLUMNS}
      rowKey={({ account_number, upi }) => account_number || upi}
    />
  );
}
