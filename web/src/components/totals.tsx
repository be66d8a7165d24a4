// What the rows of a list come to: names with their sums, and what stands there until they have come.
import { SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

type Props = {
  /** What the sums leave out or include, below them. */
  readonly hint?: string;
  /** `null` until it has come. */
  readonly shown: readonly { readonly label: string; readonly value: ReactNode }[];
  readonly isLoading: boolean;
};

/** Sums beside each other. */
export function Totals({ hint, shown, isLoading }: Props) {
  return (
    <Stack gap={4} w="100%">
      <SimpleGrid component="dl" cols={{ base: 2, sm: 4 }} m={0} aria-busy={isLoading}>
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
      {hint !== undefined && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
    </Stack>
  );
}
