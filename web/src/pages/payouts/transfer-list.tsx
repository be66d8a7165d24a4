// Shared parts of the lists of transfers and withdrawals: rows, columns and filters.
import { Alert, Box, NativeSelect } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { LinkTo } from "../../components/actions.tsx";
import { type Column, menuColumn } from "../../components/data-table.tsx";
import { Line, Unbroken } from "../../components/line.tsx";
import { StatusTabs } from "../../components/view-tabs.tsx";
import { toPaise } from "../../format/money.ts";
import { moment } from "../../format/time.ts";
import { AMOUNT_FILTERS, AmountRange, DATE_FILTERS, DateRange, MoreFilters } from "../../lists/filters.tsx";
import type { List } from "../../lists/use-list.ts";
import { lists } from "../../strings/lists.ts";
import { transfers } from "../../strings/payouts.ts";
import { parts } from "../../strings/shell.ts";
import { statusChoices } from "../../strings/statuses.ts";
import { TagFilter } from "./tags.tsx";
import { TransferMenu } from "./transfer-actions.tsx";

/** A payout as the server lists it. */
export type Transfer = Answer<"GET", "/transfers">["transfers"][number];

type TransferList = List<Transfer, Answer<"GET", "/transfers">>;

export const TRANSFER_FILTERS = [
  "search",
  "status",
  "kind",
  "tag",
  "beneficiary_id",
  ...DATE_FILTERS,
  ...AMOUNT_FILTERS,
];
/** Rarely used filters, shown on demand. */
const MORE_FILTERS = ["kind", ...DATE_FILTERS, ...AMOUNT_FILTERS];
const STATUSES = ["PENDING", "PENDING_APPROVAL", "SUCCESS", "FAILED", "REVERSED", "FAILED_OR_REVERSED", "REJECTED"];
/** The commonest ones. */
const TABS = ["PENDING", "PENDING_APPROVAL", "FAILED_OR_REVERSED", "SUCCESS"];

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
          <LinkTo label={<Unbroken>{moment(added_at)}</Unbroken>} to={`${section}/${transfer_id}`} />
          <Box hiddenFrom="sm">
            <Line>{payee_name}</Line>
          </Box>
        </>
      ),
    },
    {
      key: "payee",
      title: transfers.payee,
      render: (row) => (
        <>
          <Line>{row.payee_name}</Line>
          <Line dimmed>{destinationOf(row)}</Line>
        </>
      ),
      hideBelow: "sm",
    },
    {
      key: "reference_id",
      title: transfers.reference,
      hideBelow: "md",
      render: ({ reference_id, tags }) => (
        <>
          <Line>{reference_id}</Line>
          {tags.length > 0 && <Line dimmed>{tags.join(", ")}</Line>}
        </>
      ),
    },
    { key: "utr", title: transfers.utr, hideBelow: "lg", as: "code" },
    { key: "amount", title: transfers.amount, as: "money" },
    { key: "status", title: transfers.status, isBelowFirst: true, as: "status" },
    menuColumn<Transfer>((row) => <TransferMenu of={row} section={section} />),
  ];
}

/** Tabs for the commonest statuses. */
export function TransferTabs({ list }: { readonly list: TransferList }) {
  return <StatusTabs label={transfers.status} list={list} statuses={TABS} />;
}

type FilterProps = { readonly list: TransferList; readonly hasKinds: boolean };

/** Status and kind, days and amounts, where they are asked for: the tabs have the commonest statuses. */
export function TransferFilters({ list, hasKinds }: FilterProps) {
  const isInTab = ["", ...TABS].includes(list.filters["status"] ?? "");
  return (
    <>
      <TagFilter list={list} />
      <MoreFilters list={list} names={isInTab ? MORE_FILTERS : ["status", ...MORE_FILTERS]}>
        <NativeSelect {...list.filter("status", transfers.status)} data={statusChoices(parts.all, STATUSES)} />
        {hasKinds && (
          <NativeSelect
            {...list.filter("kind", transfers.kind)}
            data={[
              { value: "", label: parts.all },
              ...["transfer", "commission"].map((value) => ({ value, label: transfers.kinds[value] ?? value })),
            ]}
          />
        )}
        <DateRange list={list} />
        <AmountRange list={list} />
      </MoreFilters>
    </>
  );
}

/** Shows how far an unfinished search came. */
export function SearchProgress({ list }: { readonly list: TransferList }) {
  const searchedTo = list.answer?.searched_to;
  if (!searchedTo) return null;
  return (
    <Alert variant="light" mx="md" mb="md" role="status">
      {lists.searchedTo(moment(searchedTo))}
    </Alert>
  );
}

/** A typed amount in the API's form; `null` if it is invalid. */
export function wireAmount(typed: string): string | null {
  const paise = toPaise(typed);
  if (paise === null || paise <= 0n) return null;
  return `${paise / 100n}.${String(paise % 100n).padStart(2, "0")}`;
}

/** Letters and digits that can't be confused with one another. */
const ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const LENGTH = 8;

/** A new reference, such as `P-20261121-7K2MXQ4T`: the merchant's day, and a random part. */
export function newReference(today: string): string {
  const random = crypto.getRandomValues(new Uint8Array(LENGTH));
  const text = [...random].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return `P-${today.replaceAll("-", "")}-${text}`;
}
