// A customer's statement of account: opening dues, the entries of a period, closing dues; its PDF, and mailing it.
import { Group, Skeleton, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { api, apiUrl } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet, useRequestKey } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Below, type Fact, Facts, Money } from "../../components/values.tsx";
import { day } from "../../format/time.ts";
import { FormDialog } from "../../forms/dialogs.tsx";
import { PeriodFields, usePeriod, type PeriodQuery } from "../../lists/period.tsx";
import { reports as words } from "../../strings/reports.ts";

const said = words.statement;
type Statement = Answer<"GET", "/customers/:customer_id/statement">;
/** With its place: two payments of a day that left the same balance differ in nothing else. */
type Row = Statement["lines"][number] & { readonly place: number };

/** The statement of account of a customer. */
export function CustomerStatement({ customerId }: { readonly customerId: string }) {
  const period = usePeriod();
  const found = useGet(`/customers/${customerId}/statement`, { query: period, placeholderData: keepPreviousData });
  const { data } = found;
  const may = usePermissions();
  const [isSending, sending] = useDisclosure(false);
  return (
    <>
      <Panel
        title={said.title}
        actions={
          <Group gap="xs">
            <Action label={said.pdf} href={apiUrl(`/customers/${customerId}/statement/pdf`, period)} newTab />
            {may("invoices.manage") && <Action label={said.send} onClick={sending.open} />}
          </Group>
        }
      >
        <Group gap="sm" align="flex-start" mb="md">
          <PeriodFields />
        </Group>
        <Facts
          facts={[
            balance(said.opening, data?.from_date ?? period.from_date, data?.opening_balance),
            balance(said.closing, data?.to_date ?? period.to_date, data?.closing_balance),
          ]}
        />
      </Panel>
      <TablePanel
        caption={said.title}
        of={found}
        rows={data?.lines.map((line, place) => ({ ...line, place }))}
        columns={COLUMNS}
        rowKey="place"
        empty={{ title: said.empty, hint: words.emptyHint }}
      />
      {isSending && data && (
        <SendDialog customerId={customerId} email={data.customer_email} period={period} onClose={sending.close} />
      )}
    </>
  );
}

/** The dues on a day, with a placeholder while they load. */
function balance(label: string, on: string, amount: string | undefined): Fact {
  const value = amount === undefined ? <Skeleton height="1lh" width="6rem" /> : <Money amount={amount} />;
  return { label: `${label} · ${day(on)}`, value };
}

type SendProps = {
  readonly customerId: string;
  readonly email: string;
  readonly period: PeriodQuery;
  readonly onClose: () => void;
};

/** Queues one mail, to the customer's address or another one. */
function SendDialog({ customerId, email, period, onClose }: SendProps) {
  const [key] = useRequestKey();
  return (
    <FormDialog
      title={said.send}
      label={said.submit}
      initialValues={{ email }}
      submit={(body) => api("POST", `/customers/${customerId}/send-statement`, { key, body: { ...period, ...body } })}
      changes={["/messages"]}
      done={said.queued}
      onClose={onClose}
    >
      {({ field }) => <TextInput {...field("email", said.email, said.sendHint)} type="email" required data-autofocus />}
    </FormDialog>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "number",
    title: said.entry,
    render: ({ invoice_id, number, voucher_type, reference, date }) => (
      <>
        {invoice_id === "" ? (
          <span style={{ whiteSpace: "nowrap" }}>{number}</span>
        ) : (
          <LinkTo label={<span style={{ whiteSpace: "nowrap" }}>{number}</span>} to={`/invoices/${invoice_id}`} />
        )}
        <Below>
          {said.vouchers[voucher_type] ?? voucher_type}
          {reference !== "" && ` · ${reference}`}
        </Below>
        <Below onPhones>{day(date)}</Below>
      </>
    ),
  },
  { key: "date", title: words.date, as: "day", hideBelow: "sm" },
  { key: "debit", title: words.debit, as: "amount", hideBelow: "sm" },
  { key: "credit", title: words.credit, as: "amount", hideBelow: "sm" },
  { key: "balance", title: said.balance, as: "amount" },
];
