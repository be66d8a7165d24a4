// A failure on the page where it happened: what the server said, its number, and a way to try again.
// What belongs here: showing. Failures of a whole page are app/failure-page.tsx.
import { Alert, Button, Stack, Text, type AlertProps } from "@mantine/core";
import { ApiError } from "../api/client.ts";
import { shell } from "../strings/shell.ts";
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
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {shell.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
