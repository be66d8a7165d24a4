// A file that is sent as soon as it is chosen, with a bar that tells how far it is and a way to stop it.
import { Button, FileButton, Group, Progress, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { upload, type Query } from "../api/client.ts";
import type { Answer, Known } from "../api/contract.ts";
import { Action } from "../components/actions.tsx";
import { UploadIcon } from "../components/icons.tsx";
import { ErrorNotice } from "../components/notices.tsx";
import { parts } from "../strings/shell.ts";

type Props<Path extends string> = {
  readonly path: Known<"POST", Path>;
  readonly query?: Query;
  /** For the browser's dialog: `text/csv,.csv`. */
  readonly accept: string;
  readonly label?: string;
  readonly hint?: string;
  readonly onDone: (answer: Answer<"POST", Path>, file: File) => void;
};

/** Chooses and sends one file. */
export function FileUpload<const Path extends string>({
  path,
  query,
  accept,
  label = parts.chooseFile,
  hint,
  onDone,
}: Props<Path>) {
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
      onDone(await upload<Path>(path, file, { ...(query ? { query } : {}), signal, onProgress }), file);
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
          <Action label={parts.stop} size="xs" onClick={() => running.current?.abort()} />
        </Group>
      )}
      {error && <ErrorNotice error={error} />}
    </Stack>
  );
}
