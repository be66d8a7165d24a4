// The statement: every movement of the balance in a period, the newest first, with the balances that it left.
import { Group, SimpleGrid, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { useMerchant } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Money } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { DateField } from "../../forms/form.tsx";
import { useList, type List } from "../../lists/use-list.ts";
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
      filterFields={<Period list={list} />}
      hasFile
      summary={list.answer && <Balances totals={list.answer} />}
      empty={{ title: statement.empty, hint: statement.emptyHint }}
    />
  );
}

function Period({ list }: { readonly list: List<Entry, Totals> }) {
  const { today } = useMerchant();
  return (
    <>
      {(["from", "to"] as const).map((name) => (
        <DateField key={name} {...list.filter(name, statement[name])} />
      ))}
      <Group gap="xs">
        {statementPeriods(today).map(({ label, from, to }) => (
          <Action label={label} key={label} onClick={() => list.setFilters({ from, to })} />
        ))}
      </Group>
    </>
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

const APRIL = 4;

type PeriodChoice = { readonly label: string; readonly from: string; readonly to: string };

/** This month, the last one, and this financial year up to today. `today` is YYYY-MM-DD. */
function statementPeriods(today: string): readonly PeriodChoice[] {
  const [year = 0, month = 0] = today.split("-").map(Number);
  const lastMonth = month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
  return [
    { label: statement.thisMonth, from: dateOf(year, month, 1), to: today },
    {
      label: statement.lastMonth,
      from: dateOf(lastMonth.year, lastMonth.month, 1),
      to: dateOf(lastMonth.year, lastMonth.month, new Date(Date.UTC(year, month - 1, 0)).getUTCDate()),
    },
    { label: statement.financialYear, from: dateOf(month < APRIL ? year - 1 : year, APRIL, 1), to: today },
  ];
}

function dateOf(year: number, month: number, day: number): string {
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
