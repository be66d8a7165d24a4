// What the rows of a list come to: names with their sums, and what stands there until they have come.
import { SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { UseQueryResult } from "@tanstack/react-query";
import { ErrorNotice } from "./notices.tsx";

type Sum = { readonly label: string; readonly value: ReactNode };

type Props<T> = {
  /** The request for them; the server answers with none where there are too many rows to add up. */
  readonly of: Pick<UseQueryResult<{ readonly totals: T | null }>, "data" | "error" | "refetch">;
  /** What is said then. */
  readonly tooMany: string;
  /** The sums; of none, until they have come, their names alone. */
  readonly sums: (totals: T | undefined) => readonly Sum[];
  /** What the sums leave out or include, below them. */
  readonly hint?: string;
};

/** Sums beside each other. */
export function Totals<T>({ of: { data, error, refetch }, tooMany, sums, hint }: Props<T>) {
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data && !data.totals) {
    return (
      <Text size="sm" c="dimmed">
        {tooMany}
      </Text>
    );
  }
  return (
    <Stack gap={4} w="100%">
      <SimpleGrid component="dl" cols={{ base: 2, sm: 4 }} m={0} aria-busy={!data}>
        {sums(data?.totals ?? undefined).map(({ label, value }) => (
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
