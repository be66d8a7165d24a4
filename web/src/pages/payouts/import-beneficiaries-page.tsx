// Beneficiaries from a file: choose it, see the errors of its lines and the existing beneficiaries, then save the others.
import { Group, Progress, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { upload } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useChanged } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { saveFile } from "../../components/export-button.tsx";
import { CsvUpload, FileNotes, MoreLines } from "../../forms/file-upload.tsx";
import { beneficiaryImport as words, bulk, bulkUpload, csvFile } from "../../strings/bulk.ts";
import { accountOf } from "./beneficiary.ts";

type Preview = Answer<"POST", "/beneficiary-files/preview">;
type Line = Preview["first_lines"][number];
type Chosen = { readonly preview: Preview; readonly file: File };
/** The results of the requests so far, with their parts of the result file, and the line to continue after. */
type Sent = {
  readonly lines: number;
  readonly saved: number;
  readonly there: number;
  readonly results: readonly string[];
  readonly next: number | null;
};

const NOTHING_SENT: Sent = { lines: 0, saved: 0, there: 0, results: [], next: 0 };
const COLUMNS: readonly Column<Line>[] = [
  { key: "line", title: bulk.line, align: "right", hideBelow: "sm" },
  { key: "name", title: words.name },
  { key: "account", title: words.account, render: accountOf, hideBelow: "sm" },
  { key: "standing", title: words.standing, render: standingOf },
];

/** Import beneficiaries. */
export function Page() {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  return (
    <Outline title={words.title} hint={words.hint}>
      {chosen ? (
        <Import {...chosen} onAnother={() => setChosen(null)} />
      ) : (
        <CsvUpload
          path="/beneficiary-files/preview"
          sample="/beneficiary-files/sample"
          hint={words.limits}
          onDone={(preview, file) => setChosen({ preview, file })}
        />
      )}
    </Outline>
  );
}

function standingOf({ beneficiary_id: id, same_as_line: same }: Line): string {
  if (id !== "") return words.isThere(id);
  return same === null ? words.isFresh : words.isSame(same);
}

type ImportProps = Chosen & { readonly onAnother: () => void };

function Import({ preview, file, onAnother }: ImportProps) {
  const sending = useSending(file);
  if (sending.sent.next === null) {
    return <Done sent={sending.sent} mustWait={preview.must_wait} fileName={file.name} onAnother={onAnother} />;
  }
  const { errors, more_errors, warnings, more_warnings, first_lines, good } = preview;
  return (
    <>
      <Panel title={csvFile.step2}>
        <Stack>
          <Summary preview={preview} />
          {sending.error && <ErrorNotice error={sending.error} />}
          <Sending preview={preview} {...sending} />
          <Group gap="xs">
            {good === preview.lines && preview.fresh > 0 && (
              <Action
                label={sending.error ? words.again : words.save(preview.fresh)}
                primary
                onClick={() => void sending.start()}
                loading={sending.isSending}
              />
            )}
            <Action label={bulkUpload.another} onClick={onAnother} disabled={sending.isSending} />
          </Group>
        </Stack>
      </Panel>
      <FileNotes notes={errors} more={more_errors} />
      <FileNotes title={bulkUpload.warnings} notes={warnings} more={more_warnings} />
      {first_lines.length > 0 && (
        <TablePanel title={words.lines} columns={COLUMNS} rows={first_lines} rowKey={({ line }) => String(line)}>
          <MoreLines count={good - first_lines.length} />
        </TablePanel>
      )}
    </>
  );
}

function Summary({ preview: { lines, good, fresh, must_wait, ignored } }: Pick<Chosen, "preview">) {
  const isGood = good === lines;
  return (
    <>
      <Group gap="sm">
        <StatusBadge status={words.fresh(fresh)} tone={fresh > 0 ? "success" : "neutral"} />
        {good > fresh && <StatusBadge status={words.there(good - fresh)} tone="neutral" />}
        {!isGood && <StatusBadge status={bulkUpload.bad(lines - good)} tone="danger" />}
      </Group>
      {!isGood && <Notice>{bulkUpload.mustMend}</Notice>}
      {isGood && fresh === 0 && <Notice>{words.nothingNew}</Notice>}
      {isGood && fresh > 0 && must_wait && <Notice>{words.mustWait}</Notice>}
      {ignored.length > 0 && <Notice>{bulkUpload.ignored(ignored.join(", "))}</Notice>}
    </>
  );
}

type SendingProps = Pick<Chosen, "preview"> & { readonly sent: Sent; readonly isSending: boolean };

function Sending({ preview: { lines }, sent, isSending }: SendingProps) {
  if (sent.lines === 0 && !isSending) return null;
  const progress = words.progress(sent.lines, lines);
  return (
    <div role="status">
      <Text size="sm">{progress}</Text>
      <Progress value={(100 * sent.lines) / lines} aria-label={progress} />
    </div>
  );
}

type DoneProps = {
  readonly sent: Sent;
  readonly mustWait: boolean;
  readonly fileName: string;
  readonly onAnother: () => void;
};

function Done({ sent, mustWait, fileName, onAnother }: DoneProps) {
  const may = usePermissions();
  const save = (): void => {
    const result = new Blob([...sent.results], { type: "text/csv;charset=utf-8" });
    saveFile(result, `result-${fileName.replace(/\.csv$/i, "")}.csv`);
  };
  const actions = (
    <Group justify="center" gap="xs">
      <Action label={words.result} primary onClick={save} />
      {mustWait && sent.saved > 0 && may("payouts.view") && <Action label={words.toApprovals} to="/approvals" />}
      <Action label={words.toList} to="/beneficiaries" />
      <Action label={words.another} onClick={onAnother} />
    </Group>
  );
  return (
    <Panel title={words.step3}>
      <EmptyState title={words.done(sent.saved, sent.there)} hint={words.doneHint} action={actions} />
    </Panel>
  );
}

/** Sends the file part by part. After a failure it continues where it stopped; saved beneficiaries are not saved again. */
function useSending(file: File) {
  const changed = useChanged();
  const [sent, setSent] = useState(NOTHING_SENT);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const start = async (): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      let so = sent;
      while (so.next !== null) {
        const { result, ...part } = await upload("/beneficiary-files", file, { query: { after: String(so.next) } });
        so = {
          lines: so.lines + part.lines,
          saved: so.saved + part.saved,
          there: so.there + part.there,
          results: [...so.results, result],
          next: part.next,
        };
        setSent(so);
      }
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
      await Promise.all([changed("/beneficiaries"), changed("/approvals")]);
    }
  };
  return { start, sent, isSending, error };
}
