// All invoices: found, filtered, added up, exported; several at once are sent, reminded of, and had as PDFs in one file.
import { Alert, Box, Group, NativeSelect, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { makeRequestKey, useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage, Totals } from "../../components/data-page.tsx";
import { type Column, menuColumn, type Selection } from "../../components/data-table.tsx";
import { Line } from "../../components/line.tsx";
import { RefusedNotice } from "../../components/notices.tsx";
import { Money, StatusBadge } from "../../components/values.tsx";
import { day } from "../../format/time.ts";
import { AMOUNT_FILTERS, AmountRange, DATE_FILTERS, DateRange, MoreFilters } from "../../lists/filters.tsx";
import { type List, useList } from "../../lists/use-list.ts";
import { invoices, manyInvoices } from "../../strings/invoices.ts";
import { lists } from "../../strings/lists.ts";
import { statusChoices } from "../../strings/statuses.ts";
import { titles } from "../../strings/titles.ts";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { countFilesIn, ExportButton } from "../../components/export-button.tsx";
import { toPaise } from "../../format/money.ts";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { formatPaise } from "../../../../src/platform/money.ts";
import { CHANGES } from "./dialogs.tsx";
import { InvoiceTabs } from "./invoice-tabs.tsx";
import { InvoiceMenu } from "./row-menu.tsx";

type Row = Answer<"GET", "/invoices">["invoices"][number];

type Extra = Answer<"GET", "/invoices">;

const FILTERS = [
  "search",
  "status",
  "date",
  ...DATE_FILTERS,
  ...AMOUNT_FILTERS,
  "customer",
  "group",
  "franchise",
  "template",
];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "number",
    title: invoices.number,
    render: (row) => (
      <>
        <LinkTo label={row.invoice_number} to={`/invoices/${row.invoice_id}`} style={{ whiteSpace: "nowrap" }} />
        <Box hiddenFrom="sm">
          <Line dimmed>{row.customer_name}</Line>
          <Status of={row} />
        </Box>
      </>
    ),
  },
  { key: "customer_name", title: invoices.customer, hideBelow: "sm" },
  { key: "bill_date", title: invoices.billDate, sortable: true, hideBelow: "md", as: "day" },
  { key: "due_date", title: invoices.dueDate, sortable: true, hideBelow: "sm", as: "day" },
  { key: "amount", title: invoices.amount, as: "amount" },
  { key: "due_amount", title: invoices.due, hideBelow: "sm", as: "amount" },
  {
    key: "status",
    title: invoices.status,
    hideBelow: "sm",
    render: (row) => <Status of={row} />,
  },
];

type MenuProps = { readonly of: Row; readonly onRemind: () => void };

function ActionsOf({ of: { invoice_id: id, invoice_number: number, due_amount: due, status }, onRemind }: MenuProps) {
  const may = usePermissions();
  const isDue = status !== "Cancelled" && (toPaise(due) ?? 0n) > 0n;
  return <InvoiceMenu id={id} number={number} onRemind={isDue && may("invoices.manage") ? onRemind : null} />;
}

function Status({ of: { status, overdue_days } }: { readonly of: Row }) {
  return (
    <span title={overdue_days > 0 ? invoices.overdueBy(overdue_days) : undefined}>
      <StatusBadge status={status} />
    </span>
  );
}

/** Invoices. */
export function Page() {
  const may = usePermissions();
  const list = useList({ path: "/invoices", rowsIn: "invoices", filters: FILTERS });
  const { selection, chosen } = useChosenInvoices(list.rows);
  const [letter, setLetter] = useState<{ readonly kind: Letter; readonly of: readonly Row[] } | null>(null);
  const write = (kind: Letter, of: readonly Row[]): void => setLetter({ kind, of });
  const [refused, setRefused] = useState<{ readonly title: string; readonly of: readonly Refusal[] } | null>(null);
  const create = may("invoices.manage") && <Action label={invoices.create} primary to="/invoices/new" />;
  return (
    <DataPage
      title={titles.invoices}
      hint={invoices.hint}
      actions={
        create && (
          <>
            <Action label={invoices.upload} to="/invoices/upload" />
            {create}
          </>
        )
      }
      list={list}
      tabs={<InvoiceTabs current={list.filters["status"] ?? ""} />}
      columns={[...COLUMNS, menuColumn<Row>((row) => <ActionsOf of={row} onRemind={() => write("remind", [row])} />)]}
      rowKey="invoice_id"
      search={{ filter: "search", placeholder: invoices.search }}
      filterFields={<ListFilters list={list} />}
      hasFile
      summary={
        <>
          <Summary list={list} />
          {refused && (
            <Box px="md" pb="md">
              <RefusedNotice title={refused.title} refused={refused.of} onClose={() => setRefused(null)} />
            </Box>
          )}
        </>
      }
      selection={selection}
      bulk={<ManyInvoices chosen={chosen} onWrite={(kind) => write(kind, chosen)} />}
      empty={{ title: invoices.empty, hint: invoices.emptyHint, action: create }}
    >
      {letter && (
        <WriteDialog
          letter={letter.kind}
          chosen={letter.of}
          onDone={(left) => {
            setRefused({ title: manyInvoices.refused(letter.kind, left.length), of: left });
            setLetter(null);
            selection.onChange(new Set());
          }}
          onClose={() => setLetter(null)}
        />
      )}
    </DataPage>
  );
}

function Summary({ list }: { readonly list: List<Row, Extra> }) {
  const { answer, filters } = list;
  if (answer && list.rows.length === 0 && !list.isFiltered) return null;
  return (
    <Group px="md" pb="md" gap="sm">
      {filters["customer"] && <Text size="sm">{invoices.ofCustomer(filters["customer"])}</Text>}
      {answer && answer.searched_to !== null && <Text size="sm">{lists.searchedTo(day(answer.searched_to))}</Text>}
      {answer?.is_cut && <Alert color="yellow">{<Text size="sm">{invoices.cut}</Text>}</Alert>}
      <ListTotals query={list.query} />
    </Group>
  );
}

const STATUSES = ["Unpaid", "Partially paid", "Overdue", "Paid offline", "Paid online", "Cancelled", "Carried forward"];
const STATUS_OPTIONS = [
  ...statusChoices(invoices.anyStatus, STATUSES),
  { value: "Open", label: invoices.allUnpaid },
  { value: "Paid", label: invoices.allPaid },
];
const MORE = ["date", ...DATE_FILTERS, ...AMOUNT_FILTERS, "franchise", "group", "template"];

type FilterProps = { readonly list: Pick<List<unknown>, "filters" | "filter" | "setFilters"> };

/** Status, and on demand dates, franchise, group and template. */
function ListFilters({ list }: FilterProps) {
  const { label: _label, ...status } = list.filter("status", invoices.status);
  return (
    <>
      <NativeSelect {...status} aria-label={invoices.status} data={STATUS_OPTIONS} />
      <MoreFilters list={list} names={MORE}>
        <NativeSelect
          {...list.filter("date", invoices.dateKind)}
          data={Object.entries(invoices.dateKinds).map(([value, label]) => ({ value, label }))}
          value={list.filters["date"] || "bill_date"}
        />
        <DateRange list={list} />
        <AmountRange list={list} />
        <ChoiceFilters list={list} />
      </MoreFilters>
    </>
  );
}

function ChoiceFilters({ list }: FilterProps) {
  const { data } = useGet("/session/invoices/choices");
  return (
    <>
      {data && data.franchises.length > 0 && (
        <NativeSelect
          {...list.filter("franchise", invoices.franchise)}
          data={[
            { value: "", label: invoices.anyFranchise },
            ...data.franchises.map(({ franchise_id, name }) => ({ value: franchise_id, label: name })),
          ]}
        />
      )}
      {data && data.groups.length > 0 && (
        <NativeSelect
          {...list.filter("group", invoices.group)}
          data={[{ value: "", label: invoices.anyGroup }, ...data.groups]}
        />
      )}
      {data && data.templates.length > 1 && (
        <NativeSelect
          {...list.filter("template", invoices.template)}
          data={[
            { value: "", label: invoices.anyTemplate },
            ...data.templates.map(({ template_id, name }) => ({ value: template_id, label: name })),
          ]}
        />
      )}
    </>
  );
}

/** The totals for a query of the list. */
function ListTotals({ query }: { readonly query: Readonly<Record<string, string>> }) {
  return (
    <Totals
      of={useGet("/invoices/totals", { query })}
      tooMany={invoices.totals.tooMany}
      sums={(totals) => [
        { label: invoices.totals.invoices, value: totals?.invoices.toLocaleString("en-IN") },
        {
          label: invoices.totals.billed,
          value: totals && <Money amount={totals.billed} />,
          info: invoices.totals.hint,
        },
        { label: invoices.totals.paid, value: totals && <Money amount={totals.paid} /> },
        { label: invoices.totals.due, value: totals && <Money amount={totals.due} /> },
      ]}
    />
  );
}

type Outcome = Answer<"POST", "/invoices/send">["outcomes"][number];
type Letter = "send" | "remind";

/** Which rows of the page are ticked. */
function useChosenInvoices(rows: readonly Row[]): {
  readonly selection: Selection<Row>;
  readonly chosen: readonly Row[];
} {
  const [selected, onChange] = useState<ReadonlySet<string>>(new Set());
  const labels = {
    allLabel: manyInvoices.selectAll,
    labelOf: (row: Row) => manyInvoices.selectOne(row.invoice_number),
  };
  const chosen = rows.filter((row) => selected.has(row.invoice_id));
  // Rows of another page are no longer ticked.
  const ticked = new Set(chosen.map(({ invoice_id }) => invoice_id));
  return { selection: { selected: ticked, onChange, mayChoose: () => true, ...labels }, chosen };
}

type Refusal = { readonly label: string; readonly to: string; readonly error: string | null };

type ManyProps = { readonly chosen: readonly Row[]; readonly onWrite: (letter: Letter) => void };

/** The actions on ticked rows. */
function ManyInvoices({ chosen, onWrite }: ManyProps) {
  const mayWrite = usePermissions()("invoices.manage");
  return (
    <>
      {mayWrite && <Action label={manyInvoices.send} onClick={() => onWrite("send")} />}
      {mayWrite && <Action label={manyInvoices.remind} onClick={() => onWrite("remind")} />}
      <Pdfs of={chosen} />
    </>
  );
}

type DialogProps = {
  readonly letter: Letter;
  readonly chosen: readonly Row[];
  readonly onDone: (refused: readonly Refusal[]) => void;
  readonly onClose: () => void;
};

/** Asks once for all of them. Each has a key of its own: sent again after a lost answer, no customer is written to twice. */
function WriteDialog({ letter, chosen, onDone, onClose }: DialogProps) {
  const [invoices] = useState(() => chosen.map(({ invoice_id }) => ({ invoice_id, request_key: makeRequestKey() })));
  const numberOf = new Map(chosen.map((row) => [row.invoice_id, row.invoice_number]));
  const duePaise = chosen.reduce((sum, { due_amount }) => sum + (toPaise(due_amount) ?? 0n), 0n);
  const write = (): Promise<{ readonly outcomes: readonly Outcome[] }> =>
    letter === "send"
      ? api("POST", "/invoices/send", { body: { invoices } })
      : api("POST", "/invoices/remind", { body: { invoices } });
  return (
    <FormDialog
      title={manyInvoices.title(letter, chosen.length)}
      label={manyInvoices[letter]}
      hint={manyInvoices.hint(letter)}
      initialValues={{}}
      intro={
        <div>
          <Text>{manyInvoices.due}</Text>
          <AmountInWords amount={formatPaise(duePaise)} />
        </div>
      }
      submit={write}
      changes={CHANGES}
      done={({ outcomes }) => {
        const count = outcomes.filter(({ error }) => error === null).length;
        return count === 0 ? null : manyInvoices.done(letter, count);
      }}
      onDone={({ outcomes }) =>
        onDone(
          outcomes
            .filter(({ error }) => error !== null)
            .map(({ invoice_id: id, error }) => ({ label: numberOf.get(id) ?? id, to: `/invoices/${id}`, error })),
        )
      }
      onClose={onClose}
    />
  );
}

/** The PDFs as one file, with a list of them: what could not be made is named in it. */
function Pdfs({ of }: { readonly of: readonly Row[] }) {
  const lookInto = async (file: Blob): Promise<void> => {
    const missing = of.length + 1 - (await countFilesIn(file));
    if (missing > 0)
      notifications.show({ color: "yellow", message: manyInvoices.pdfsMissing(missing), autoClose: false });
  };
  return (
    <ExportButton
      label={manyInvoices.pdfs}
      path="/invoices/pdfs.zip"
      query={{ invoices: of.map(({ invoice_id }) => invoice_id).join(",") }}
      fileName="invoices.zip"
      onFile={(file) => void lookInto(file)}
    />
  );
}
