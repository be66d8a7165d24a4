// A statement from a file: choose it, check its content, then import it.
import { Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { upload } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useChanged } from "../../api/queries.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, Money } from "../../components/values.tsx";
import { day } from "../../format/time.ts";
import { FileUpload } from "../../forms/file-upload.tsx";
import { importStatement as words, reconciliation } from "../../strings/reconciliation.ts";

type Preview = Answer<"POST", "/reconciliation/preview">;
type Imported = Answer<"POST", "/reconciliation/import">;
type Line = Preview["lines"][number];
type Query = { readonly account: string; readonly mapping?: string; readonly date_order?: string };

const COLUMNS: readonly Column<Line>[] = [
  { key: "file_line", title: words.fileLine, align: "right", hideBelow: "sm" },
  { key: "date", title: reconciliation.date, as: "day", hideBelow: "sm" },
  { key: "narration", title: words.narration, render: (line) => <Narration line={line} /> },
  { key: "reference", title: reconciliation.reference, hideBelow: "md" },
  {
    key: "amount",
    title: reconciliation.amount,
    align: "right",
    render: ({ side, amount }) => <Money amount={side === "out" ? `-${amount}` : amount} />,
  },
];

/** The bank's text; on narrow screens, with the day above it. */
function Narration({ line: { date, narration, reference } }: { readonly line: Line }) {
  return (
    <>
      <Text size="sm" c="dimmed" hiddenFrom="sm">
        {day(date)}
      </Text>
      <Text style={{ overflowWrap: "anywhere" }}>{narration || reference}</Text>
    </>
  );
}

/** Import a statement. */
export function Page() {
  const [account, setAccount] = useState("");
  const [isMissing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const [mapping, setMapping] = useState("");
  const [dateOrder, setDateOrder] = useState("");
  const [checked, setChecked] = useState<{ readonly preview: Preview; readonly file: File } | null>(null);
  const [imported, setImported] = useState<Imported | null>(null);
  const restart = (): void => {
    setChecked(null);
    setImported(null);
  };
  const query: Query = {
    account,
    ...(mapping.trim() === "" ? {} : { mapping }),
    ...(dateOrder === "" ? {} : { date_order: dateOrder }),
  };
  return (
    <Outline title={words.title} hint={words.hint}>
      {imported ? (
        <Done imported={imported} account={account} onAnother={restart} />
      ) : checked ? (
        <Checked {...checked} query={query} onNone={restart} onDone={setImported} />
      ) : (
        <Panel>
          <Stack maw={560}>
            <TextInput
              label={words.account}
              description={words.accountHint}
              ref={field}
              value={account}
              error={isMissing && account.trim() === "" ? words.accountNeeded : null}
              onChange={(event) => setAccount(event.currentTarget.value)}
              required
            />
            <TextInput
              label={words.mapping}
              description={words.mappingHint}
              value={mapping}
              onChange={(event) => setMapping(event.currentTarget.value)}
            />
            <NativeSelect
              label={words.dateOrder}
              description={words.dateOrderHint}
              value={dateOrder}
              onChange={(event) => setDateOrder(event.currentTarget.value)}
              data={Object.entries(words.dateOrders).map(([value, label]) => ({ value, label }))}
            />
            <FileUpload
              path="/reconciliation/preview"
              query={query}
              accept=".csv,.txt,.sta,.xml,.json,.xls,text/csv,text/plain"
              label={words.choose}
              hint={words.limits}
              mayStart={() => {
                setMissing(account.trim() === "");
                if (account.trim() === "") field.current?.focus();
                return account.trim() !== "";
              }}
              onDone={(preview, file, asked) => {
                if (asked.date_order) setDateOrder(asked.date_order);
                setChecked({ preview, file });
              }}
            />
          </Stack>
        </Panel>
      )}
    </Outline>
  );
}

type CheckedProps = {
  readonly preview: Preview;
  readonly file: File;
  readonly query: Query;
  readonly onNone: () => void;
  readonly onDone: (imported: Imported) => void;
};

function Checked({ preview, file, query, onNone, onDone }: CheckedProps) {
  const changed = useChanged();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const send = async (): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      const sent = { query: { ...query, file_name: file.name } };
      onDone(await upload("/reconciliation/import", file, sent));
      await changed("/reconciliation", "/reconciliation/missing");
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
    }
  };
  const balance = (amount: string | null) => (amount === null ? "–" : <Money amount={amount} />);
  return (
    <>
      <Panel title={words.preview}>
        <Stack>
          <Text>{words.found(preview.line_count)}</Text>
          {preview.not_booked > 0 && <Notice>{words.notBooked(preview.not_booked)}</Notice>}
          <Facts
            facts={[
              { label: words.account, value: query.account },
              { label: words.format, value: words.formats[preview.format] ?? preview.format },
              { label: reconciliation.opening, value: balance(preview.opening) },
              { label: reconciliation.closing, value: balance(preview.closing) },
              ...(preview.mapping === ""
                ? []
                : [{ label: words.columns, value: preview.mapping.replaceAll(",", ", ") }]),
            ]}
          />
          {error && <ErrorNotice error={error} />}
          <Group gap="xs">
            <Action label={words.importAll} primary onClick={() => void send()} loading={isSending} />
            <Action label={words.another} onClick={onNone} disabled={isSending} />
          </Group>
        </Stack>
      </Panel>
      <TablePanel
        title={file.name}
        columns={COLUMNS}
        rows={preview.lines}
        rowKey={({ file_line, amount }) => `${file_line} ${amount}`}
      />
    </>
  );
}

type DoneProps = { readonly imported: Imported; readonly account: string; readonly onAnother: () => void };

function Done({ imported, account, onAnother }: DoneProps) {
  const { lines, new_lines, matched, open, to } = imported;
  const lastDay = { account, ...(to === null ? {} : { from: to, to }) };
  const actions = (
    <Group justify="center">
      <Action label={words.toList} primary to="/reconciliation" search={lastDay} />
      <Action label={words.another} onClick={onAnother} />
    </Group>
  );
  return (
    <Panel>
      <EmptyState title={words.done(lines, new_lines)} hint={words.doneHint(matched, open)} action={actions} />
    </Panel>
  );
}
