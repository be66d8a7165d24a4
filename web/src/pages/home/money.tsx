// The money on the first page: the balance and its trend, debits and credits, and the latest entries.
import { Group, Skeleton, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { WEIGHT } from "../../app/tokens.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { Trend } from "../../components/charts.tsx";
import { InfoTip } from "../../components/info-tip.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { rupees, sumOf } from "../../format/money.ts";
import { day, moment } from "../../format/time.ts";
import { home } from "../../strings/home.ts";
import { BigMoney, Sums, type Sum } from "./figure.tsx";
import classes from "./home.module.css";

const ASK_AGAIN_MS = 30_000;
const BALANCE = [{ key: "balance", label: home.balance }];
const MOVED = [
  { key: "in", label: home.in },
  { key: "out", label: home.out },
];

/** The days of the charts; the last is today. */
function useDays() {
  const { data, error, refetch } = useGet("/session/home/balance-days");
  const points = data?.days.map(({ in: got, out, balance, ...each }) => ({
    // Without the year.
    label: day(each.day).slice(0, -5),
    amounts: { in: got, out, balance },
  }));
  const from = data?.days[0]?.day;
  const to = data?.days.at(-1)?.day;
  return { days: data?.days, points, from, to, error: data ? null : error, onRetry: () => void refetch() };
}

/** The available balance, its trend over the last days, and today's payouts. A new business has no days yet. */
export function Balance({ isNew }: { readonly isNew: boolean }) {
  const may = usePermissions();
  const { data, error, refetch } = useGet("/session/home/balances", { refetchInterval: ASK_AGAIN_MS });
  const { points, to: today, ...days } = useDays();
  return (
    <Panel title={home.balance}>
      {error && !data ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <BigMoney amount={data?.available} to={may("statement.view") ? "/statement" : null} />
          <Text size="sm" c="dimmed" mb={isNew ? 0 : "md"} mih="1lh">
            {data && <Reserved amount={data.held} />}
          </Text>
        </>
      )}
      {days.error && <ErrorNotice error={days.error} onRetry={days.onRetry} />}
      {!isNew && !days.error && <Trend kind="line" caption={home.balanceChart} series={BALANCE} points={points} />}
      {!isNew && !(error && !data) && <Sums below sums={sumsOfToday(data?.today, today)} />}
    </Panel>
  );
}

function Reserved({ amount }: { readonly amount: string }) {
  const text = home.reserved(rupees(amount));
  return amount === "0.00" ? text : <LinkTo label={text} to="/transfers" search={{ status: "PENDING" }} />;
}

type Today = Answer<"GET", "/session/home/balances">["today"];

function sumsOfToday(today: Today | undefined, date: string | undefined): Sum[] {
  const period: NonNullable<Sum["search"]> = date === undefined ? {} : { from: date, to: date };
  const sum = (name: keyof Today, status?: string): Sum => ({
    label: (
      <>
        {home[name]}
        {name !== "accepted" && <InfoTip about={home[name]} text={home.todaysHint} />}
      </>
    ),
    amount: today?.[name].amount,
    count: today && home.payouts(today[name].count),
    to: "/transfers",
    search: status === undefined ? period : { status },
  });
  return [sum("accepted"), sum("paid", "SUCCESS"), sum("returned", "FAILED_OR_REVERSED")];
}

/** Credits and debits of the balance in the last days. */
export function MoneyMoved() {
  const may = usePermissions();
  const { days, points, from, to, error, onRetry } = useDays();
  const list = {
    to: may("statement.view") && from && to ? "/statement" : null,
    search: { from: from ?? "", to: to ?? "" },
  };
  return (
    <Panel title={home.moved} actions={<Period text={home.lastDays} />}>
      {error ? (
        <ErrorNotice error={error} onRetry={onRetry} />
      ) : (
        <>
          <Sums
            sums={[
              { label: home.in, series: 0, amount: days && sumOf(days.map((each) => each.in)), ...list },
              { label: home.out, series: 1, amount: days && sumOf(days.map((each) => each.out)), ...list },
            ]}
          />
          <Trend kind="bars" caption={`${home.moved}, ${home.lastDays}`} series={MOVED} points={points} />
        </>
      )}
    </Panel>
  );
}

/** Of a chart, beside its title. */
export function Period({ text }: { readonly text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

const SHOWN = 6;
type Line = Answer<"GET", "/statement">["lines"][number];

/** The last lines of the statement. */
export function Movements() {
  const { data, error, refetch } = useGet("/statement", { query: { limit: String(SHOWN) } });
  return (
    <Panel
      title={home.movements}
      actions={<Action label={home.allMovements} size="compact-sm" to="/statement" />}
      flush
    >
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
      {data?.lines.length === 0 && (
        <Text c="dimmed" px="md" pb="md">
          {home.noMovements}
        </Text>
      )}
      <ul className={classes["rows"]}>
        {!data && !error && Array.from({ length: SHOWN }, (_, row) => <LoadingMovement key={row} />)}
        {data?.lines.map((line) => (
          <li key={line.line_no}>
            <Movement line={line} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function LoadingMovement() {
  return (
    <li className={`${classes["row"]} ${classes["movement"]}`}>
      <Skeleton height="1.5rem" />
    </li>
  );
}

/** What moved, when, and how much: to the payout, where it is one. */
function Movement({ line: { description, posted_at, debit, credit, transfer_id: id } }: { readonly line: Line }) {
  const may = usePermissions();
  const className = `${classes["row"]} ${classes["movement"]}`;
  const content = (
    <>
      <div className={classes["grow"]}>
        <Text size="sm">{description}</Text>
        <Text size="xs" c="dimmed">
          {moment(posted_at)}
        </Text>
      </div>
      <Group gap={0} wrap="nowrap" fw={WEIGHT.medium} className={debit === null ? classes["got"] : undefined}>
        {debit === null ? `+${rupees(credit ?? "0.00")}` : rupees(`-${debit}`)}
      </Group>
    </>
  );
  return id !== null && may("payouts.view") ? (
    <Link to={`/transfers/${id}`} className={className}>
      {content}
    </Link>
  ) : (
    <div className={className}>{content}</div>
  );
}
