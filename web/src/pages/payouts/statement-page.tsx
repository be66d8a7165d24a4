// The statement: every movement of the balance in a period, the newest first, with the balances that it left.
import { SimpleGrid, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Money } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { DateRange } from "../../lists/range-filters.tsx";
import { useList } from "../../lists/use-list.ts";
import { statement } from "../../strings/payouts.ts";

type Entry = Totals["entries"][number];
type Totals = Answer<"GET", "/statement">;

const AVAILABLE = "available";

const COLUMNS: readonly Column<Entry>[] = [
  { key: "posted_at", title: statement.date, hideBelow: "sm", as: "moment" },
  { key: "description", title: statement.description, render: (entry) => <Description of={entry} /> },
  { key: "reference", title: statement.reference, hideBelow: "lg" },
  { key: "utr", title: statement.utr, hideBelow: "lg" },
  { key: "change", title: statement.change, align: "right", render: (entry) => <Change entry={entry} /> },
  { key: "available", title: statement.balance, hideBelow: "sm", as: "money" },
  { key: "ledger", title: statement.total, hideBelow: "md", as: "money" },
];

/** What happened; on narrow screens, with the time above it. */
function Description({ of: { description, transfer_id, posted_at } }: { readonly of: Entry }) {
  return (
    <>
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {moment(posted_at)}
      </Text>
      {transfer_id === null ? description : <LinkTo label={description} to={`/transfers/${transfer_id}`} inherit />}
    </>
  );
}

/** What an entry did to the available balance; nothing where it moved what was held already. */
function Change({ entry: { debit_account, credit_account, amount } }: { readonly entry: Entry }) {
  if (debit_account === AVAILABLE) return <Money amount={`-${amount}`} />;
  if (credit_account !== AVAILABLE) return null;
  return (
    <>
      +<Money amount={amount} />
    </>
  );
}

/** Statement. */
export function Page() {
  const list = useList({ path: "/statement", rowsIn: "entries", filters: ["from", "to"] });
  return (
    <DataPage
      title={statement.title}
      list={list}
      columns={COLUMNS}
      rowKey="entry_no"
      filterFields={<DateRange list={list} />}
      hasFile
      summary={list.answer && <Balances totals={list.answer} />}
      empty={{ title: statement.empty, hint: statement.emptyHint }}
    />
  );
}

function Balances({ totals }: { readonly totals: Totals }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} px="md" pb="md">
      {(["opening", "closing"] as const).map((name) => (
        <div key={name}>
          <Text size="sm" c="dimmed">
            {statement[name]}
          </Text>
          <Text fw={600}>
            <Money amount={totals[name].available} />
          </Text>
          <Text size="sm" c="dimmed">
            {statement.ledger(rupees(totals[name].ledger))}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
