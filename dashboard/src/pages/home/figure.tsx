// A figure of the first page: what it is, how much, and a line about it.
// What belongs here: the layout of one.
import { Paper, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Money } from "../../components/money.tsx";

type Props = {
  readonly label: string;
  /** A wire amount; `null` while it is not known yet. */
  readonly amount: string | null;
  readonly hint: ReactNode;
};

/** An amount with its label. */
export function Figure({ label, amount, hint }: Props) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {amount === null ? (
        <Skeleton height={28} my={4} w="70%" />
      ) : (
        <Text fz={22} fw={650} lh={1.4}>
          <Money amount={amount} />
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    </Paper>
  );
}
