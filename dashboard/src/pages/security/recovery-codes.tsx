// Recovery codes, the one time that they are shown.
// What belongs here: showing and copying them.
import { Button, CopyButton, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { parts } from "../../strings/shell.ts";
import { security } from "../../strings/sign-in.ts";

type Props = { readonly codes: readonly string[]; readonly onClose: () => void };

/** The codes, and a button that says that they are kept. */
export function RecoveryCodes({ codes, onClose }: Props) {
  return (
    <Stack gap="md">
      <Text fw={600}>{security.codesTitle}</Text>
      <Text>{security.codesHint}</Text>
      <SimpleGrid component="ul" cols={2} spacing="xs" p={0} m={0}>
        {codes.map((code) => (
          <Text component="li" key={code} ff="monospace" style={{ listStyle: "none" }}>
            {code}
          </Text>
        ))}
      </SimpleGrid>
      <Group justify="flex-end" gap="xs">
        <CopyButton value={codes.join("\n")}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? parts.copied : parts.copy}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>{security.codesKept}</Button>
      </Group>
    </Stack>
  );
}
