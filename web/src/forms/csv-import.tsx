// Imports records from a CSV file: choose it, see the errors of its lines, then import the valid lines.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ApiError } from "../api/client.ts";
import type { Answer, Known } from "../api/contract.ts";
import { makeRequestKey, useChanged } from "../api/queries.ts";
import { Action } from "../components/actions.tsx";
import { EmptyState, ErrorNotice, Notice } from "../components/notices.tsx";
import { Page, Panel } from "../components/page.tsx";
import { StatusBadge } from "../components/values.tsx";
import { bulkUpload, csvFile } from "../strings/bulk.ts";
import { CsvUpload, FileNotes, reasonByLine, type LineMember, type LineNote } from "./file-upload.tsx";

type ImportPath =
  | "/customer-files/preview"
  | "/item-files/preview"
  | "/opening-balance-files/preview"
  | "/receipt-files/preview";
type Preview<Line> = {
  readonly good: readonly Line[];
  readonly bad_lines: number;
  readonly errors: readonly LineNote[];
  readonly more_errors: number;
  /** Lines that can be imported, and should be looked at first. */
  readonly warnings?: readonly LineNote[];
  readonly more_warnings?: number;
  /** Lines that were imported before. */
  readonly recorded?: readonly unknown[];
  readonly ignored: readonly string[];
};
type Counted = (count: number) => string;

type ImportWords = {
  readonly title: string;
  readonly hint: string;
  readonly limits: string;
  readonly good: Counted;
  readonly bad: Counted;
  readonly ignored: (names: string) => string;
  readonly more: Counted;
  readonly importGood: Counted;
  readonly importNone: string;
  readonly onlyGood: string;
  readonly progress: (done: number, all: number) => string;
  readonly done: Counted;
  readonly doneHint: string;
  readonly toList: string;
  readonly again: string;
  readonly another: string;
  /** Of lines that were imported before. */
  readonly recorded?: Counted;
  /** The title of lines that were refused when they were saved. */
  readonly refused?: string;
};

type Props<Path extends ImportPath, Line> = {
  /** The route that checks the file. */
  readonly path: Known<"POST", Path>;
  readonly sample: string;
  /** Where the records are listed. */
  readonly to: `/${string}`;
  readonly previewOf: (answer: Answer<"POST", Path>) => Preview<Line>;
  /** Saves lines under a key: sent again, they are saved once. Answers those that were refused by themselves, if any can be. */
  readonly save: (lines: readonly Line[], key: string) => Promise<readonly LineNote[] | null>;
  /** The number of lines per request. */
  readonly batchSize?: number;
  /** The name of a batch's list, as in `customer[3].email`. */
  readonly member: LineMember;
  /** The paths that the import changes. */
  readonly changes: readonly string[];
  readonly words: ImportWords;
  /** Shows the lines that can be imported. */
  readonly show?: (lines: readonly Line[]) => ReactNode;
};

const BATCH_SIZE = 500;
type Imported = { readonly count: number; readonly refused: readonly LineNote[] };

/** The page on which records are imported. */
export function CsvImport<const Path extends ImportPath, Line extends { readonly line: number }>(
  props: Props<Path, Line>,
) {
  const { path, sample, to, words, previewOf } = props;
  const [preview, setPreview] = useState<Preview<Line> | null>(null);
  const [imported, setImported] = useState<Imported | null>(null);
  const restart = (): void => {
    setPreview(null);
    setImported(null);
  };
  return (
    <Page title={words.title} hint={words.hint}>
      {imported !== null ? (
        <Done {...imported} to={to} words={words} onAnother={restart} />
      ) : preview ? (
        <Checked preview={preview} of={props} onNone={restart} onDone={setImported} />
      ) : (
        <CsvUpload<Path>
          path={path}
          sample={sample}
          hint={words.limits}
          onDone={(answer) => setPreview(previewOf(answer))}
        />
      )}
    </Page>
  );
}

type DoneProps = Imported & {
  readonly to: string;
  readonly words: ImportWords;
  readonly onAnother: () => void;
};

function Done({ count, refused, to, words, onAnother }: DoneProps) {
  const actions = (
    <Group justify="center">
      <Action label={words.toList} primary to={to} />
      <Action label={words.another} onClick={onAnother} />
    </Group>
  );
  return (
    <>
      <Panel>
        <EmptyState title={words.done(count)} hint={words.doneHint} action={actions} />
      </Panel>
      <FileNotes title={words.refused} notes={refused} more={0} />
    </>
  );
}

type Importing<Line> = Pick<Props<never, Line>, "save" | "batchSize" | "member" | "changes" | "words" | "show">;
type CheckedProps<Line> = {
  readonly preview: Preview<Line>;
  readonly of: Importing<Line>;
  readonly onNone: () => void;
  readonly onDone: (imported: Imported) => void;
};

function Checked<Line extends { readonly line: number }>({ preview, of, onNone, onDone }: CheckedProps<Line>) {
  const { good, bad_lines, errors, more_errors, warnings = [], more_warnings = 0, recorded = [], ignored } = preview;
  const { words } = of;
  const sending = useBatches(good, of, onDone);
  return (
    <>
      <Panel title={csvFile.step2}>
        <Stack>
          <Group gap="sm">
            <StatusBadge status={words.good(good.length)} tone={good.length > 0 ? "success" : "neutral"} />
            {recorded.length > 0 && <StatusBadge status={words.recorded?.(recorded.length) ?? ""} tone="neutral" />}
            {bad_lines > 0 && <StatusBadge status={words.bad(bad_lines)} tone="danger" />}
          </Group>
          {ignored.length > 0 && <Notice>{words.ignored(ignored.join(", "))}</Notice>}
          {bad_lines > 0 && good.length > 0 && <Text c="dimmed">{words.onlyGood}</Text>}
          {sending.error && <ErrorNotice error={sending.error} />}
          {sending.saved !== null && (
            <div role="status">
              <Text size="sm">{words.progress(sending.saved, good.length)}</Text>
              <Progress
                value={(100 * sending.saved) / good.length}
                aria-label={words.progress(sending.saved, good.length)}
              />
            </div>
          )}
          <Group gap="xs">
            {good.length > 0 && (
              <Action
                label={sending.error ? words.again : words.importGood(good.length)}
                primary
                onClick={() => void sending.start()}
                loading={sending.isSending}
              />
            )}
            <Action label={words.importNone} onClick={onNone} disabled={sending.isSending} />
          </Group>
        </Stack>
      </Panel>
      <FileNotes notes={errors} more={more_errors} wordsOfMore={words.more} />
      <FileNotes title={bulkUpload.warnings} notes={warnings} more={more_warnings} />
      {good.length > 0 && of.show?.(good)}
    </>
  );
}

/** Sends batch after batch. After a failure it continues where it stopped; saved lines are not saved again. */
function useBatches<Line extends { readonly line: number }>(
  good: readonly Line[],
  { save, batchSize = BATCH_SIZE, member, changes }: Importing<Line>,
  onDone: (imported: Imported) => void,
) {
  const changed = useChanged();
  const [batches] = useState(() => divide(good, batchSize));
  const [refused] = useState<LineNote[]>([]);
  const [next, setNext] = useState(0);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const start = async (): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      for (const [index, { key, lines }] of batches.entries()) {
        if (index < next) continue;
        const notes = await save(lines, key).catch((failure: Error) => {
          const isOfLines = failure instanceof ApiError && Object.keys(failure.fields).length > 0;
          const numbers = lines.map(({ line }) => line);
          throw isOfLines ? new Error(reasonByLine(failure, member, numbers), { cause: failure }) : failure;
        });
        refused.push(...(notes ?? []));
        setNext(index + 1);
      }
      onDone({ count: good.length - refused.length, refused });
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
      await changed(...changes);
    }
  };
  const saved = next === 0 && !isSending ? null : Math.min(next * batchSize, good.length);
  return { start, isSending, error, saved };
}

/** Lines that are saved together, under one key. */
function divide<Line>(
  good: readonly Line[],
  size: number,
): { readonly key: string; readonly lines: readonly Line[] }[] {
  return Array.from({ length: Math.ceil(good.length / size) }, (_, index) => {
    return { key: makeRequestKey(), lines: good.slice(index * size, (index + 1) * size) };
  });
}
