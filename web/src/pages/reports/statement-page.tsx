// A customer's statement of account: what was owed, what happened in a period, and what is owed; its PDF, and mailing it.
import { Group, TextInput } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, apiUrl } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet, useRequestKey } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, Money } from "../../components/values.tsx";
import { day } from "../../format/time.ts";
import { FormDialog } from "../../forms/dialogs.tsx";
import { reports as words } from "../../strings/reports.ts";
import { Below, PeriodFields, usePeriod, type PeriodQuery } from "./report.tsx";

const said = words.statement;
/** With its place: two payments of a day that left the same balance differ in nothing else. */
type Row = Answer<"GET", "/customers/:customer_id/statement">["lines"][number] & { readonly place: number };

/** The statement of account of a customer. */
export function Page() {
  const { customerId = "" }: { customerId?: string } = useParams({ strict: false });
  const period = usePeriod();
  const found = useGet(`/customers/${customerId}/statement`, { query: period, placeholderData: keepPreviousData });
  const { data } = found;
  const may = usePermissions();
  const [isSending, setSending] = useState(false);
  return (
    <Outline
      title={data ? said.of(data.customer_name) : said.title}
      hint={data?.customer_code}
      actions={
        <>
          <Action label={words.customer} to={`/customers/${customerId}`} />
          <Action label={said.pdf} href={apiUrl(`/customers/${customerId}/statement/pdf`, period)} newTab />
          {may("invoices.manage") && <Action label={said.send} onClick={() => setSending(true)} primary />}
        </>
      }
    >
      {isSending && data && (
        <SendDialog
          customerId={customerId}
          email={data.customer_email}
          period={period}
          onClose={() => setSending(false)}
        />
      )}
      <Panel>
        <Group gap="sm" align="flex-start">
          <PeriodFields />
        </Group>
      </Panel>
      {data && (
        <Panel>
          <Facts
            facts={[
              { label: `${said.opening} · ${day(data.from_date)}`, value: <Money amount={data.opening_balance} /> },
              { label: `${said.closing} · ${day(data.to_date)}`, value: <Money amount={data.closing_balance} /> },
            ]}
          />
        </Panel>
      )}
      <TablePanel
        caption={said.title}
        of={found}
        rows={data?.lines.map((line, place) => ({ ...line, place }))}
        columns={COLUMNS}
        rowKey="place"
        empty={{ title: said.empty, hint: words.emptyHint }}
      />
    </Outline>
  );
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
