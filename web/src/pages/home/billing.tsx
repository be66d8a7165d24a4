// The billing of the first page: what customers owe, by age, and what was billed and collected.
import { Skeleton, Text } from "@mantine/core";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { LinkTo } from "../../components/actions.tsx";
import { Trend } from "../../components/charts.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { Money } from "../../components/values.tsx";
import { sumOf, toPaise } from "../../format/money.ts";
import { month } from "../../format/time.ts";
import { home } from "../../strings/home.ts";
import { reportTitles } from "../../strings/titles.ts";
import { BigMoney, MoneyLink, Sums } from "./figure.tsx";
import classes from "./home.module.css";
import { Period } from "./money.tsx";

type Age = keyof typeof home.ages;
const AGES = Object.keys(home.ages) as Age[];
const REPORT = "/reports/ageing";
const WHOLE = 100n;

/** The number of customers in the list of those who owe most. */
const DEBTORS = 3;

/** What customers owe, by how long it is overdue, and who owes most. */
export function Receivables() {
  const { data, error, refetch } = useGet(REPORT, { query: { limit: String(DEBTORS) } });
  const totals = data?.totals;
  const paiseOf = (name: Age | "total") => toPaise(totals?.[name] ?? "0") ?? 0n;
  const share = (age: Age) => (paiseOf("total") > 0n ? (paiseOf(age) * WHOLE) / paiseOf("total") : 0n);
  return (
    <Panel title={reportTitles.ageing}>
      {error && !data ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <BigMoney amount={totals?.total} to={REPORT} />
          <div className={classes["ages"]}>
            {AGES.map((age) => (
              <div key={age} className={classes["age"]} data-none={paiseOf(age) === 0n || undefined}>
                <span>{home.ages[age]}</span>
                <span className={classes["track"]} data-late={age === "not_due" ? undefined : true}>
                  <span style={{ width: `${share(age)}%` }} />
                </span>
                {totals && <MoneyLink amount={totals[age]} to={REPORT} />}
              </div>
            ))}
          </div>
          <Debtors customers={data?.customers} />
        </>
      )}
    </Panel>
  );
}

type Debtor = Answer<"GET", typeof REPORT>["customers"][number];

/** The customers who owe most, the largest first; `undefined` while they load. */
function Debtors({ customers }: { readonly customers: readonly Debtor[] | undefined }) {
  const may = usePermissions();
  if (customers?.length === 0) return null;
  return (
    <div className={classes["debtors"]}>
      <Text size="sm" c="dimmed" component="h3">
        {home.debtors}
      </Text>
      {customers
        ? customers.map(({ customer_id: id, customer_name: name, total }) => (
            <div key={id} className={classes["debtor"]}>
              <span>
                {may("customers.view") ? <LinkTo label={name} to={`/customers/${id}`} search={STATEMENT} /> : name}
              </span>
              <Money amount={total} />
            </div>
          ))
        : Array.from({ length: DEBTORS }, (_, place) => <Skeleton key={place} height="1.5rem" />)}
    </div>
  );
}

const STATEMENT = { tab: "statement" };

const MONTHS = [
  { key: "billed", label: home.billed },
  { key: "collected", label: home.collected },
];

/** What was billed and collected by month. */
export function Billing() {
  const { today } = useMerchant();
  const { data, error, refetch } = useGet("/session/home/billing");
  const months = data?.months;
  const search = { from: `${months?.[0]?.month}-01`, to: today };
  return (
    <Panel title={home.billingChart} actions={<Period text={home.lastMonths} />}>
      {error && !data ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Sums
            sums={[
              {
                label: home.billed,
                series: 0,
                amount: months && sumOf(months.map(({ billed }) => billed)),
                to: "/invoices",
                search,
              },
              {
                label: home.collected,
                series: 1,
                amount: months && sumOf(months.map(({ collected }) => collected)),
                to: "/payments",
                search,
              },
            ]}
          />
          <Trend
            kind="bars"
            caption={`${home.billingChart}, ${home.lastMonths}`}
            series={MONTHS}
            points={months?.map(({ billed, collected, ...each }) => ({
              label: month(each.month),
              amounts: { billed, collected },
            }))}
          />
        </>
      )}
    </Panel>
  );
}
