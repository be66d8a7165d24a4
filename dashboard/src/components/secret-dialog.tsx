// Secrets, the one time that they are shown: keys, first passwords, signing secrets.
// What belongs here: showing and copying them, in a dialog that nothing but its button closes.
import { Button, Code, CopyButton, Group, Modal, Stack, Text } from "@mantine/core";
import { parts } from "../strings/shell.ts";

type Props = {
  readonly title: string;
  readonly hint: string;
  readonly secrets: readonly { readonly label: string; readonly value: string }[];
  readonly onClose: () => void;
};

/** Shows secrets once. A stray click or key does not make them vanish. */
export function SecretDialog({ title, hint, secrets, onClose }: Props) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Text>{hint}</Text>
        {secrets.map(({ label, value }) => (
          <div key={label}>
            <Text size="sm" fw={600}>
              {label}
            </Text>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Code flex={1} style={{ overflowWrap: "anywhere" }} fz="sm">
                {value}
              </Code>
              <CopyButton value={value}>
                {({ copied, copy }) => (
                  <Button size="compact-sm" variant="default" onClick={copy} aria-label={parts.copyOf(label)}>
                    {copied ? parts.copied : parts.copy}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </div>
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>{parts.secretKept}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
