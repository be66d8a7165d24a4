// Bulk payouts from a file: choose it, see the errors of its lines and the total, then request all or none.
import { Group, Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { upload } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { EVERYTHING, makeRequestKey } from "../../api/queries.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, Money, StatusBadge } from "../../components/values.tsx";
import { toPaise } from "../../format/money.ts";
import { ConfirmMoney } from "../../forms/dialogs.tsx";
import { type FileOptions, CsvUpload, FileNotes, MoreLines } from "../../forms/file-upload.tsx";
import { bulk, bulkUpload as words, csvFile } from "../../strings/bulk.ts";

type Preview = Answer<"POST", "/payout-files/preview">;
type Line = Preview["first_lines"][number];
type Chosen = { readonly preview: Preview; readonly file: File; readonly asked: FileOptions };

const LINE_COLUMNS: readonly Column<Line>[] = [
  { key: "line", title: bulk.line, align: "right", hideBelow: "sm" },
  { key: "payee", title: bulk.payee },
  { key: "amount", title: bulk.amount, as: "money" },
  { key: "reference_id", title: bulk.reference, hideBelow: "md" },
  { key: "narrative", title: bulk.narrative, hideBelow: "lg" },
  { key: "scheduled_for", title: bulk.day, render: (line) => line.scheduled_for || words.atOnce, hideBelow: "md" },
];

/** Upload bulk payouts. */
export function Page() {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  return (
    <Outline title={words.title} hint={words.hint}>
      {chosen ? (
        <Checked {...chosen} onAnother={() => setChosen(null)} />
      ) : (
        <CsvUpload
          path="/payout-files/preview"
          sample="/payout-files/sample"
          hint={words.limits}
          onDone={(preview, file, asked) => setChosen({ preview, file, asked })}
        />
      )}
    </Outline>
  );
}

function Checked({ preview, file, asked, onAnother }: Chosen & { readonly onAnother: () => void }) {
  const { lines, good, errors, more_errors, warnings, more_warnings, ignored, first_lines } = preview;
  const [isConfirming, setConfirming] = useState(false);
  const isGood = good === lines;
  return (
    <>
      <Panel title={csvFile.step2}>
        <Stack>
          <Group gap="sm">
            <StatusBadge status={words.good(good)} tone={good > 0 ? "success" : "neutral"} />
            {!isGood && <StatusBadge status={words.bad(lines - good)} tone="danger" />}
          </Group>
          <Facts facts={sumsOf(preview)} />
          {!isGood && <Notice>{words.mustMend}</Notice>}
          {isGood && !preview.is_covered && <Notice>{words.notCovered}</Notice>}
          {ignored.length > 0 && <Notice>{words.ignored(ignored.join(", "))}</Notice>}
          <Group gap="xs">
            {isGood && <Action label={words.confirm} primary onClick={() => setConfirming(true)} />}
            <Action label={words.another} onClick={onAnother} />
          </Group>
        </Stack>
      </Panel>
      <FileNotes notes={errors} more={more_errors} />
      <FileNotes title={words.warnings} notes={warnings} more={more_warnings} />
      {first_lines.length > 0 && (
        <TablePanel title={words.lines} columns={LINE_COLUMNS} rows={first_lines} rowKey={({ line }) => String(line)}>
          <MoreLines count={good - first_lines.length} />
        </TablePanel>
      )}
      {isConfirming && <Confirm preview={preview} file={file} asked={asked} onClose={() => setConfirming(false)} />}
    </>
  );
}

function sumsOf({ good, total, available }: Preview) {
  const left = (toPaise(available) ?? 0n) - (toPaise(total) ?? 0n);
  const text = `${left < 0n ? "-" : ""}${(left < 0n ? -left : left) / 100n}.${String((left < 0n ? -left : left) % 100n).padStart(2, "0")}`;
  return [
    { label: bulk.payouts, value: String(good) },
    { label: words.total, value: <Money amount={total} /> },
    { label: words.available, value: <Money amount={available} /> },
    { label: words.left, value: <Money amount={text} /> },
  ];
}

function Confirm({ preview, file, asked, onClose }: Chosen & { readonly onClose: () => void }) {
  const navigate = useNavigate();
  // Made once for the file: sent again, it is the same batch.
  const [key] = useState(makeRequestKey);
  return (
    <ConfirmMoney
      title={words.confirmTitle}
      label={words.confirm}
      amount={preview.total}
      facts={[
        { label: bulk.name, value: file.name },
        { label: bulk.payouts, value: String(preview.good) },
      ]}
      submit={() =>
        // The page before this dialog shows the warnings.
        upload("/payout-batches", file, {
          key,
          query: { ...asked, name: file.name.slice(-100), accept_warnings: "1" },
        })
      }
      changes={EVERYTHING}
      onDone={({ batch_id: id }) => navigate({ to: `/bulk-payouts/${id}`, replace: true })}
      onClose={onClose}
    />
  );
}
