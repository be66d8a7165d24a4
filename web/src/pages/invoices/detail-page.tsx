// One invoice: the document as in its PDF, the amount due, its actions and its history.
import { Text } from "@mantine/core";
import { useState } from "react";
import { usePermissions } from "../../api/session.ts";
import { LinkTo, MenuButton } from "../../components/actions.tsx";
import { HistoryPanel } from "../../components/history-panel.tsx";
import { UnprintableNotice } from "../../components/notices.tsx";
import { PrintedPages } from "../../components/printed-pages.tsx";
import { RecordColumns, RecordPage } from "../../components/record-page.tsx";
import { Money, StatusBadge } from "../../components/values.tsx";
import { day } from "../../format/time.ts";
import { invoice as words } from "../../strings/invoices.ts";
import { openingBalance } from "../../strings/opening-balances.ts";
import { ChosenDialog } from "./chosen-dialog.tsx";
import { CreditNotes } from "./credit-notes.tsx";
import { DebitNotes } from "./debit-notes.tsx";
import { type Chosen, useActions } from "./detail-actions.tsx";
import { Summary } from "./detail-summary.tsx";
import { Messages, Payments, Revisions, Rows } from "./detail-tables.tsx";
import { useInvoice, type InvoiceRecord } from "./invoice-record.ts";

/** One invoice. */
export function Page() {
  const record = useInvoice();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const { common, more } = useActions(record, setChosen);
  const title = titleOf(record);
  return (
    <RecordPage
      title={title}
      badge={<StatusBadge status={record.status} />}
      hint={<About record={record} />}
      figure={{ label: words.amountDue, value: <Money amount={record.due_amount} /> }}
      actions={common.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={entry.label === words.pay} />
      ))}
      more={more}
    >
      <UnprintableNotice letters={record.unprintable} />
      <RecordColumns
        aside={
          <>
            <Summary record={record} />
            <HistoryPanel title={words.history} path={`/invoices/${record.invoice_id}/history`} />
          </>
        }
      >
        <PrintedPages
          path={`/session/invoices/${record.invoice_id}/pages`}
          title={words.document(title)}
          pdfUrl={record.pdf_url}
        />
        <Payments record={record} />
        {record.credit_notes.length > 0 && <CreditNotes record={record} />}
        {record.debit_notes.length > 0 && <DebitNotes record={record} />}
        {!record.is_opening_balance && <Rows record={record} />}
        <Messages record={record} />
        {record.revisions.length > 0 && <Revisions record={record} />}
      </RecordColumns>
      <ChosenDialog record={record} chosen={chosen} onClose={() => setChosen(null)} />
    </RecordPage>
  );
}

type Props = { readonly record: InvoiceRecord };

/** Whom it is for, and by when it is to be paid. */
function About({ record: { customer, due_date: due } }: Props) {
  const may = usePermissions();
  const { customer_id: id, customer_name: name } = customer;
  return (
    <>
      {may("customers.view") ? <LinkTo label={name} to={`/customers/${id}`} underline="always" /> : name}
      <Text span inherit>
        {" · "}
        {words.dueOn(day(due))}
      </Text>
    </>
  );
}

function titleOf({ invoice_number: number, original_invoice, is_opening_balance: isOpening }: InvoiceRecord): string {
  if (isOpening) return openingBalance.title(number);
  return original_invoice === null ? words.title(number) : words.debitTitle(number);
}
