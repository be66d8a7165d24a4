// The frame around every page of somebody who is signed in: whose account, where to go, who one is.
import { AppShell, Badge, Burger, Group, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { useSession } from "../api/session.ts";
import { Action } from "../components/actions.tsx";
import { Mark } from "../components/mark.tsx";
import { Notice } from "../components/notices.tsx";
import { shell } from "../strings/shell.ts";
import { AccountMenu } from "./account-menu.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { Navigation } from "./navigation.tsx";
import { Palette } from "./palette.tsx";
import { SessionEnded } from "./session-ended.tsx";
import classes from "./shell.module.css";

const HEADER_PX = 56;
const NAVIGATION_PX = 232;

/** The page in its frame. */
export function Shell() {
  const { merchant } = useSession();
  const [opened, { toggle, close }] = useDisclosure(false);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(close, [pathname, close]);
  return (
    <>
      <a className={classes["skip"]} href="#content">
        {shell.skipToContent}
      </a>
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
              <Link to="/" className={classes["brand"]} aria-label={shell.home}>
                <Mark />
              </Link>
              <Text fw={600} lineClamp={2} className={classes["name"]}>
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
            </Group>
            <Group gap="xs" wrap="nowrap" flex="none">
              <Palette />
              <AccountMenu />
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
