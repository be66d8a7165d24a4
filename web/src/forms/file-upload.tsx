// A file that is sent as soon as it is chosen, with a bar that tells how far it is and a way to stop it; and what is said of the
// lines of a CSV file that somebody chose.
import { Anchor, Button, FileButton, Group, Progress, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { apiUrl, upload, type Query } from "../api/client.ts";
import type { Answer, Known } from "../api/contract.ts";
import type { Column } from "../components/data-table.tsx";
import { Panel } from "../components/page.tsx";
import { TablePanel } from "../components/table-panel.tsx";
import { bulkUpload, csvFile } from "../strings/bulk.ts";
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

type CsvProps<Path extends string> = Pick<Props<Path>, "path" | "hint" | "onDone"> & { readonly sample: string };

/** The first step of a page that takes a CSV file: a file to fill in, and choosing the filled one. */
export function CsvUpload<const Path extends string>({ sample, ...upload }: CsvProps<Path>) {
  return (
    <Panel title={csvFile.step1}>
      <Stack align="flex-start">
        <Anchor href={apiUrl(sample)} download>
          {csvFile.sample}
        </Anchor>
        <FileUpload<Path> accept=".csv,text/csv,text/plain" label={csvFile.choose} {...upload} />
      </Stack>
    </Panel>
  );
}

type Note = { readonly line: number; readonly field: string; readonly message: string };

const NOTE_COLUMNS: readonly Column<Note>[] = [
  { key: "line", title: csvFile.line, align: "right" },
  { key: "field", title: csvFile.column, hideBelow: "sm" },
  { key: "message", title: csvFile.problem },
];

type NotesProps = {
  readonly title?: string;
  readonly notes: readonly Note[];
  /** How many more there are than are shown. */
  readonly more: number;
  readonly wordsOfMore?: (count: number) => string;
};

/** The notes about lines under a title; nothing where there are none. */
export function FileNotes({ title = csvFile.mistakes, notes, more, wordsOfMore }: NotesProps) {
  if (notes.length === 0) return null;
  const rowKey = ({ line, field, message }: Note): string => `${line} ${field} ${message}`;
  return (
    <TablePanel title={title} columns={NOTE_COLUMNS} rows={notes} rowKey={rowKey}>
      <MoreLines count={more} words={wordsOfMore} />
    </TablePanel>
  );
}

type MoreProps = { readonly count: number; readonly words?: ((count: number) => string) | undefined };

/** How many more there are than are shown. */
export function MoreLines({ count, words = bulkUpload.more }: MoreProps) {
  if (count <= 0) return null;
  return (
    <Text c="dimmed" p="md">
      {words(count)}
    </Text>
  );
}
