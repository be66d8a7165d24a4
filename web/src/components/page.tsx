// The outline of every page: its heading and actions, and panels below.
import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { parts, shell } from "../strings/shell.ts";
import loading from "./first-load.module.css";
import anchored from "./page.module.css";
import classes from "./side-by-side.module.css";

type PageProps = {
  readonly title: string;
  /** Beside the title: a status badge. */
  readonly badge?: ReactNode;
  readonly hint?: ReactNode;
  /** Buttons on the right; below the title on narrow screens. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A page with a heading. */
export function Page({ title, badge, hint, actions, children }: PageProps) {
  usePageTitle(title);
  return (
    <Stack gap="lg" className={loading["parts"]}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Group gap="sm">
            <Title order={1}>{title}</Title>
            {badge}
          </Group>
          {hint !== undefined && <Text c="dimmed">{hint}</Text>}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/**
 * Marks a heading, filters or a panel whose height isn't known yet. Everything below stays hidden until the mark is removed,
 * so that nothing moves: https://web.dev/articles/cls.
 */
export function FirstLoad() {
  return <span data-first-load hidden />;
}

/** The title of the browser's tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${shell.product}`;
  }, [title]);
}

/** The panels that the search of settings leads to, as their addresses name them. */
export type Anchor = "bank-account" | "books" | "reminders" | "appearance" | "password";

type PanelProps = {
  readonly title?: string;
  /** The address of the panel on its page. It then has the focus on its title. */
  readonly anchor?: Anchor;
  readonly actions?: ReactNode;
  /** Without padding, for a table that reaches the edges. */
  readonly flush?: boolean;
  readonly children: ReactNode;
};

/** A panel: a part of a page with its own background. */
export function Panel({ title, anchor, actions, flush = false, children }: PanelProps) {
  const head = title !== undefined && (
    <Group justify="space-between" gap="sm" p={flush ? "md" : 0} mb={flush ? 0 : "md"}>
      {anchor === undefined ? <Title order={2}>{title}</Title> : <AnchorTitle anchor={anchor} title={title} />}
      {actions}
    </Group>
  );
  return (
    <Paper
      component="section"
      className={loading["parts"]}
      withBorder
      p={flush ? 0 : "md"}
      style={{ overflow: "clip" }}
    >
      {head}
      {children}
    </Paper>
  );
}

/** A title that an address leads to. The panel may be drawn later than its page. */
function AnchorTitle({ anchor, title }: { readonly anchor: Anchor; readonly title: string }) {
  const { hash, state } = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  const visit = hash === anchor ? state.__TSR_key : null;
  useEffect(() => {
    const title = heading.current;
    if (visit === null || title === null) return undefined;
    const show = (): void => {
      if (getComputedStyle(title).visibility === "hidden") return;
      waiting.disconnect();
      title.focus({ preventScroll: true });
      title.scrollIntoView();
    };
    // What is hidden below a `FirstLoad` can't have the focus yet.
    const waiting = new MutationObserver(show);
    waiting.observe(document.body, { childList: true, subtree: true });
    show();
    return () => waiting.disconnect();
  }, [visit]);
  return (
    <Title ref={heading} order={2} id={anchor} tabIndex={-1} className={anchored["title"]}>
      {title}
    </Title>
  );
}

type Props = {
  /** Stays in sight while the form is scrolled, and is no higher than the window. */
  readonly aside: ReactNode;
  /** How wide it is beside the form. */
  readonly width: "22rem" | "26rem";
  readonly children: ReactNode;
};

/** The least width of the window for two columns. */
export const ROOM_BESIDE = "(min-width: 85em)";

/** Two columns, the second of which stays in sight. */
export function SideBySide({ aside, width, children }: Props) {
  return (
    <div className={classes["columns"]} style={{ "--aside-width": width } as object}>
      <div className={classes["main"]}>{children}</div>
      {/* Focusable, so that it can be scrolled by keyboard. */}
      <div className={classes["aside"]} role="region" aria-label={parts.besideForm} tabIndex={0}>
        {aside}
      </div>
    </div>
  );
}
