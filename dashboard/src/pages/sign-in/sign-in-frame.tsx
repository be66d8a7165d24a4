// The frame of the pages before signing in: one card in the middle.
// What belongs here: layout and the document's title.
import { Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useEffect, type ReactNode } from "react";
import { Mark } from "../../components/mark.tsx";
import { shell } from "../../strings/shell.ts";

type Props = { readonly title: string; readonly hint?: string; readonly children: ReactNode };

/** A card with a heading. */
export function SignInFrame({ title, hint, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${shell.product}`;
  }, [title]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Group gap="sm" justify="center">
          <Mark size={32} />
          <Text fw={650} fz="xl">
            {shell.product}
          </Text>
        </Group>
        <Paper withBorder p={{ base: "lg", sm: "xl" }}>
          <Stack gap="md">
            <div>
              <Title order={1}>{title}</Title>
              {hint !== undefined && <Text c="dimmed">{hint}</Text>}
            </div>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
