// The frame around every page of somebody who is signed in: whose account, where to go, who one is.
import { Alert, AppShell, Badge, Burger, Group, ScrollArea, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import { useDisclosure, useNetwork } from "@mantine/hooks";
import { Link, Outlet, useRouterState, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { usePermissions, useSession } from "../api/session.ts";
import { Action } from "../components/actions.tsx";
import { Mark } from "../components/mark.tsx";
import { Notice } from "../components/notices.tsx";
import { navigationGroups, shell } from "../strings/shell.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Palette } from "./palette.tsx";
import { SessionEnded } from "./session-ended.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { loadTypeface } from "./typeface.ts";
import classes from "./shell.module.css";
import { useGet } from "../api/queries.ts";
import { approvals } from "../strings/approvals.ts";
import { type NavigationGroup, useNavigationEntries } from "./area.ts";
import { useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/client.ts";
import { AlertIcon } from "../components/icons.tsx";
import { WEIGHT } from "./tokens.ts";

const HEADER_PX = 56;
const NAVIGATION_PX = 232;

/** The page in its frame. */
export function Shell() {
  const { merchant } = useSession();
  const [opened, { toggle, close }] = useDisclosure(false);
  const [listOpened, list] = useDisclosure(false);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(close, [pathname, close]);
  useEffect(() => void loadTypeface("Inter Extended"), []);
  return (
    <>
      <a className={classes["skip"]} href="#content">
        {shell.skipToContent}
      </a>
      <Shortcuts opened={listOpened} onOpen={list.open} onClose={list.close} />
      <AppShell
        header={{ height: HEADER_PX }}
        navbar={{ width: NAVIGATION_PX, breakpoint: "md", collapsed: { mobile: !opened } }}
        padding={{ base: "md", md: "xl" }}
        classNames={{ main: classes["main"]!, header: classes["header"]!, navbar: classes["navbar"]! }}
      >
        <AppShell.Header data-sandbox={merchant?.live === false || undefined}>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap" miw={0}>
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="md"
                size="sm"
                aria-expanded={opened}
                aria-label={opened ? shell.closeNavigation : shell.openNavigation}
              />
              <Business />
            </Group>
            <Group gap="xs" wrap="nowrap" flex="none">
              <Palette />
              <AccountMenu onShortcuts={list.open} />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm" aria-label={shell.navigation}>
          <Navigation />
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1}>
          <div className={classes["page"]}>
            <OperatorNotice />
            <ConnectionNotice />
            <SessionEnded />
            <Outlet />
          </div>
        </AppShell.Main>
      </AppShell>
    </>
  );
}

/** Whose dashboard it is, and whether its money is real. */
function Business() {
  const { merchant } = useSession();
  return (
    <>
      <Link to="/" className={classes["brand"]} aria-label={shell.home}>
        <Mark />
      </Link>
      <Text fw={WEIGHT.strong} lineClamp={2} className={classes["name"]}>
        {merchant?.name ?? shell.product}
      </Text>
      {merchant && (
        <Tooltip label={merchant.live ? shell.liveHint : shell.sandboxHint}>
          <Badge
            className={classes[merchant.live ? "live" : "sandbox"]}
            variant="light"
            tt="none"
            tabIndex={0}
            flex="none"
          >
            {merchant.live ? shell.live : shell.sandbox}
          </Badge>
        </Tooltip>
      )}
    </>
  );
}

/** Whose pages they are, where an operator looks in: nobody takes them for the merchant's own view. */
function OperatorNotice() {
  const { kind, merchant } = useSession();
  if (kind !== "operator" || !merchant) return null;
  return (
    <Notice mb="lg">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{shell.asOperator(merchant.name)}</Text>
        <Action label={shell.backToOperator} size="xs" href="/" />
      </Group>
    </Notice>
  );
}

/** How often to ask what waits: others ask for approvals while the page stands open. */
const COUNT_MS = 60_000;

const GROUPS: readonly NavigationGroup[] = ["top", "payouts", "billing", "reports", "settings"];

/** Where one can go. */
function Navigation() {
  const entries = useNavigationEntries();
  const searchOf = useSearchOfReports();
  return (
    <ScrollArea type="never">
      {GROUPS.map((group) => {
        const own = entries.filter((entry) => entry.group === group);
        if (own.length === 0) return null;
        return (
          <div key={group}>
            {group !== "top" && (
              <p className={classes["group"]} id={`navigation-${group}`}>
                {navigationGroups[group]}
              </p>
            )}
            <ul
              className={classes["entries"]}
              {...(group === "top" ? {} : { "aria-labelledby": `navigation-${group}` })}
            >
              {own.map(({ label, to }) => (
                <li key={to}>
                  <Link
                    to={to}
                    search={searchOf(to) as never}
                    className={classes["entry"]}
                    activeOptions={{ exact: to === "/", includeSearch: false }}
                  >
                    {label}
                    {to === "/approvals" && <WaitingForMe />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </ScrollArea>
  );
}

const REPORTS = "/reports/";

/** From one report to the next, the period stays. */
function useSearchOfReports() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const { from, to }: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const period = pathname.includes(REPORTS) && from && to ? { from, to } : {};
  return (path: string) => (path.startsWith(REPORTS) ? period : {});
}

/** How much waits for the decision of whoever is signed in. */
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

/** A notice above the page; nothing while all is well. */
function ConnectionNotice() {
  const { online } = useNetwork();
  const isReachable = useReachable();
  if (online && isReachable) return null;
  return (
    <Alert role="status" mb="md" color="yellow" variant="outline" icon={<AlertIcon />}>
      {online ? shell.unreachable : shell.offline}
    </Alert>
  );
}

/** Whether the latest request that ended was answered, by anything but "come back later". */
function useReachable(): boolean {
  const cache = useQueryClient().getQueryCache();
  const [isReachable, setReachable] = useState(true);
  useEffect(
    () =>
      cache.subscribe((event) => {
        if (event.type !== "updated") return;
        const { action } = event;
        if (action.type === "success") setReachable(true);
        if (action.type === "failed" && action.error instanceof ApiError) setReachable(!isOutage(action.error));
      }),
    [cache],
  );
  return isReachable;
}

function isOutage({ status }: ApiError): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}
