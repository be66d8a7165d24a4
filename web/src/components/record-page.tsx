// The layout of a record's page: a bar that stays in sight, with its name, status, amount and actions; below it the record, and
// related records beside it.
import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { SIZE, WEIGHT } from "../app/tokens.ts";
import { type MenuEntry, MoreMenu } from "./more-menu.tsx";
import { usePageTitle } from "./page.tsx";
import classes from "./record-page.module.css";

type Props = {
  readonly title: string;
  /** Beside the title: a status badge. */
  readonly badge?: ReactNode;
  /** The amount that matters, such as what is due. */
  readonly figure?: { readonly label: string; readonly value: ReactNode };
  /** Below the title: whom it is about. */
  readonly hint?: ReactNode;
  /** The commonest two or three. */
  readonly actions?: ReactNode;
  readonly more?: readonly MenuEntry[];
  readonly children: ReactNode;
};

/** A page of a record. */
export function RecordPage({ title, badge, figure, hint, actions, more = [], children }: Props) {
  usePageTitle(title);
  return (
    <div className={classes["page"]}>
      <div className={classes["bar"]}>
        <div className={classes["head"]}>
          <Group gap="xs">
            <Title order={1} className={classes["title"]}>
              {title}
            </Title>
            {badge}
          </Group>
          {hint !== undefined && (
            <Text size="sm" c="dimmed" component="div">
              {hint}
            </Text>
          )}
        </div>
        {figure && (
          <dl className={classes["figure"]}>
            <dt>{figure.label}</dt>
            <Text component="dd" fz={SIZE.xl} fw={WEIGHT.strong} lh="xl">
              {figure.value}
            </Text>
          </dl>
        )}
        <div className={classes["actions"]}>
          {actions}
          <MoreMenu title={title} entries={more} />
        </div>
      </div>
      <div className={classes["content"]}>{children}</div>
    </div>
  );
}

type ColumnsProps = {
  /** On the right where there is room; below the rest on narrow screens. */
  readonly aside: ReactNode;
  readonly children: ReactNode;
};

/** The record, and what belongs to it. */
export function RecordColumns({ aside, children }: ColumnsProps) {
  return (
    <div className={classes["columns"]}>
      <div className={classes["stack"]}>{children}</div>
      <div className={classes["stack"]}>{aside}</div>
    </div>
  );
}
