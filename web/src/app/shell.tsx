// The frame around every page of a signed-in user: the business, the navigation and the account menu.
import { Alert, AppShell, Badge, Box, Group, Text, Tooltip } from "@mantine/core";
import { useDisclosure, useNetwork } from "@mantine/hooks";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { useSession } from "../api/session.ts";
import { Action } from "../components/actions.tsx";
import { Mark } from "../components/mark.tsx";
import { Notice } from "../components/notices.tsx";
import { shell } from "../strings/shell.ts";
import { AccountMenu } from "./account-menu.tsx";
import { BottomBar } from "./bottom-bar.tsx";
import { Navigation } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { SessionEnded } from "./session-ended.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { loadTypeface } from "./typeface.ts";
import classes from "./shell.module.css";
import { useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/client.ts";
import { AlertIcon } from "../components/icons.tsx";
import { WEIGHT } from "./tokens.ts";

const HEADER_PX = 56;
const NAVIGATION_PX = 248;
const BOTTOM_BAR_PX = 60;

/** The page in its frame. */
export function Shell() {
  const { merchant } = useSession();
  const isSandbox = merchant?.live === false || undefined;
  const { opened, toggle, close, navigation, content, button, onClick, onKeyDown } = useMenu();
  const [listOpened, list] = useDisclosure(false);
  useEffect(() => void loadTypeface("Inter Extended"), []);
  return (
    <>
      <a className={classes["skip"]} href="#content">
        {shell.skipToContent}
      </a>
      <Shortcuts opened={listOpened} onOpen={list.open} onClose={list.close} />
      <AppShell
        layout="alt"
        header={{ height: HEADER_PX }}
        footer={{ height: { base: BOTTOM_BAR_PX, md: 0 } }}
        navbar={{ width: NAVIGATION_PX, breakpoint: "md", collapsed: { mobile: !opened } }}
        padding={{ base: "md", md: "xl" }}
        classNames={{ main: classes["main"]!, header: classes["header"]!, navbar: classes["navbar"]! }}
        data-menu={opened ? "open" : "closed"}
        className={classes["frame"]}
        onKeyDown={onKeyDown}
      >
        <AppShell.Header data-sandbox={isSandbox}>
          <Group h="100%" px={{ base: "md", md: "xl" }} justify="space-between" wrap="nowrap">
            <Box hiddenFrom="md" miw={0} flex={1}>
              <Business />
            </Box>
            <Palette />
            <AccountMenu onShortcuts={list.open} />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar ref={navigation} aria-label={shell.navigation} data-sandbox={isSandbox} onClick={onClick}>
          <Business />
          <Navigation />
        </AppShell.Navbar>
        <AppShell.Footer hiddenFrom="md" className={classes["footer"]}>
          <BottomBar opened={opened} onMenu={toggle} onLink={close} button={button} />
        </AppShell.Footer>
        <AppShell.Main ref={content} id="content" tabIndex={-1}>
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

/**
 * The navigation of a narrow screen, which covers the page while it is open. Opening moves the focus to its first link. Escape
 * moves it back to the button, and a link moves it to the page.
 */
function useMenu() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const navigation = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(close, [pathname, close]);
  useEffect(() => {
    const [menu, page] = [navigation.current, content.current];
    if (!opened || !menu) return;
    menu.querySelector("a")?.focus();
    return () => {
      if (menu.contains(document.activeElement)) page?.focus({ preventScroll: true });
    };
  }, [opened]);
  return {
    opened,
    toggle,
    close,
    navigation,
    content,
    button,
    /** A link to the current page changes no path, so it is handled here. */
    onClick: ({ target }: MouseEvent) => target instanceof Element && target.closest("a") && close(),
    onKeyDown: ({ key, defaultPrevented }: KeyboardEvent) => {
      if (!opened || key !== "Escape" || defaultPrevented) return;
      button.current?.focus();
      close();
    },
  };
}

/** The name of the business, and whether it is live or a sandbox; a link to the first page. */
function Business() {
  const { merchant } = useSession();
  return (
    <div className={classes["business"]}>
      <Link to="/" className={classes["brand"]} aria-label={shell.home}>
        <Mark />
      </Link>
      <div className={classes["names"]}>
        <Text fw={WEIGHT.strong} lineClamp={2} className={classes["name"]}>
          {merchant?.name ?? shell.product}
        </Text>
        {merchant && (
          <Tooltip label={merchant.live ? shell.liveHint : shell.sandboxHint}>
            <Badge
              className={classes[merchant.live ? "live" : "sandbox"]}
              variant="light"
              size="sm"
              tt="none"
              tabIndex={0}
              flex="none"
            >
              {merchant.live ? shell.live : shell.sandbox}
            </Badge>
          </Tooltip>
        )}
      </div>
    </div>
  );
}

/** Shows whose pages an operator is viewing, so that they aren't mistaken for the merchant's own view. */
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

/** Whether the latest finished request got an answer other than "try again later". */
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
