// Many invoices from a file: chosen, checked line by line, then saved in batches.
import { Checkbox, Group, NativeSelect, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { makeRequestKey } from "../../api/queries.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ExportButton, saveFile } from "../../components/export-button.tsx";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as PageFrame, Panel } from "../../components/page.tsx";
import { Facts, Money } from "../../components/values.tsx";
import { FileNotes, FileUpload, reasonByLine } from "../../forms/file-upload.tsx";
import { useFormChoices } from "../../forms/invoice/form-choices.ts";
import { csvFile } from "../../strings/bulk.ts";
import { upload as words } from "../../strings/invoice-form.ts";

type Problem = CheckedUpload["problems"][number];

const COLUMNS: readonly Column<Problem>[] = [
  { key: "line", title: words.line, align: "right" },
  { key: "column", title: words.column, render: ({ column }) => column || "–" },
  { key: "message", title: words.problem },
];

const NEW_CUSTOMERS: readonly Column<CheckedUpload["new_customers"]["first"][number]>[] = [
  { key: "line", title: words.line, align: "right" },
  { key: "customer_code", title: words.customerCode },
  { key: "customer_name", title: words.customerName },
];

const ALIKE: readonly Column<CheckedUpload["alike"]["invoices"][number]>[] = [
  { key: "line", title: words.line, align: "right" },
  { key: "amount", title: words.alikeAmount, align: "right", render: ({ amount }) => <Money amount={amount} /> },
  {
    key: "invoice_number",
    title: words.alikeInvoice,
    render: ({ invoice_id: id, invoice_number: number }) => <LinkTo to={`/invoices/${id}`} label={number} />,
  },
];
const MAX_DUPLICATES = 50;

type Checked = { readonly key: string; readonly file: string; readonly upload: CheckedUpload };

/** The upload. */
export function Page() {
  const { templates } = useFormChoices("invoices");
  const [templateId, setTemplateId] = useState(templates[0]?.template_id ?? "");
  const [checked, setChecked] = useState<Checked | null>(null);
  return (
    <PageFrame title={words.title} hint={words.hint}>
      <Panel title={words.step1}>
        <Stack gap="sm">
          <Group align="flex-end" gap="sm">
            {templates.length > 1 && (
              <NativeSelect
                label={words.template}
                data={templates.map(({ template_id, name }) => ({ value: template_id, label: name }))}
                value={templateId}
                onChange={({ currentTarget: { value } }) => {
                  setTemplateId(value);
                  setChecked(null);
                }}
              />
            )}
            <ExportButton
              path="/invoice-files/sample"
              query={{ template_id: templateId }}
              fileName="invoices-sample.csv"
              label={words.sample}
            />
          </Group>
          <FileUpload
            path="/invoice-files/preview"
            query={{ template_id: templateId }}
            accept=".csv,text/csv,text/plain"
            label={words.choose}
            hint={checked?.file ?? words.limits}
            onStart={() => setChecked(null)}
            onDone={(upload, { name }) => setChecked({ key: makeRequestKey(), file: name, upload })}
          />
        </Stack>
      </Panel>
      {checked && <Found key={checked.key} checked={checked.upload} templateId={templateId} />}
    </PageFrame>
  );
}

function Found({ checked, templateId }: { readonly checked: CheckedUpload; readonly templateId: string }) {
  const { lines, good, new_customers: made, saved, alike, problems, further_problems: further } = checked;
  // Possible duplicates are left out unless the user includes them: a missing invoice is noticed sooner than a double one.
  const [leavesOut, setLeavesOut] = useState(true);
  const [hasBegun, setBegun] = useState(false);
  const left = leavesOut ? withoutAlike(checked) : checked;
  const { invoices, total } = left;
  return (
    <>
      <Panel title={words.step2} flush>
        <Group px="md" pb="md" justify="space-between">
          <Text role="status">{words.found(lines, good, checked.invoices, saved.lines)}</Text>
          {checked.bad_lines !== "" && (
            <Action
              label={words.badLines}
              onClick={() => saveFile(new Blob([checked.bad_lines], { type: "text/csv" }), "bad-lines.csv")}
            />
          )}
        </Group>
        {checked.invoices > 0 && (
          <Stack px="md" pb="md">
            <Facts
              facts={[
                { label: words.invoices, value: String(invoices) },
                { label: words.total, value: <Money amount={total} /> },
                { label: words.newCustomers, value: String(made.count) },
              ]}
            />
          </Stack>
        )}
        {saved.invoices > 0 && <SavedBefore saved={saved} />}
        {alike.invoices.length > 0 && (
          <MaybeSaved alike={alike} leavesOut={leavesOut} onChange={hasBegun ? null : setLeavesOut} />
        )}
        {problems.length > 0 && (
          <DataTable
            caption={csvFile.mistakes}
            columns={COLUMNS}
            rows={problems}
            rowKey={({ line, column, message }) => `${line} ${column} ${message}`}
          />
        )}
        {further > 0 && <Text p="md">{words.more(further)}</Text>}
        {made.count > 0 && <MakesCustomers made={made} />}
      </Panel>
      <Warnings checked={checked} />
      <Panel title={words.step3}>
        {invoices > 0 ? (
          <Import checked={left} templateId={templateId} onBegin={() => setBegun(true)} />
        ) : saved.invoices > 0 || checked.invoices > 0 ? (
          <Stack gap="sm" align="flex-start">
            {words.nothingNew}
            <Action label={words.toList} to="/invoices" />
          </Stack>
        ) : (
          words.allBad
        )}
      </Panel>
    </>
  );
}

/** Warnings before the import, by row. They block nothing. */
function Warnings({ checked: { warnings, further_warnings: further } }: { readonly checked: CheckedUpload }) {
  if (warnings.length === 0) return null;
  return (
    <>
      <Notice>{words.warned}</Notice>
      <FileNotes
        title={words.warnings}
        notes={warnings.map(({ line, column, message }) => ({ line, field: column, message }))}
        more={further}
      />
    </>
  );
}

function MakesCustomers({ made }: { readonly made: CheckedUpload["new_customers"] }) {
  return (
    <>
      <Text p="md">{words.makesCustomers}</Text>
      <DataTable
        caption={words.makesCustomers}
        columns={NEW_CUSTOMERS}
        rows={made.first}
        rowKey={({ line }) => String(line)}
      />
      {made.count > made.first.length && <Text p="md">{words.moreSaved(made.count - made.first.length)}</Text>}
    </>
  );
}

const MAX_LINKS = 10;

function SavedBefore({ saved: { invoices, first } }: Pick<CheckedUpload, "saved">) {
  const shown = first.slice(0, MAX_LINKS);
  return (
    <Stack px="md" pb="md" gap="xs">
      <Notice>{words.savedBefore(invoices)}</Notice>
      <Group gap="sm">
        {shown.map(({ invoice_id: id, invoice_number: number }) => (
          <LinkTo key={id} to={`/invoices/${id}`} label={number} />
        ))}
        {invoices > shown.length && <Text>{words.moreSaved(invoices - shown.length)}</Text>}
      </Group>
    </Stack>
  );
}

type MaybeSavedProps = Pick<CheckedUpload, "alike"> & {
  readonly leavesOut: boolean;
  /** `null` once the import has begun. */
  readonly onChange: ((leavesOut: boolean) => void) | null;
};

function MaybeSaved({ alike: { invoices }, leavesOut, onChange }: MaybeSavedProps) {
  return (
    <>
      <Stack px="md" pb="md" gap="xs">
        <Notice>{words.alike(invoices.length)}</Notice>
        <Checkbox
          label={words.leaveOut(invoices.length)}
          checked={leavesOut}
          disabled={onChange === null}
          onChange={({ currentTarget: { checked } }) => onChange?.(checked)}
        />
      </Stack>
      <DataTable
        caption={words.alikeTable}
        columns={ALIKE}
        rows={invoices.slice(0, MAX_DUPLICATES)}
        rowKey={({ line }) => String(line)}
      />
      {invoices.length > MAX_DUPLICATES && <Text p="md">{words.moreSaved(invoices.length - MAX_DUPLICATES)}</Text>}
    </>
  );
}

/** The rest to import if possible duplicates are left out. */
function withoutAlike(checked: CheckedUpload): CheckedUpload {
  const { alike, batches } = checked;
  if (alike.invoices.length === 0) return checked;
  const out = new Set(alike.invoices.map(({ line }) => line));
  const rest = batches.map((batch) => ({
    ...batch,
    lines: batch.lines.filter((line) => !out.has(line)),
    invoices: batch.invoices.filter((_, place) => !out.has(batch.lines[place]!)),
  }));
  return {
    ...checked,
    total: alike.rest_total,
    invoices: checked.invoices - out.size,
    batches: rest.filter(({ lines }) => lines.length > 0),
  };
}

type ImportProps = { readonly checked: CheckedUpload; readonly templateId: string; readonly onBegin: () => void };

function Import({ checked, templateId, onBegin }: ImportProps) {
  const { good, lines, invoices } = checked;
  const importing = useImport(checked, templateId);
  const percent = Math.round((importing.saved / invoices) * 100);
  return (
    <Stack gap="sm">
      {importing.failures.map(({ from, to, why }) => (
        <ErrorNotice key={from} error={new Error(words.batchFailed(from, to, why))} />
      ))}
      {importing.state !== "waiting" && (
        <>
          <Progress value={percent} aria-label={words.importing(importing.saved, invoices)} />
          <Text role="status">
            {importing.state !== "done"
              ? words.importing(importing.saved, invoices)
              : importing.saved > importing.before
                ? words.done(importing.saved - importing.before)
                : words.nothingNew}
          </Text>
          {importing.before > 0 && <Notice>{words.savedBefore(importing.before)}</Notice>}
        </>
      )}
      {importing.state === "stopped" && <Text>{words.stopped}</Text>}
      <Group>
        {importing.state === "running" ? (
          <Action label={words.stop} onClick={importing.stop} />
        ) : (
          importing.saved < invoices && (
            <Action
              label={
                importing.state !== "waiting"
                  ? words.again
                  : good < lines && invoices === good
                    ? words.importGoodOnly(good)
                    : words.importGood(invoices)
              }
              primary
              onClick={() => {
                onBegin();
                importing.start();
              }}
            />
          )
        )}
        {importing.saved > 0 && importing.state !== "running" && <Action label={words.toList} to="/invoices" />}
      </Group>
    </Stack>
  );
}

type CheckedUpload = Answer<"POST", "/invoice-files/preview">;

type Failure = { readonly from: number; readonly to: number; readonly why: string };

/** Whose batches are saved, and how far it is. */
function useImport({ batches }: CheckedUpload, templateId: string) {
  const queries = useQueryClient();
  const saved = useRef(new Set<string>());
  const sent = useRef(new Set<string>());
  const isStopping = useRef(false);
  const [progress, setProgress] = useState(0);
  /** Of those, what another upload of the file had saved. */
  const [before, setBefore] = useState(0);
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const [state, setState] = useState<"waiting" | "running" | "stopped" | "done">("waiting");

  const saveAll = async (): Promise<void> => {
    for (const { key, lines, through, invoices } of batches) {
      if (isStopping.current) return;
      if (saved.current.has(key)) continue;
      try {
        const { replayed } = await api("POST", "/invoice-files", {
          key,
          body: { template_id: templateId, lines, invoice: invoices },
        });
        saved.current.add(key);
        if (replayed && !sent.current.has(key)) setBefore((count) => count + invoices.length);
        setProgress((count) => count + invoices.length);
      } catch (error) {
        // Its answer may have been lost: invoices that the next try finds saved were saved here.
        sent.current.add(key);
        setFailures((known) => [...known, { from: lines[0]!, to: through, why: reasonOf(error as Error, lines) }]);
        // A broken connection would fail the next batch too.
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) return;
      }
    }
  };
  const start = async (): Promise<void> => {
    isStopping.current = false;
    setFailures([]);
    setState("running");
    await saveAll();
    setState(saved.current.size === batches.length ? "done" : "stopped");
    await queries.invalidateQueries({ queryKey: ["/invoices"] });
  };
  const stop = (): void => {
    isStopping.current = true;
  };
  return { state, saved: progress, before, failures, start: () => void start(), stop };
}

function reasonOf(error: Error, lines: readonly number[]): string {
  const isTaken = error instanceof ApiError && error.code === "idempotency_conflict";
  return isTaken ? words.savedMeanwhile : reasonByLine(error, "invoice", lines);
}
