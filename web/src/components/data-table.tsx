// A table of rows: headings that sort, money on the right, rows that lead somewhere, open, or can be ticked; it scrolls
// sideways if it must. Filters, pages and export around it are data-page.tsx.
import { ActionIcon, Checkbox, Skeleton, Table, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { Fragment, type ReactNode, useRef, useState } from "react";
import { day, moment } from "../format/time.ts";
import type { Sort } from "../lists/use-list.ts";
import { lists } from "../strings/lists.ts";
import { parts, shell } from "../strings/shell.ts";
import { LinkTo } from "./actions.tsx";
import { SortableIcon, SortDownIcon, SortUpIcon } from "./icons.tsx";
import { Line, revealLine, Unbroken } from "./line.tsx";
import { followRow, useRowKeys, useTicking } from "./row-keys.ts";
import { Money, StatusBadge } from "./values.tsx";
import classes from "./data-table.module.css";

export type Column<Row> = ColumnHead<Row> & (ColumnOfMember<Row> | ColumnOfRow<Row>);

type ColumnHead<Row> = {
  readonly title: string;
  /** `right` for numbers; amounts are right-aligned anyway. */
  readonly align?: "left" | "right";
  readonly sortable?: boolean;
  /** Left out on screens narrower than this. */
  readonly hideBelow?: "sm" | "md" | "lg";
  /** On a phone it is no column: its value is below that of the first column. */
  readonly isBelowFirst?: boolean;
  /** Sentences take as many lines as they need, even in a list. */
  readonly wraps?: boolean;
  /** Its cells hold a button for more, and its heading is for screen readers. */
  readonly isMenu?: boolean;
  /** Its cells hold buttons that say what they do: its heading is for screen readers. */
  readonly isButtons?: boolean;
  /** The page that the cell leads to. */
  readonly to?: (row: Row) => string;
};

type ColumnOfMember<Row> = {
  /** The displayed member of the row; with `sortable`, also the server's sort key. */
  readonly key: keyof Row & string;
  /** How it is displayed, if not as plain text. */
  readonly as?: keyof typeof SHOWN_AS;
  readonly render?: never;
};

type ColumnOfRow<Row> = {
  readonly key: string;
  readonly as?: never;
  readonly render: (row: Row) => ReactNode;
};

/** How a value of the API is displayed. `amount` is for columns whose heading has the rupee sign. */
const SHOWN_AS = {
  /** The number of a document: it stays on one line. */
  number: (text: string) => <span className={classes["whole"]}>{text}</span>,
  /** A reference of somebody else, such as a bank: it may break anywhere, so that a long one leaves room for the rest. */
  code: (text: string) => <span className={classes["code"]}>{text}</span>,
  day: (date: string) => <Unbroken>{day(date)}</Unbroken>,
  moment: (time: string) => <Unbroken>{moment(time)}</Unbroken>,
  money: (amount: string) => <Money amount={amount} />,
  amount: (amount: string) => <Money amount={amount} plain />,
  status: (status: string) => <StatusBadge status={status} />,
};

/** The last column of a list whose rows have a menu each. */
export function menuColumn<Row>(render: (row: Row) => ReactNode): Column<Row> {
  return { key: "actions", title: lists.actions, align: "right", isMenu: true, render };
}

/** The member that identifies a row, or a function that makes a key. */
export type RowKey<Row> = (keyof Row & string) | ((row: Row) => string);

type Props<Row> = {
  /** The table's name for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: RowKey<Row>;
  readonly sort?: Sort | null;
  readonly onSort?: (sort: Sort) => void;
  readonly isLoading?: boolean;
  /** Dimmed while newer rows are loading. */
  readonly isOutdated?: boolean;
  /** A last row. */
  readonly totals?: TotalsOf | undefined;
  /** If rows can be selected for bulk actions. */
  readonly selection?: Selection<Row> | undefined;
  /** If rows open to show details. */
  readonly details?: RowDetails<Row> | undefined;
  /** Whether each text keeps to one line: for lists, whose rows lead to a page with all of it. */
  readonly hasLines?: boolean;
};

const ROWS_WHILE_LOADING = 6;
const NONE: ReadonlySet<string> = new Set();

/** Rows under headings. */
export function DataTable<Row>(props: Props<Row>) {
  const { columns, rows, isLoading = false, isOutdated = false, selection, details, hasLines = false } = props;
  const keyOf = keyMaker(props.rowKey);
  const isFirstLoad = isLoading && rows.length === 0;
  const body = useRef<HTMLTableSectionElement>(null);
  const tick = useTicking(selection?.selected ?? NONE, selection?.onChange ?? (() => {}));
  const ticking = selection && {
    ...selection,
    tick: (key: string, withShift: boolean) => tick(rows.filter(selection.mayChoose).map(keyOf), key, withShift),
  };
  useRowKeys(body);
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <div
      className={classes["scroll"]}
      role="region"
      aria-label={`${props.caption}. ${parts.table}`}
      tabIndex={0}
      data-first-load={isFirstLoad || undefined}
    >
      <Table className={classes["table"]} data-outdated={isOutdated || undefined} aria-busy={isLoading || isOutdated}>
        <Table.Caption className={classes["caption"]}>
          <VisuallyHidden>{props.caption}</VisuallyHidden>
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th className={classes["choice"]}>
                <SelectAll selection={selection} rows={rows} keyOf={keyOf} />
              </Table.Th>
            )}
            {details && <Table.Th className={classes["choice"]} />}
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={props.sort ?? null} onSort={props.onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        {/* The first rows are not the placeholders moved: their headings may be higher. */}
        <Table.Tbody key={String(isFirstLoad)} ref={body} {...(hasLines ? { onMouseOver: revealLine } : {})}>
          {isFirstLoad && <LoadingRows columns={columns.length + (selection ? 1 : 0) + (details ? 1 : 0)} />}
          {rows.map((row) => (
            <Row key={keyOf(row)} row={row} name={keyOf(row)} {...{ columns, ticking, details, hasLines }} />
          ))}
        </Table.Tbody>
        {props.totals && rows.length > 0 && (
          <Table.Tfoot>
            <TotalsRow columns={columns} totals={props.totals} before={(selection ? 1 : 0) + (details ? 1 : 0)} />
          </Table.Tfoot>
        )}
      </Table>
    </div>
  );
}

export type TotalsOf = {
  /** In the place of the first column. */
  readonly label: ReactNode;
  /** The values of the API by the columns' keys. */
  readonly values: Readonly<Record<string, unknown>>;
};

type TotalsProps<Row> = {
  readonly columns: readonly Column<Row>[];
  readonly totals: TotalsOf;
  /** The number of columns before the rows' own. */
  readonly before: number;
};

function TotalsRow<Row>({ columns, totals: { label, values }, before }: TotalsProps<Row>) {
  return (
    <Table.Tr className={classes["totals"]}>
      {before > 0 && <Table.Td colSpan={before} />}
      {columns.map((column, place) => (
        <Table.Td key={column.key} data-align={alignOf(column)} data-hide-below={hiddenBelow(column)}>
          {place === 0 ? label : contentOf(values[column.key] ?? null, column.as)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

type RowProps<Row> = Pick<Props<Row>, "columns" | "details"> & {
  readonly hasLines: boolean;
  readonly ticking: Ticking<Row> | undefined;
  readonly row: Row;
  readonly name: string;
};

function Row<Row>({ row, name, columns, ticking, details, hasLines }: RowProps<Row>) {
  const [isOpen, setOpen] = useState(false);
  const inside = details?.of(row) ?? null;
  return (
    <Fragment>
      <Table.Tr data-chosen={ticking?.selected.has(name) || undefined} onClick={followRow} onAuxClick={followRow}>
        {ticking && (
          <Table.Td className={classes["choice"]}>
            <SelectOne ticking={ticking} row={row} name={name} />
          </Table.Td>
        )}
        {details && (
          <Table.Td className={classes["choice"]}>
            {inside !== null && (
              <DetailsButton label={details.labelOf(row)} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
            )}
          </Table.Td>
        )}
        {columns.map((column, place) => (
          <Table.Td
            key={column.key}
            data-align={alignOf(column)}
            data-hide-below={hiddenBelow(column)}
            data-menu={column.isMenu}
          >
            <Cell column={column} row={row} hasLines={hasLines} />
            {place === 0 && <BelowFirst columns={columns} row={row} />}
          </Table.Td>
        ))}
      </Table.Tr>
      {isOpen && inside !== null && <DetailsRow columns={columns.length + (ticking ? 2 : 1)}>{inside}</DetailsRow>}
    </Fragment>
  );
}

/** The columns that are hidden on a phone. */
function BelowFirst<Row>({ columns, row }: { readonly columns: readonly Column<Row>[]; readonly row: Row }) {
  return columns
    .filter(({ isBelowFirst }) => isBelowFirst)
    .map((column) => (
      <div key={column.key} className={classes["below"]}>
        <Cell column={column} row={row} hasLines={false} />
      </div>
    ));
}

function hiddenBelow<Row>({ hideBelow, isBelowFirst }: Column<Row>): ColumnHead<Row>["hideBelow"] {
  return isBelowFirst ? "sm" : hideBelow;
}

/** The key of a row. */
function keyMaker<Row>(rowKey: RowKey<Row>): (row: Row) => string {
  return typeof rowKey === "function" ? rowKey : (row) => String(row[rowKey]);
}

type CellProps<Row> = { readonly column: Column<Row>; readonly row: Row; readonly hasLines: boolean };

function Cell<Row>({ column, row, hasLines }: CellProps<Row>) {
  const value: unknown = column.render ? column.render(row) : row[column.key];
  const content = contentOf(value, column.as);
  const cell = column.to ? <LinkTo label={content} to={column.to(row)} /> : content;
  const isText = (column.as ?? "code") === "code" && typeof value === "string" && value !== "";
  return hasLines && isText && !column.wraps ? <Line length={value.length}>{cell}</Line> : cell;
}

function contentOf(value: unknown, as: keyof typeof SHOWN_AS | undefined): ReactNode {
  return as === undefined || value === null ? (value as ReactNode) : SHOWN_AS[as](value as string);
}

function alignOf<Row>({ align, as }: Column<Row>): "left" | "right" | undefined {
  return as === "money" || as === "amount" ? "right" : align;
}

type HeadingProps<Row> = {
  readonly column: Column<Row>;
  readonly sort: Sort | null;
  readonly onSort: ((sort: Sort) => void) | undefined;
};

function Heading<Row>({ column, sort, onSort }: HeadingProps<Row>) {
  const isSorted = sort?.by === column.key;
  const direction = sort?.descending ? "descending" : "ascending";
  const Icon = !isSorted ? SortableIcon : sort.descending ? SortDownIcon : SortUpIcon;
  return (
    <Table.Th
      scope="col"
      data-align={alignOf(column)}
      data-hide-below={hiddenBelow(column)}
      data-menu={column.isMenu}
      {...(isSorted ? { "aria-sort": direction } : {})}
    >
      {column.sortable && onSort ? (
        <UnstyledButton
          className={classes["sort"]}
          onClick={() => onSort({ by: column.key, descending: isSorted && !sort.descending })}
        >
          {column.title}
          <Icon size={14} />
        </UnstyledButton>
      ) : column.isMenu || column.isButtons ? (
        <VisuallyHidden>{column.title}</VisuallyHidden>
      ) : (
        column.title
      )}
    </Table.Th>
  );
}

function LoadingRows({ columns }: { readonly columns: number }) {
  return Array.from({ length: ROWS_WHILE_LOADING }, (_, row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton height={16} radius="sm" />
        {row === 0 && <VisuallyHidden>{shell.loading}</VisuallyHidden>}
      </Table.Td>
    </Table.Tr>
  ));
}

export type Selection<Row> = {
  /** The keys of the selected rows. */
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
  /** Rows without an action have no box. */
  readonly mayChoose: (row: Row) => boolean;
  /** The names of the boxes for screen readers. */
  readonly allLabel: string;
  readonly labelOf: (row: Row) => string;
};

type AllProps<Row> = {
  readonly selection: Selection<Row>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
};

/** The box in the heading, for all displayed rows. */
function SelectAll<Row>({ selection, rows, keyOf }: AllProps<Row>) {
  const { selected, onChange, mayChoose, allLabel } = selection;
  const keys = rows.filter(mayChoose).map(keyOf);
  if (keys.length === 0) return null;
  const chosen = keys.filter((key) => selected.has(key)).length;
  return (
    <Checkbox
      size="sm"
      aria-label={allLabel}
      checked={chosen === keys.length}
      indeterminate={chosen > 0 && chosen < keys.length}
      onChange={() => onChange(new Set(chosen === keys.length ? [] : keys))}
    />
  );
}

/** The same, with the function that ticks a row, or all up to it. */
type Ticking<Row> = Selection<Row> & { readonly tick: (key: string, withShift: boolean) => void };
type OneProps<Row> = { readonly ticking: Ticking<Row>; readonly row: Row; readonly name: string };

/** The box of one row. */
function SelectOne<Row>({ ticking: { selected, tick, mayChoose, labelOf }, row, name }: OneProps<Row>) {
  if (!mayChoose(row)) return null;
  return (
    <Checkbox
      size="sm"
      aria-label={labelOf(row)}
      checked={selected.has(name)}
      // A change of a box is a click, by the mouse or the space bar.
      onChange={({ nativeEvent }) => tick(name, (nativeEvent as unknown as globalThis.MouseEvent).shiftKey)}
    />
  );
}

export type RowDetails<Row> = {
  /** `null` for a row without details: it has no button. */
  readonly of: (row: Row) => ReactNode;
  /** The name of the button for screen readers. */
  readonly labelOf: (row: Row) => string;
};

type ButtonProps = { readonly label: string; readonly isOpen: boolean; readonly onToggle: () => void };

/** Opens and closes a row. */
function DetailsButton({ label, isOpen, onToggle }: ButtonProps) {
  const Icon = isOpen ? SortUpIcon : SortDownIcon;
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} aria-expanded={isOpen} onClick={onToggle}>
      <Icon size={16} />
    </ActionIcon>
  );
}

/** The details of the row above, as wide as the table. */
function DetailsRow({ columns, children }: { readonly columns: number; readonly children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Td colSpan={columns}>{children}</Table.Td>
    </Table.Tr>
  );
}
