// The bar of actions for ticked rows: it is shown while there are any, and stays in sight while scrolling.
import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { lists } from "../strings/lists.ts";
import { Action } from "./actions.tsx";
import classes from "./bulk-bar.module.css";

type Props = {
  /** How many rows are ticked. */
  readonly count: number;
  readonly onClear: () => void;
  readonly children: ReactNode;
};

/** The bar below a list; nothing while no row is ticked. */
export function BulkBar({ count, onClear, children }: Props) {
  if (count === 0) return null;
  return (
    <Group className={classes["bar"]} role="region" aria-label={lists.selection} gap="xs">
      <Text size="sm" role="status" className={classes["count"]}>
        {lists.selected(count)}
      </Text>
      {children}
      <Action label={lists.clearSelection} variant="subtle" onClick={onClear} />
    </Group>
  );
}
