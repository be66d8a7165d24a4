// Uploads a file as soon as it is chosen, with a progress bar and a button to stop; and shows the notes about lines of a CSV file.
import { Button, FileButton, Group, Progress, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { DATE_ORDERS, type DateOrder } from "../../../src/platform/as-typed.ts";
import { MAX_FILE_BYTES } from "../../../src/platform/file-size.ts";
import { ApiError, apiUrl, upload, type Query } from "../api/client.ts";
import type { Answer, Known } from "../api/contract.ts";
import type { Column } from "../components/data-table.tsx";
import { Panel } from "../components/page.tsx";
import { TablePanel } from "../components/table-panel.tsx";
import { bulkUpload, csvFile } from "../strings/bulk.ts";
import { Action } from "../components/actions.tsx";
import { DownloadIcon, UploadIcon } from "../components/icons.tsx";
import { ErrorNotice } from "../components/notices.tsx";
import { parts } from "../strings/shell.ts";

type Props<Path extends string> = {
  readonly path: Known<"POST", Path>;
  readonly query?: Query;
  /** The request for the chosen file. */
  readonly queryOf?: (file: File) => Query;
  /** The largest size of a file, and the message for a larger one. */
  readonly limit?: { readonly bytes: number; readonly say: (name: string) => string };
  /** For the browser's dialog: `text/csv,.csv`. */
  readonly accept: string;
  readonly label?: string;
  readonly hint?: string;
  readonly onStart?: () => void;
  /** Checks what the file needs besides; the file is sent only if it returns true. */
  readonly mayStart?: () => boolean;
  /** `asked` goes with further requests of the same file. */
  readonly onDone: (answer: Answer<"POST", Path>, file: File, asked: FileOptions) => void;
};

/** The user's answers to questions about a file. */
export type FileOptions = { readonly date_order?: DateOrder };

/** Chooses and sends one file. If its dates are ambiguous, it asks, and sends the file again. */
export function FileUpload<const Path extends string>({
  path,
  query,
  queryOf = () => ({}),
  limit = { bytes: MAX_FILE_BYTES, say: () => csvFile.tooLarge(MAX_FILE_BYTES / 1024 / 1024) },
  accept,
  label = parts.chooseFile,
  hint,
  onStart,
  mayStart = () => true,
  onDone,
}: Props<Path>) {
  const running = useRef<AbortController | null>(null);
  const forgetChoice = useRef<(() => void) | null>(null);
  const [percent, setPercent] = useState<number | null>(null);
  const [failed, setFailed] = useState<{ readonly error: Error; readonly file: File } | null>(null);
  const start = async (file: File | null, asked: FileOptions = {}): Promise<void> => {
    if (!file) return;
    // The same file can be chosen again once it is corrected.
    forgetChoice.current?.();
    if (!mayStart()) return;
    running.current = new AbortController();
    const { signal } = running.current;
    onStart?.();
    setFailed(null);
    setPercent(0);
    try {
      if (file.size > limit.bytes) throw new Error(limit.say(file.name));
      const onProgress = (part: number): void => setPercent(Math.round(part * 100));
      onDone(
        await upload<Path>(path, file, { query: { ...query, ...queryOf(file), ...asked }, signal, onProgress }),
        file,
        asked,
      );
    } catch (error) {
      if (!signal.aborted) setFailed({ error: error as Error, file });
    } finally {
      setPercent(null);
    }
  };
  const asksOrder = failed?.error instanceof ApiError && failed.error.fields["date_order"] !== undefined;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <FileButton accept={accept} resetRef={forgetChoice} onChange={(file) => void start(file)}>
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
      {failed && <ErrorNotice error={failed.error} />}
      {failed && asksOrder && (
        <DateOrderQuestion onAnswer={(order) => void start(failed.file, { date_order: order })} />
      )}
    </Stack>
  );
}

/** Asks which of the first two numbers of a file's dates is the day. */
function DateOrderQuestion({ onAnswer }: { readonly onAnswer: (order: DateOrder) => void }) {
  return (
    <Group gap="xs" role="group" aria-label={csvFile.dateOrder}>
      {DATE_ORDERS.map((order) => (
        <Action key={order} label={csvFile.dateOrders[order]} onClick={() => onAnswer(order)} />
      ))}
    </Group>
  );
}

type CsvProps<Path extends string> = Pick<Props<Path>, "path" | "hint" | "onDone"> & {
  readonly sample: string;
};

/** The first step of a page that imports a CSV file: download a sample, and choose a file. */
export function CsvUpload<const Path extends string>({ sample, ...upload }: CsvProps<Path>) {
  return (
    <Panel title={csvFile.step1}>
      <Stack align="flex-start">
        <Action label={csvFile.sample} href={apiUrl(sample)} download leftSection={<DownloadIcon size={16} />} />
        <FileUpload<Path> accept=".csv,text/csv,text/plain" label={csvFile.choose} {...upload} />
      </Stack>
    </Panel>
  );
}

/** The name of a file's line in a request. */
export type LineMember = "customer" | "invoice" | "item" | "opening_balance" | "receipt";

/** Why a batch of a file's lines was refused, by lines of the file: `customer[3]` is the fourth line of the batch. */
export function reasonByLine(error: Error, member: LineMember, lines: readonly number[]): string {
  const [first] = error instanceof ApiError ? Object.values(error.fields) : [];
  return (first ?? error.message).replaceAll(
    new RegExp(`${member}\\[(\\d+)\\](\\.?)`, "g"),
    (_, place: string, point: string) => `${csvFile.line} ${lines[Number(place)] ?? place}${point === "" ? "" : ": "}`,
  );
}

/** A note on a line of a file. */
export type LineNote = { readonly line: number; readonly field: string; readonly message: string };

const NOTE_COLUMNS: readonly Column<LineNote>[] = [
  { key: "line", title: csvFile.line, align: "right" },
  { key: "field", title: csvFile.column, hideBelow: "sm" },
  { key: "message", title: csvFile.problem },
];

type NotesProps = {
  readonly title?: string;
  readonly notes: readonly LineNote[];
  /** How many more there are than are shown. */
  readonly more: number;
  readonly wordsOfMore?: (count: number) => string;
};

/** The notes about lines under a title; nothing where there are none. */
export function FileNotes({ title = csvFile.mistakes, notes, more, wordsOfMore }: NotesProps) {
  if (notes.length === 0) return null;
  const rowKey = ({ line, field, message }: LineNote): string => `${line} ${field} ${message}`;
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
