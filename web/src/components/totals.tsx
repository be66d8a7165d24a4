// What the rows of a list come to: names with their sums, and what stands there until they have come.
import { SimpleGrid, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";

type Props = {
  readonly hint?: string;
  /** `null` until it has come. */
  readonly shown: readonly { readonly label: string; readonly value: ReactNode }[];
  readonly isLoading: boolean;
};

/** Sums beside each other. */
export function Totals({ hint, shown, isLoading }: Props) {
  return (
    <SimpleGrid component="dl" cols={{ base: 2, sm: 4 }} m={0} w="100%" title={hint} aria-busy={isLoading}>
      {shown.map(({ label, value }) => (
        <div key={label}>
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} fw={600}>
            {value ?? <Skeleton component="span" display="block" height="1.55em" width="6em" />}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
