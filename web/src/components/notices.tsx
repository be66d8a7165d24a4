// What is said in place of something, or above it: that it failed, that there is nothing yet, what one should know before going on.
import { Alert, Center, Stack, Text, Title, type AlertProps } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { shell } from "../strings/shell.ts";
import { Action } from "./actions.tsx";
import { AlertIcon } from "./icons.tsx";

type Props = Pick<AlertProps, "m" | "mb" | "title"> & {
  readonly error: Error;
  readonly onRetry?: () => void;
};

/** What went wrong. Read out by screen readers when it appears. */
export function ErrorNotice({ error, onRetry, ...rest }: Props) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert role="alert" color="red" variant="outline" icon={<AlertIcon />} {...rest}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{error.message}</Text>
        {requestId !== null && <Text size="sm">{shell.requestId(requestId)}</Text>}
        {onRetry && <Action label={shell.retry} size="xs" onClick={onRetry} />}
      </Stack>
    </Alert>
  );
}

type EmptyStateProps = {
  readonly title: string;
  readonly hint?: ReactNode;
  /** A button or link for the first step. */
  readonly action?: ReactNode;
};

/** A place with nothing in it. */
export function EmptyState({ title, hint, action }: EmptyStateProps) {
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

/** A notice; read out by screen readers when it appears. */
export function Notice(props: Omit<AlertProps, "variant" | "icon" | "role">) {
  return <Alert color="yellow" variant="outline" icon={<AlertIcon />} role="status" {...props} />;
}
