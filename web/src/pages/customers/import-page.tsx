// Customers from a file: choose it, see what is wrong with which line, then import its good lines or nothing.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { makeRequestKey, useChanged } from "../../api/queries.ts";
import { Action } from "../../components/actions.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { CsvUpload, FileNotes, reasonByLine } from "../../forms/file-upload.tsx";
import { csvFile } from "../../strings/bulk.ts";
import { customerImport as words } from "../../strings/customers.ts";

type Preview = Answer<"POST", "/customer-files/preview">;
/** Customers that are saved together, under a key of their own: sent again, they are saved once. */
type Batch = { readonly key: string; readonly customers: readonly unknown[]; readonly lines: readonly number[] };

const BATCH_SIZE = 500;

/** Import customers. */
export function Page() {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [imported, setImported] = useState<number | null>(null);
  const restart = (): void => {
    setPreview(null);
    setImported(null);
  };
  return (
    <Outline title={words.title} hint={words.hint}>
      {imported !== null ? (
        <Done count={imported} onAnother={restart} />
      ) : preview ? (
        <Checked preview={preview} onNone={restart} onDone={setImported} />
      ) : (
        <CsvUpload
          path="/customer-files/preview"
          sample="/customer-files/sample"
          hint={words.limits}
          onDone={setPreview}
        />
      )}
    </Outline>
  );
}

function Done({ count, onAnother }: { readonly count: number; readonly onAnother: () => void }) {
  const actions = (
    <Group justify="center">
      <Action label={words.toList} primary to="/customers" />
      <Action label={words.another} onClick={onAnother} />
    </Group>
  );
  return (
    <Panel>
      <EmptyState title={words.done(count)} hint={words.doneHint} action={actions} />
    </Panel>
  );
}

type CheckedProps = {
  readonly preview: Preview;
  readonly onNone: () => void;
  readonly onDone: (count: number) => void;
};

function Checked({ preview, onNone, onDone }: CheckedProps) {
  const { good, bad_lines, errors, more_errors, ignored } = preview;
  const sending = useBatches(preview, onDone);
  return (
    <>
      <Panel title={csvFile.step2}>
        <Stack>
          <Group gap="sm">
            <StatusBadge status={words.good(good.length)} tone={good.length > 0 ? "success" : "neutral"} />
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
    </>
  );
}

/** Sends batch after batch. After a failure it goes on where it stopped; what was saved already is not saved again. */
function useBatches({ good }: Preview, onDone: (count: number) => void) {
  const changed = useChanged();
  const [batches] = useState(() => divide(good));
  const [next, setNext] = useState(0);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const start = async (): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      for (const [index, { key, customers, lines }] of batches.entries()) {
        if (index < next) continue;
        await api("POST", "/customers/batch", { key, body: { customer: customers } }).catch((failure: Error) => {
          const isOfLines = failure instanceof ApiError && Object.keys(failure.fields).length > 0;
          throw isOfLines ? new Error(reasonByLine(failure, "customer", lines), { cause: failure }) : failure;
        });
        setNext(index + 1);
      }
      await changed("/customer-groups");
      onDone(good.length);
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
      await changed("/customers");
    }
  };
  const saved = next === 0 && !isSending ? null : Math.min(next * BATCH_SIZE, good.length);
  return { start, isSending, error, saved };
}

function divide(good: Preview["good"]): Batch[] {
  const count = Math.ceil(good.length / BATCH_SIZE);
  return Array.from({ length: count }, (_, index) => {
    const some = good.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE);
    const [customers, lines] = [some.map(({ customer }) => customer), some.map(({ line }) => line)];
    return { key: makeRequestKey(), customers, lines };
  });
}
