// What lists of transfers and withdrawals have in common: their rows, columns and filters.
// What belongs here: parts of lists. The pages arrange them.
import { Alert, Anchor, Button, NativeSelect, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import type { Column } from "../../components/data-table.tsx";
import { Money } from "../../components/money.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { DateField } from "../../forms/fields.tsx";
import { toPaise } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import type { List } from "../../lists/use-list.ts";
import { transfers } from "../../strings/payouts.ts";
import { parts } from "../../strings/shell.ts";
import { statuses } from "../../strings/statuses.ts";
import { AmountFilter } from "./amount-filter.tsx";

/** A payout as the server lists it. */
export type Transfer = {
  readonly transfer_id: string;
  readonly kind: string;
  readonly reference_id: string;
  readonly beneficiary_id: string | null;
  readonly payee_name: string;
  readonly account_number: string;
  readonly ifsc: string;
  readonly upi: string;
  readonly mode: string;
  readonly amount: string;
  readonly narrative: string;
  readonly status: string;
  readonly utr: string;
  readonly reason: string;
  readonly acknowledged: boolean;
  readonly added_at: string;
  readonly processed_at: string | null;
};

export type TransferExtra = { readonly searched_to: string | null };
type TransferList = List<Transfer, TransferExtra>;

export const TRANSFER_FILTERS = [
  "search",
  "status",
  "kind",
  "from",
  "to",
  "amount_from",
  "amount_to",
  "beneficiary_id",
];
/** They are seldom wanted, and shown once they are. */
const MORE_FILTERS = ["from", "to", "amount_from", "amount_to"];
const STATUSES = ["PENDING", "PENDING_APPROVAL", "SUCCESS", "FAILED", "REVERSED", "REJECTED"];

/** Where the money of a payout went: the account's end, or the handle. */
export function destinationOf({ mode, account_number, ifsc, upi }: Transfer): string {
  return mode === "upi" ? upi : `${account_number} ${ifsc}`;
}

/** The columns of a list whose details are below a section. */
export function transferColumns(section: "/transfers" | "/withdrawals"): readonly Column<Transfer>[] {
  return [
    {
      key: "added_at",
      title: transfers.added,
      sortable: true,
      render: ({ transfer_id, added_at, payee_name }) => (
        <>
          <Anchor component={Link} to={`${section}/${transfer_id}`}>
            {moment(added_at)}
          </Anchor>
          <Text size="sm" hiddenFrom="sm">
            {payee_name}
          </Text>
        </>
      ),
    },
    {
      key: "payee",
      title: transfers.payee,
      render: (row) => (
        <>
          <Text size="sm">{row.payee_name}</Text>
          <Text size="sm" c="dimmed">
            {destinationOf(row)}
          </Text>
        </>
      ),
      hideBelow: "sm",
    },
    { key: "reference", title: transfers.reference, render: ({ reference_id }) => reference_id, hideBelow: "md" },
    { key: "utr", title: transfers.utr, render: ({ utr }) => utr, hideBelow: "lg" },
    { key: "amount", title: transfers.amount, align: "right", render: (row) => <Amount of={row} /> },
    {
      key: "status",
      title: transfers.status,
      render: ({ status }) => <StatusBadge status={status} />,
      hideBelow: "sm",
    },
  ];
}

/** On narrow screens, the status stands below the amount. */
function Amount({ of: { amount, status } }: { readonly of: Transfer }) {
  return (
    <>
      <Money amount={amount} />
      <Text component="div" hiddenFrom="sm">
        <StatusBadge status={status} />
      </Text>
    </>
  );
}

type FilterProps = { readonly list: TransferList; readonly hasKinds: boolean };

/** Status and kind; days and amounts where they are asked for. */
export function TransferFilters({ list, hasKinds }: FilterProps) {
  const { filters, setFilters } = list;
  const [opened, { toggle }] = useDisclosure(MORE_FILTERS.some((name) => filters[name] !== ""));
  return (
    <>
      <NativeSelect
        label={transfers.status}
        value={filters["status"] ?? ""}
        onChange={({ currentTarget }) => setFilters({ status: currentTarget.value })}
        data={[
          { value: "", label: parts.all },
          ...STATUSES.map((value) => ({ value, label: statuses[value]?.word ?? value })),
        ]}
      />
      {hasKinds && (
        <NativeSelect
          label={transfers.kind}
          value={filters["kind"] ?? ""}
          onChange={({ currentTarget }) => setFilters({ kind: currentTarget.value })}
          data={[
            { value: "", label: parts.all },
            ...["transfer", "commission"].map((value) => ({ value, label: transfers.kinds[value] ?? value })),
          ]}
        />
      )}
      <Button variant="subtle" onClick={toggle} aria-expanded={opened}>
        {transfers.moreFilters}
      </Button>
      {opened && <MoreFilters list={list} />}
    </>
  );
}

function MoreFilters({ list }: Pick<FilterProps, "list">) {
  const { filters, setFilters } = list;
  return (
    <>
      <DateField
        label={transfers.from}
        value={filters["from"] ?? ""}
        onChange={({ currentTarget }) => setFilters({ from: currentTarget.value })}
      />
      <DateField
        label={transfers.to}
        value={filters["to"] ?? ""}
        onChange={({ currentTarget }) => setFilters({ to: currentTarget.value })}
      />
      <AmountFilter
        label={transfers.amountFrom}
        value={filters["amount_from"] ?? ""}
        onChange={(amount) => setFilters({ amount_from: amount })}
      />
      <AmountFilter
        label={transfers.amountTo}
        value={filters["amount_to"] ?? ""}
        onChange={(amount) => setFilters({ amount_to: amount })}
      />
    </>
  );
}

/** Says where a search has come to that is not at its end. */
export function SearchProgress({ list }: { readonly list: TransferList }) {
  const searchedTo = list.answer?.searched_to;
  if (!searchedTo) return null;
  return (
    <Alert variant="light" mx="md" mb="md" role="status">
      {transfers.searchedTo(moment(searchedTo))}
    </Alert>
  );
}

/** A wire amount of what somebody typed; `null` where it is none. */
export function wireAmount(typed: string): string | null {
  const paise = toPaise(typed);
  if (paise === null || paise <= 0n) return null;
  return `${paise / 100n}.${String(paise % 100n).padStart(2, "0")}`;
}
