// What can be done with the rows that are ticked: a bar that is there while there are any, in sight wherever one scrolls.
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
