// The statement: debits and credits of the available balance in a period, the newest first, with the balance after each.
import { Box, SimpleGrid, Skeleton, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Money } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { DateRange } from "../../lists/filters.tsx";
import { useList } from "../../lists/use-list.ts";
import { statement } from "../../strings/payouts.ts";
import { titles } from "../../strings/titles.ts";
import { ENTRY_COLUMNS } from "./entry-columns.tsx";
import { WEIGHT } from "../../app/tokens.ts";

type Line = Totals["lines"][number];
type Totals = Answer<"GET", "/statement">;

const COLUMNS: readonly Column<Line>[] = [
  { key: "posted_at", title: statement.date, hideBelow: "sm", as: "moment" },
  { key: "description", title: statement.description, render: (line) => <Description of={line} /> },
  { key: "reference", title: statement.reference, hideBelow: "lg", as: "code" },
  { key: "debit", title: statement.debit, hideBelow: "sm", as: "money" },
  { key: "credit", title: statement.credit, hideBelow: "sm", as: "money" },
  { key: "balance", title: statement.balance, hideBelow: "sm", as: "money" },
];

/** What happened, with the bank's number for it; on narrow screens, with the time above it, and what it did to the balance below. */
function Description({ of: line }: { readonly of: Line }) {
  const { description, transfer_id, utr, posted_at, debit, credit, balance } = line;
  return (
    // Names are long, and the other columns take what they can get.
    <Box miw={{ sm: 240 }}>
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {moment(posted_at)}
      </Text>
      {transfer_id === null ? description : <LinkTo label={description} to={`/transfers/${transfer_id}`} inherit />}
      {utr !== null && utr !== "" && (
        <Text size="sm" c="dimmed" visibleFrom="sm">
          {statement.utr} {utr}
        </Text>
      )}
      <Text fw={WEIGHT.strong} hiddenFrom="sm">
        {debit === null ? "+" : ""}
        <Money amount={debit === null ? (credit ?? "0.00") : `-${debit}`} />
      </Text>
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {statement.left(rupees(balance))}
      </Text>
    </Box>
  );
}

/** Narrow screens have no room for their times inside of the line's: what each entry is comes first there. */
const INNER_COLUMNS = ENTRY_COLUMNS.map((column) =>
  column.key === "posted_at" ? ({ ...column, hideBelow: "sm" } as const) : { ...column, isBelowFirst: false },
);

/** The entries of the payout that a line is of. */
const DETAILS = {
  of: ({ entries, description }: Line) =>
    entries.length === 0 ? null : (
      <DataTable caption={statement.entriesOf(description)} columns={INNER_COLUMNS} rows={entries} rowKey="entry_no" />
    ),
  labelOf: ({ description }: Line) => statement.entriesOf(description),
};

/** Statement. */
export function Page() {
  const list = useList({ path: "/statement", rowsIn: "lines", filters: ["from", "to"] });
  return (
    <DataPage
      title={titles.statement}
      actions={<ExportButton path="/statement/pdf" query={list.query} fileName="statement.pdf" label={statement.pdf} />}
      list={list}
      columns={COLUMNS}
      rowKey="line_no"
      filterFields={<DateRange list={list} />}
      hasFile
      summary={list.error ? null : <Balances totals={list.answer} />}
      empty={{ title: statement.empty, hint: statement.emptyHint }}
      details={DETAILS}
    />
  );
}

/** The balances at both ends; placeholders until they are loaded. */
function Balances({ totals }: { readonly totals: Totals | null }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} px="md" pb="md">
      {(["opening", "closing"] as const).map((name) => (
        <div key={name}>
          <Text size="sm" c="dimmed">
            {statement[name]}
          </Text>
          <Text component="div" fw={WEIGHT.strong}>
            {totals ? <Money amount={totals[name].available} /> : <Skeleton height="1lh" width="8rem" />}
          </Text>
          <Text component="div" size="sm" c="dimmed">
            {totals ? statement.ledger(rupees(totals[name].ledger)) : <Skeleton height="1lh" width="10rem" />}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
