// The statement: every movement of the balance in a period, the newest first, with the balances that it left.
// What belongs here: the page.
import { Anchor, Button, Group, SimpleGrid, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMerchant } from "../../api/session.ts";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Money } from "../../components/money.tsx";
import { DateField } from "../../forms/fields.tsx";
import { rupees } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { useList, type List } from "../../lists/use-list.ts";
import { statement } from "../../strings/payouts.ts";
import { statementPeriods } from "./statement-periods.ts";

type Entry = {
  readonly entry_no: string;
  readonly posted_at: string;
  readonly description: string;
  readonly reference: string;
  readonly transfer_id: string | null;
  readonly utr: string;
  readonly debit_account: string;
  readonly credit_account: string;
  readonly amount: string;
  readonly available: string;
  readonly ledger: string;
};
type Balances = { readonly available: string; readonly ledger: string };
type Totals = { readonly opening: Balances; readonly closing: Balances };

const AVAILABLE = "available";

const COLUMNS: readonly Column<Entry>[] = [
  { key: "posted_at", title: statement.date, render: ({ posted_at }) => moment(posted_at), hideBelow: "sm" },
  { key: "description", title: statement.description, render: (entry) => <Description of={entry} /> },
  { key: "reference", title: statement.reference, render: ({ reference }) => reference, hideBelow: "lg" },
  { key: "utr", title: statement.utr, render: ({ utr }) => utr, hideBelow: "lg" },
  { key: "change", title: statement.change, align: "right", render: (entry) => <Change entry={entry} /> },
  {
    key: "available",
    title: statement.balance,
    align: "right",
    render: ({ available }) => <Money amount={available} />,
    hideBelow: "sm",
  },
  {
    key: "ledger",
    title: statement.total,
    align: "right",
    render: ({ ledger }) => <Money amount={ledger} />,
    hideBelow: "md",
  },
];

/** What happened; on narrow screens, with the time above it. */
function Description({ of: { description, transfer_id, posted_at } }: { readonly of: Entry }) {
  return (
    <>
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {moment(posted_at)}
      </Text>
      {transfer_id === null ? (
        description
      ) : (
        <Anchor component={Link} to={`/transfers/${transfer_id}`} inherit>
          {description}
        </Anchor>
      )}
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
  const list = useList<Entry, Totals>({ path: "/statement", rowsIn: "entries", filters: ["from", "to"] });
  return (
    <DataPage
      title={statement.title}
      list={list}
      columns={COLUMNS}
      rowKey={({ entry_no }) => entry_no}
      filterFields={<Period list={list} />}
      exportAs={{ path: "/statement.csv", fileName: "statement.csv" }}
      summary={list.answer && <Balances totals={list.answer} />}
      empty={{ title: statement.empty, hint: statement.emptyHint }}
    />
  );
}

function Period({ list }: { readonly list: List<Entry, Totals> }) {
  const { today } = useMerchant();
  const { filters, setFilters } = list;
  return (
    <>
      {(["from", "to"] as const).map((name) => (
        <DateField
          key={name}
          label={statement[name]}
          value={filters[name] ?? ""}
          onChange={({ currentTarget }) => setFilters({ [name]: currentTarget.value })}
        />
      ))}
      <Group gap="xs">
        {statementPeriods(today).map(({ label, from, to }) => (
          <Button key={label} variant="default" onClick={() => setFilters({ from, to })}>
            {label}
          </Button>
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
