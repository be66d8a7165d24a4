// Things that need attention, each with its count and a link to its list.
import { Link } from "@tanstack/react-router";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { FoldIcon } from "../../components/icons.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { rupees } from "../../format/money.ts";
import { home } from "../../strings/home.ts";
import classes from "./home.module.css";

const ASK_AGAIN_MS = 60_000;

/** The two requests that it adds up. */
export function useAttention(enabled: boolean) {
  const may = usePermissions();
  const seesBilling = may("invoices.view");
  const others = ["payouts.view", "statement.view", "invoices.view", "subscriptions.view", "webhooks.manage"] as const;
  const waiting = useGet("/session/home/waiting", {
    enabled: enabled && others.some(may),
    refetchInterval: ASK_AGAIN_MS,
  });
  const billing = useGet("/session/home/billing", { enabled: enabled && seesBilling });
  return [waiting, billing] as const;
}

/** Nothing while nothing needs attention. */
export function Attention() {
  const [waiting, billing] = useAttention(true);
  const failed = waiting.error && !waiting.data;
  const things = thingsOf(waiting.data, billing.data?.overdue);
  if (!failed && things.length === 0) return null;
  return (
    <Panel title={home.waiting} flush>
      {failed && <ErrorNotice error={waiting.error} onRetry={() => void waiting.refetch()} m="md" />}
      <ul className={classes["rows"]}>
        {things.map(({ words, tone, to, search = {} }) => (
          <li key={to + words}>
            <Link to={to} search={search as never} className={classes["row"]}>
              <span className={classes["dot"]} data-tone={tone} />
              <span className={classes["grow"]}>{words}</span>
              <FoldIcon size={16} />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type Waiting = Answer<"GET", "/session/home/waiting">;
type Overdue = Answer<"GET", "/session/home/billing">["overdue"];

type Thing = {
  /** Without one, and while it is not known, it is left out. */
  readonly count: number | string | undefined;
  readonly words: string;
  readonly tone: "danger" | "warning";
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
};

function thingsOf(waiting: Waiting | undefined, overdue: Overdue | undefined): Thing[] {
  const things = [...(waiting ? thingsOfPayouts(waiting) : []), ...(waiting ? thingsOfBooks(waiting) : [])];
  if (overdue) {
    things.splice(waiting ? 3 : 0, 0, {
      count: overdue.count,
      words: home.overdueInvoices(overdue.count, rupees(overdue.amount)),
      tone: "danger",
      to: "/invoices",
      search: { status: "Overdue" },
    });
  }
  return things.filter(({ count }) => Number(count));
}

function thingsOfPayouts(waiting: Waiting): Thing[] {
  return [
    {
      count: waiting.approvals,
      words: home.approvals(waiting.approvals),
      tone: "warning",
      to: "/approvals",
    },
    {
      count: waiting.stuck_payouts,
      words: home.stuck(waiting.stuck_payouts),
      tone: "danger",
      to: "/transfers/attention",
    },
    {
      count: waiting.returned_payouts,
      words: home.returnedPayouts(waiting.returned_payouts),
      tone: "danger",
      to: "/transfers",
      search: { status: "FAILED_OR_REVERSED" },
    },
  ];
}

function thingsOfBooks({ unmatched_lines: lines, gst_problems: gst, ...waiting }: Waiting): Thing[] {
  return [
    {
      count: lines.missing_here,
      words: home.unmatchedLines(lines.missing_here),
      tone: "warning",
      to: "/reconciliation",
      search: { state: "missing_here" },
    },
    {
      count: lines.different,
      words: home.differentLines(lines.different),
      tone: "warning",
      to: "/reconciliation",
      search: { state: "different" },
    },
    {
      count: gst?.count,
      words: home.gstProblems(gst?.count ?? 0),
      tone: "warning",
      to: "/reports/gst-problems",
      search: gst ? { from: gst.from, to: gst.to } : {},
    },
    {
      count: waiting.parked_subscriptions,
      words: home.parked(waiting.parked_subscriptions),
      tone: "warning",
      to: "/subscriptions",
      search: { status: "Parked" },
    },
    {
      count: waiting.stopped_webhooks,
      words: home.webhooks(waiting.stopped_webhooks),
      tone: "warning",
      to: "/settings/webhooks",
    },
  ];
}
