// A file that is sent as soon as it is chosen, with a bar that tells how far it is and a way to stop it.
// What belongs here: choosing and sending. What the server makes of the file is shown by the page.
import { Button, FileButton, Group, Progress, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { upload, type Query } from "../api/client.ts";
import { ErrorNotice } from "../components/error-notice.tsx";
import { UploadIcon } from "../components/icons.tsx";
import { parts } from "../strings/shell.ts";

type Props<Answer> = {
  readonly path: string;
  readonly query?: Query;
  /** For the browser's dialog: `text/csv,.csv`. */
  readonly accept: string;
  readonly label?: string;
  readonly hint?: string;
  readonly onDone: (answer: Answer, file: File) => void;
};

/** Chooses and sends one file. */
export function FileUpload<Answer>({ path, query, accept, label = parts.chooseFile, hint, onDone }: Props<Answer>) {
  const running = useRef<AbortController | null>(null);
  const [percent, setPercent] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const start = async (file: File | null): Promise<void> => {
    if (!file) return;
    running.current = new AbortController();
    const { signal } = running.current;
    setError(null);
    setPercent(0);
    try {
      const onProgress = (part: number): void => setPercent(Math.round(part * 100));
      onDone(await upload<Answer>(path, file, { ...(query ? { query } : {}), signal, onProgress }), file);
    } catch (thrown) {
      if (!signal.aborted) setError(thrown as Error);
    } finally {
      setPercent(null);
    }
  };
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <FileButton accept={accept} onChange={(file) => void start(file)}>
          {(button) => (
            <Button variant="default" leftSection={<UploadIcon size={16} />} disabled={percent !== null} {...button}>
              {label}
            </Button>
          )}
        </FileButton>
        {hint !== undefined && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </Group>
      {percent !== null && (
        <Group gap="sm">
          <Progress value={percent} aria-label={parts.uploading(percent)} flex={1} />
          <Button size="xs" variant="default" onClick={() => running.current?.abort()}>
            {parts.stop}
          </Button>
        </Group>
      )}
      {error && <ErrorNotice error={error} />}
    </Stack>
  );
}
