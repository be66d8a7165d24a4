// What stands where there is nothing yet: what this place is for and what to do first.
// What belongs here: the layout. The words are the page's.
import { Center, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

type Props = {
  readonly title: string;
  readonly hint?: ReactNode;
  /** A button or link for the first step. */
  readonly action?: ReactNode;
};

/** A place with nothing in it. */
export function EmptyState({ title, hint, action }: Props) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={460}>
        <Title order={2} ta="center">
          {title}
        </Title>
        {hint !== undefined && (
          <Text c="dimmed" ta="center">
            {hint}
          </Text>
        )}
        {action !== undefined && <div>{action}</div>}
      </Stack>
    </Center>
  );
}
