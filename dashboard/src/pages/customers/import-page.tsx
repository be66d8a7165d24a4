// Customers from a file: choose it, see what is wrong with which line, then import its good lines or nothing.
// What belongs here: the steps. Reading the file is the server's.
import { Alert, Anchor, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, apiUrl } from "../../api/client.ts";
import { makeRequestKey } from "../../api/request-key.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { FileUpload } from "../../forms/file-upload.tsx";
import { customerImport as words } from "../../strings/customers.ts";

type LineError = { readonly line: number; readonly field: string; readonly message: string };
type Preview = {
  readonly lines: number;
  readonly good: readonly { readonly line: number; readonly customer: unknown }[];
  readonly bad_lines: number;
  readonly errors: readonly LineError[];
  readonly more_errors: number;
  readonly ignored: readonly string[];
};
/** Customers that are saved together, under a key of their own: sent again, they are saved once. */
type Batch = { readonly key: string; readonly customers: readonly unknown[] };

const BATCH_SIZE = 500;

const COLUMNS: readonly Column<LineError>[] = [
  { key: "line", title: words.line, align: "right", render: ({ line }) => line },
  { key: "field", title: words.field, hideBelow: "sm", render: ({ field }) => field },
  { key: "message", title: words.problem, render: ({ message }) => message },
];

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
        <Panel title={words.step1}>
          <Stack align="flex-start">
            <Anchor href={apiUrl("/customers/import/sample")} download>
              {words.sample}
            </Anchor>
            <FileUpload<Preview>
              path="/customers/import/preview"
              accept=".csv,text/csv,text/plain"
              label={words.choose}
              hint={words.limits}
              onDone={setPreview}
            />
          </Stack>
        </Panel>
      )}
    </Outline>
  );
}

function Done({ count, onAnother }: { readonly count: number; readonly onAnother: () => void }) {
  const actions = (
    <Group justify="center">
      <Button component={Link} to="/customers">
        {words.toList}
      </Button>
      <Button variant="default" onClick={onAnother}>
        {words.another}
      </Button>
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
      <Panel title={words.step2}>
        <Stack>
          <Group gap="sm">
            <StatusBadge status={words.good(good.length)} tone={good.length > 0 ? "success" : "neutral"} />
            {bad_lines > 0 && <StatusBadge status={words.bad(bad_lines)} tone="danger" />}
          </Group>
          {ignored.length > 0 && (
            <Alert variant="outline" color="yellow">
              {words.ignored(ignored.join(", "))}
            </Alert>
          )}
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
              <Button onClick={() => void sending.start()} loading={sending.isSending}>
                {sending.error ? words.again : words.importGood(good.length)}
              </Button>
            )}
            <Button variant="default" onClick={onNone} disabled={sending.isSending}>
              {words.importNone}
            </Button>
          </Group>
        </Stack>
      </Panel>
      {errors.length > 0 && (
        <Panel title={words.mistakes} flush>
          <DataTable
            caption={words.mistakes}
            columns={COLUMNS}
            rows={errors}
            rowKey={({ line, field, message }) => `${line} ${field} ${message}`}
          />
          {more_errors > 0 && (
            <Text c="dimmed" p="md">
              {words.more(more_errors)}
            </Text>
          )}
        </Panel>
      )}
    </>
  );
}

/** Sends batch after batch. After a failure it goes on where it stopped; what was saved already is not saved again. */
function useBatches({ good }: Preview, onDone: (count: number) => void) {
  const queries = useQueryClient();
  const [batches] = useState(() => divide(good.map(({ customer }) => customer)));
  const [next, setNext] = useState(0);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const start = async (): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      for (const [index, { key, customers }] of batches.entries()) {
        if (index < next) continue;
        await api("POST", "/customers/batch", { body: { request_key: key, customer: customers } });
        setNext(index + 1);
      }
      await queries.invalidateQueries({ queryKey: ["/customer-groups"] });
      onDone(good.length);
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
      await queries.invalidateQueries({ queryKey: ["/customers"] });
    }
  };
  const saved = next === 0 && !isSending ? null : Math.min(next * BATCH_SIZE, good.length);
  return { start, isSending, error, saved };
}

function divide(customers: readonly unknown[]): Batch[] {
  const count = Math.ceil(customers.length / BATCH_SIZE);
  return Array.from({ length: count }, (_, index) => {
    return { key: makeRequestKey(), customers: customers.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE) };
  });
}
