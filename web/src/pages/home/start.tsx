// The first steps of a new business, and the accounts that a sandbox can pay.
import { Group, Text, VisuallyHidden } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions, useSession } from "../../api/session.ts";
import { WEIGHT } from "../../app/tokens.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { start, testPayees } from "../../strings/home.ts";
import classes from "./home.module.css";

type Started = Answer<"GET", "/session/home/start">;

const PLACES: Readonly<Record<Started["steps"][number]["name"], string>> = {
  company: "/settings/company",
  bank: "/settings/company",
  provider: "/settings/payout-accounts",
  template: "/templates",
  invoice: "/invoices/new",
  second_factor: "/security",
};

/**
 * The first steps, unless all are done; each is derived from existing data. Dismissing them is stored in this browser.
 */
export function useStart(enabled: boolean) {
  const { kind, id, merchant } = useSession();
  const [dismissed, setDismissed] = useLocalStorage({
    key: `nodal-start:${kind}-${id}:${merchant?.id ?? ""}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const query = useGet("/session/home/start", { enabled });
  const all = query.data?.steps ?? [];
  const steps = dismissed || all.every((step) => step.done) ? [] : all;
  return {
    query,
    steps,
    /** Whether they are nearly all there is to show. */
    isNew: steps.length > 0 && query.data?.is_new === true,
    dismiss: () => setDismissed(true),
  };
}

type Props = { readonly steps: Started["steps"]; readonly onDismiss: () => void };

/** The steps, the done ones too. */
export function Start({ steps, onDismiss }: Props) {
  const done = steps.filter((step) => step.done).length;
  return (
    <Panel
      title={start.title}
      flush
      actions={
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {start.progress(done, steps.length)}
          </Text>
          <Action label={start.dismiss} size="compact-sm" onClick={onDismiss} />
        </Group>
      }
    >
      <ol className={classes["rows"]}>
        {steps.map((step, place) => (
          <Step key={step.name} {...step} number={place + 1} />
        ))}
      </ol>
    </Panel>
  );
}

function Step({ name, done, number }: Started["steps"][number] & { readonly number: number }) {
  const { name: title, hint, link } = start.steps[name];
  return (
    <li className={classes["step"]}>
      <span className={classes["mark"]} data-done={done || undefined} aria-hidden>
        {done ? "✓" : number}
      </span>
      <div>
        <Text fw={WEIGHT.medium} {...(done ? { c: "dimmed" } : {})}>
          {title}
          {done && <VisuallyHidden> {start.done}</VisuallyHidden>}
        </Text>
        {!done && (
          <Text size="sm" c="dimmed">
            {hint} <LinkTo label={link} to={PLACES[name]} size="sm" underline="always" />
          </Text>
        )}
      </div>
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
  const found = useGet("/session/home/start");
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
