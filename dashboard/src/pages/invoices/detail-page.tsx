// One invoice: what it says, how it stands, and what can be done with it.
// What belongs here: the page and its actions. Its tables are detail-tables.tsx, its dialogs have files of their own.
import { Anchor, Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { CopyButton } from "../../components/copy-link.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts, type Fact } from "../../components/facts.tsx";
import { HistoryPanel } from "../../components/history-panel.tsx";
import { FramedPage } from "../../components/framed-page.tsx";
import { Money } from "../../components/money.tsx";
import { Page as PageFrame, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { toPaise } from "../../format/money.ts";
import { day, moment } from "../../format/time.ts";
import { invoice as words } from "../../strings/invoices.ts";
import { CancelDialog } from "./cancel-dialog.tsx";
import { CreditNoteDialog } from "./credit-note-dialog.tsx";
import { CreditNotes } from "./credit-notes.tsx";
import { Messages, Payments, Revisions, Rows } from "./detail-tables.tsx";
import { useInvoice, type InvoiceRecord } from "./invoice-record.ts";
import { PaymentDialog } from "./payment-dialog.tsx";
import { SendDialog } from "./send-dialog.tsx";

type Deed = "send" | "pay" | "credit" | "cancel";

/** One invoice. */
export function Page() {
  const record = useInvoice();
  const [deed, setDeed] = useState<Deed | null>(null);
  const close = (): void => setDeed(null);
  return (
    <PageFrame
      title={words.title(record.invoice_number)}
      badge={<StatusBadge status={record.status} />}
      actions={<Actions record={record} onChoose={setDeed} />}
    >
      <Standing record={record} />
      <Summary record={record} />
      <Rows record={record} />
      <Payments record={record} />
      {record.credit_notes.length > 0 && <CreditNotes record={record} />}
      <Messages record={record} />
      {record.revisions.length > 0 && <Revisions record={record} />}
      <HistoryPanel title={words.history} path={`/invoices/${record.invoice_id}/history`} />
      <PublicPage record={record} />
      {deed === "send" && <SendDialog record={record} onClose={close} />}
      {deed === "pay" && <PaymentDialog record={record} onClose={close} />}
      {deed === "credit" && <CreditNoteDialog record={record} onClose={close} />}
      {deed === "cancel" && <CancelDialog record={record} onClose={close} />}
    </PageFrame>
  );
}

type ActionProps = { readonly record: InvoiceRecord; readonly onChoose: (deed: Deed) => void };

function Actions({ record, onChoose }: ActionProps) {
  const may = usePermissions();
  const isClosed = record.status === "Cancelled" || record.status === "Carried forward";
  const isDue = (toPaise(record.due_amount) ?? 0n) > 0n;
  const isTouched = record.credit_notes.length > 0 || record.settlements.some(({ status }) => status === "Recorded");
  return (
    <>
      {may("invoices.settle") && isDue && <Button onClick={() => onChoose("pay")}>{words.pay}</Button>}
      {may("invoices.manage") && !isClosed && (
        <Button variant="default" onClick={() => onChoose("send")}>
          {words.send}
        </Button>
      )}
      {may("invoices.manage") && !isClosed && !isTouched && (
        <Button variant="default" component={Link} to={`/invoices/${record.invoice_id}/edit`}>
          {words.edit}
        </Button>
      )}
      {may("invoices.cancel") && record.status !== "Cancelled" && (
        <Button variant="default" onClick={() => onChoose("credit")}>
          {words.credit}
        </Button>
      )}
      {may("invoices.cancel") && !isClosed && !isTouched && (
        <Button variant="default" onClick={() => onChoose("cancel")}>
          {words.cancel}
        </Button>
      )}
    </>
  );
}

function Standing({ record }: { readonly record: InvoiceRecord }) {
  const amounts = [
    { label: words.total, amount: record.amount },
    { label: words.paid, amount: record.paid_amount },
    { label: words.due, amount: record.due_amount },
  ];
  return (
    <Panel>
      <SimpleGrid component="dl" cols={{ base: 1, sm: 3 }} m={0}>
        {amounts.map(({ label, amount }) => (
          <div key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} fz={24} fw={650}>
              <Money amount={amount} />
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Panel>
  );
}

function Summary({ record }: { readonly record: InvoiceRecord }) {
  const may = usePermissions();
  const { customer } = record;
  const ofCustomer = { customer: customer.customer_code };
  return (
    <Panel
      title={words.summary}
      actions={
        <Group gap="xs">
          <Button variant="default" component="a" href={record.short_url} target="_blank" rel="noreferrer">
            {words.publicPage}
          </Button>
          <CopyButton text={record.short_url} label={words.copyLink} />
          <Button variant="default" component="a" href={record.pdf_url} target="_blank" rel="noreferrer">
            {words.pdf}
          </Button>
        </Group>
      }
    >
      <Facts
        facts={[
          {
            label: words.customer,
            value: (
              <Anchor component={Link} to="/invoices" search={ofCustomer as never}>
                {`${customer.customer_name} (${customer.customer_code})`}
              </Anchor>
            ),
          },
          { label: words.email, value: customer.email },
          { label: words.mobile, value: customer.mobile },
          { label: words.billDate, value: day(record.bill_date) },
          { label: words.dueDate, value: day(record.due_date) },
          { label: words.cycle, value: record.bill_cycle_name },
          { label: words.sent, value: record.sent_date === "" ? words.notSent : moment(record.sent_date) },
          { label: words.created, value: moment(record.created_at) },
          { label: words.id, value: record.invoice_id },
          ...(record.franchise_name === null
            ? []
            : [
                { label: words.franchise, value: record.franchise_name },
                { label: words.commission, value: <Money amount={record.commission} /> },
              ]),
          ...(may("subscriptions.view") ? linksTo(words.subscription, "/subscriptions/", record.subscription_id) : []),
          ...linksTo(words.carriedTo, "/invoices/", record.carried_to),
          ...record.custom_header_fields
            .filter(({ value }) => value !== "")
            .map(({ name, value }) => ({ label: name, value })),
        ]}
      />
    </Panel>
  );
}

/** The fact that something else belongs to it; none where `id` is empty. */
function linksTo(label: string, path: string, id: string): Fact[] {
  if (id === "") return [];
  const value = (
    <Anchor component={Link} to={`${path}${id}`}>
      {id}
    </Anchor>
  );
  return [{ label, value }];
}

function PublicPage({ record }: { readonly record: InvoiceRecord }) {
  const [isOpen, { open }] = useDisclosure(false);
  const { data, error, refetch } = useQuery({
    queryKey: ["/invoices", record.invoice_id, "page"],
    queryFn: ({ signal }) => api<{ html: string }>("GET", `/invoices/${record.invoice_id}/page`, { signal }),
    enabled: isOpen,
  });
  return (
    <Panel title={words.page}>
      <Stack gap="sm" align="stretch">
        <Text c="dimmed">{words.pageHint}</Text>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data && <FramedPage html={data.html} title={words.pageTitle} />}
        {!isOpen && (
          <div>
            <Button variant="default" onClick={open}>
              {words.showPage}
            </Button>
          </div>
        )}
      </Stack>
    </Panel>
  );
}
