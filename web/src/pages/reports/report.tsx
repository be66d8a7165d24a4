// Shared parts of the pages of reports: outline, files, sums, and links to documents.
import { Group, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { useMerchant } from "../../api/session.ts";
import { LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Page, Panel } from "../../components/page.tsx";
import { Below, Money, StatusBadge } from "../../components/values.tsx";
import { day } from "../../format/time.ts";
import { DateField } from "../../forms/date-field.tsx";
import { PeriodFields, usePeriod } from "../../lists/period.tsx";
import { reports as words } from "../../strings/reports.ts";
import { reportTitles } from "../../strings/titles.ts";
import { WEIGHT } from "../../app/tokens.ts";

export type ReportName = keyof typeof reportTitles;

/** The request for a summary: while another period loads, the earlier one stays, dimmed. */
export function useReportQuery() {
  return { query: usePeriod(), placeholderData: keepPreviousData };
}

/** The day of the address, or today. */
export function useAsOf(): { readonly as_of: string } {
  const { today } = useMerchant();
  const { on }: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  return { as_of: on ?? today };
}

type AsOfProps = ReportProps & {
  readonly actions?: ReactNode;
  /** What narrows the report down besides the day: the fields, and the filters that are set, by their names. */
  readonly fields?: ReactNode;
  readonly filters?: Readonly<Record<string, string>>;
};

/** The page of a report on one day. */
export function AsOfReport({ name, actions, fields, filters = {}, children }: AsOfProps) {
  const asOf = useAsOf();
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""));
  const query = { ...asOf, ...given };
  const navigate = useNavigate();
  const path = `/reports/${name}`;
  const file = `${name}-${query.as_of}`;
  const choose = (on: string): void => {
    // Another day has other pages: it begins with its first.
    const search = { ...given, ...(on === "" ? {} : { on }) };
    void navigate({ to: ".", search, replace: true, resetScroll: false });
  };
  return (
    <Page
      title={reportTitles[name]}
      hint={words.hints[name]}
      actions={
        <>
          {actions}
          <ExportButton path={`${path}.csv`} fileName={`${file}.csv`} query={query} />
          <ExportButton path={`${path}.xlsx`} fileName={`${file}.xlsx`} query={query} label={words.exportXlsx} />
        </>
      }
    >
      <Panel>
        <Group gap="sm" align="flex-start">
          <DateField label={words.asOf} w={150} value={query.as_of} onChange={choose} onlyDates />
          {fields}
        </Group>
      </Panel>
      {children}
    </Page>
  );
}

type ReportProps = { readonly name: ReportName; readonly children: ReactNode };

/** The page of a report. */
export function Report({ name, children }: ReportProps) {
  const period = usePeriod();
  const path = `/reports/${name}`;
  const file = `${name}-${period.from_date}-to-${period.to_date}`;
  return (
    <Page
      title={reportTitles[name]}
      hint={words.hints[name]}
      actions={
        <>
          <ExportButton path={`${path}.csv`} fileName={`${file}.csv`} query={period} />
          <ExportButton path={`${path}.xlsx`} fileName={`${file}.xlsx`} query={period} label={words.exportXlsx} />
        </>
      }
    >
      <Panel>
        <Group gap="sm" align="flex-start">
          <PeriodFields />
        </Group>
      </Panel>
      {children}
    </Page>
  );
}

/** Sums of a row, or of all rows, as the wire has them. */
export type Sums = { readonly [Name in keyof typeof words.sums]: string };
type SumName = keyof Sums;

const SUM_NAMES = Object.keys(words.sums) as SumName[];
/** Shown only where the report has such a tax. */
const RARE: ReadonlySet<SumName> = new Set<SumName>(["cess", "other_taxes"]);

/** The columns of sums; on narrower screens the taxes are `SumsBelow`. */
export function sumColumns<Row extends Sums>(
  totals: Sums | null | undefined,
  hideTaxableBelow?: "lg",
): readonly Column<Row>[] {
  return SUM_NAMES.filter((name) => !RARE.has(name) || (totals ? totals[name] !== "0.00" : false)).map((name) => {
    const hideBelow = name === "taxable_value" ? hideTaxableBelow : ("lg" as const);
    return { key: name, title: words.sums[name], as: "amount", ...(hideBelow ? { hideBelow } : {}) };
  });
}

type BelowProps = { readonly sums: Sums; readonly withTaxable?: boolean };

/** The taxes of a row, where there is no room for their columns. */
export function SumsBelow({ sums, withTaxable = false }: BelowProps) {
  const shown = SUM_NAMES.filter((name) => (name === "taxable_value" ? withTaxable : sums[name] !== "0.00"));
  if (shown.length === 0) return null;
  return (
    <Text component="div" size="sm" c="dimmed" hiddenFrom="lg" fw={WEIGHT.regular}>
      {shown.map((name, place) => (
        <Fragment key={name}>
          {place > 0 && " · "}
          <span style={{ whiteSpace: "nowrap" }}>
            {words.shortSums[name]} <Money amount={sums[name]} plain />
          </span>
        </Fragment>
      ))}
    </Text>
  );
}

type Document = {
  readonly invoice_id: string;
  readonly kind: string;
  readonly number: string;
  readonly date: string;
  readonly customer_name: string;
};

/** The number, which leads to the invoice; a credit note is on the page of its own. On phones with day and customer. */
export function DocumentCell({ of: { invoice_id, kind, number, date, customer_name } }: { readonly of: Document }) {
  return (
    <>
      <LinkTo label={<span style={{ whiteSpace: "nowrap" }}>{number}</span>} to={`/invoices/${invoice_id}`} />
      {kind !== "tax_invoice" && (
        <div>
          <StatusBadge
            status={kind}
            word={words.kinds[kind] ?? kind}
            tone={kind === "credit_note" ? "warning" : "neutral"}
          />
        </div>
      )}
      <Below onPhones>
        {day(date)} · {customer_name}
      </Below>
    </>
  );
}

/** The most rows to show of a report without pages. */
export const MOST_ROWS = 500;

/** Says how many rows are left out; nothing where all are shown. */
export function FirstRows({ all }: { readonly all: number }) {
  if (all <= MOST_ROWS) return null;
  return (
    <Text c="dimmed" p="md">
      {words.firstRows(MOST_ROWS, all)}
    </Text>
  );
}

export const EMPTY = { title: words.empty, hint: words.emptyHint };
