// The navigation: single entries, and groups that open and fold.
import { Badge, ScrollArea, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { Link, useRouterState, useSearch } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useGet } from "../api/queries.ts";
import { usePermissions } from "../api/session.ts";
import {
  ChartIcon,
  CustomersIcon,
  FoldIcon,
  HomeIcon,
  InvoiceIcon,
  JobIcon,
  PayoutIcon,
  SettingsIcon,
  ShopIcon,
} from "../components/icons.tsx";
import { approvals } from "../strings/approvals.ts";
import { navigationGroups, shell } from "../strings/shell.ts";
import { type NavigationGroup, useNavigationEntries } from "./area.ts";
import classes from "./navigation.module.css";

type Entry = ReturnType<typeof useNavigationEntries>[number];
type Icon = ComponentType<{ readonly size?: number }>;

/** The groups that can have several entries, in their order among the others. */
const ICONS: Readonly<Record<NavigationGroup, Icon>> = {
  top: HomeIcon,
  payouts: PayoutIcon,
  billing: InvoiceIcon,
  customers: CustomersIcon,
  franchises: ShopIcon,
  reports: ChartIcon,
  settings: SettingsIcon,
};
const GROUPS = Object.keys(ICONS) as NavigationGroup[];

/** The entries that this session has. */
export function Navigation() {
  const entries = useNavigationEntries();
  return (
    <ScrollArea type="never" className={classes["scroll"]}>
      <ul className={classes["entries"]}>
        {GROUPS.map((group) => {
          const own = entries.filter((entry) => entry.group === group);
          if (own.length === 0) return null;
          if (group in navigationGroups && own.length > 1) {
            return <Group key={group} group={group as keyof typeof navigationGroups} entries={own} />;
          }
          return own.map((entry) => <Single key={entry.to} entry={entry} />);
        })}
      </ul>
    </ScrollArea>
  );
}

/** An entry outside a group. */
function Single({ entry: { group, to, label } }: { readonly entry: Entry }) {
  const Icon = group === "top" && to !== "/" ? JobIcon : ICONS[group];
  const searchOf = useSearchOfReports();
  return (
    <li>
      <Link
        to={to}
        search={searchOf(to)}
        className={classes["entry"]}
        activeOptions={{ exact: to === "/", includeSearch: false }}
      >
        <Icon />
        {label}
      </Link>
    </li>
  );
}

type GroupProps = { readonly group: keyof typeof navigationGroups; readonly entries: readonly Entry[] };

/**
 * A group: its name leads to its first page, and the button beside it opens and folds the list of its pages. Unless the user has chosen otherwise,
 * the list is open while one of its pages is shown. A first page with the group's own name is not repeated in the list.
 */
function Group({ group, entries }: GroupProps) {
  const label = navigationGroups[group];
  const isCurrent = useIsAt(entries);
  const [choices, setChoices] = useLocalStorage<Readonly<Record<string, boolean>>>({
    key: "nodal-navigation",
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const isOpen = choices[group] ?? isCurrent;
  const searchOf = useSearchOfReports();
  const first = entries[0]!;
  const listed = first.label === label ? entries.slice(1) : entries;
  const Icon = ICONS[group];
  const choose = (open: boolean) => setChoices((before) => ({ ...before, [group]: open }));
  const forget = () => setChoices(({ [group]: _forgotten, ...others }) => others);
  const waiting = entries.some(({ to }) => to === APPROVALS);
  return (
    <li>
      <div className={classes["head"]} data-here={(isCurrent && (!isOpen || listed !== entries)) || undefined}>
        <Link
          to={first.to}
          search={searchOf(first.to)}
          className={classes["entry"]}
          activeOptions={{ includeSearch: false }}
          onClick={forget}
        >
          <Icon />
          {label}
          {waiting && !isOpen && <WaitingForMe />}
        </Link>
        <UnstyledButton
          className={classes["fold"]}
          aria-label={shell.pagesOf(label)}
          aria-expanded={isOpen}
          onClick={() => choose(!isOpen)}
        >
          <FoldIcon size={16} />
        </UnstyledButton>
      </div>
      {isOpen && (
        <ul className={classes["list"]} aria-label={label}>
          {listed.map(({ to, label: name }) => (
            <li key={to}>
              <Link to={to} search={searchOf(to)} className={classes["entry"]} activeOptions={{ includeSearch: false }}>
                {name}
                {to === APPROVALS && <WaitingForMe />}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** Whether the current page is one of theirs, or below one. */
function useIsAt(entries: readonly Entry[]): boolean {
  const path = useRouterState({ select: ({ matches }) => String(matches.at(-1)?.fullPath ?? "") });
  return entries.some(({ to }) => path === to || path.startsWith(`${to}/`));
}

const REPORTS = "/reports/";

/** The period is kept from one report to the next. */
function useSearchOfReports() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const { from, to }: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const period = pathname.includes(REPORTS) && from && to ? { from, to } : {};
  return (path: string) => (path.startsWith(REPORTS) ? period : {});
}

const APPROVALS = "/approvals";
/** How often to count waiting approvals, since others may request some while the page is open. */
const COUNT_MS = 60_000;

/** The number of approvals that wait for the signed-in user. */
function WaitingForMe() {
  const may = usePermissions();
  const enabled = may("approvals.decide");
  const { data } = useGet("/approvals/waiting", { enabled, refetchInterval: COUNT_MS });
  if (!data?.count) return null;
  return (
    <Badge className={classes["count"]} variant="light" color="gray" size="sm" component="span">
      {approvals.waitingForMe(data.count)}
      <VisuallyHidden> {approvals.waitingForMeHint}</VisuallyHidden>
    </Badge>
  );
}
