// Many invoices from a file: chosen, checked line by line, then saved in batches.
// What belongs here: the steps. Saving the batches is use-import.ts.
import { Button, FileButton, Group, NativeSelect, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { UploadIcon } from "../../components/icons.tsx";
import { Page as PageFrame, Panel } from "../../components/page.tsx";
import { useFormChoices } from "../../forms/invoice/form-choices.ts";
import { saveFile } from "../../format/save-file.ts";
import { upload as words } from "../../strings/invoice-form.ts";
import { useImport, type CheckedUpload } from "./use-import.ts";

const MAX_BYTES = 6_000_000;
type Problem = CheckedUpload["problems"][number];

const COLUMNS: readonly Column<Problem>[] = [
  { key: "line", title: words.line, align: "right", render: ({ line }) => line },
  { key: "column", title: words.column, render: ({ column }) => column || "–" },
  { key: "problem", title: words.problem, render: ({ message }) => message },
];

/** The upload. */
export function Page() {
  const { templates } = useFormChoices("invoices");
  const [templateId, setTemplateId] = useState(templates[0]?.template_id ?? "");
  const check = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > MAX_BYTES) throw new Error(words.tooLarge);
      const csv = new TextDecoder("utf-8").decode(await file.arrayBuffer());
      if (csv.includes("\uFFFD")) throw new Error(words.notUtf8);
      return api<CheckedUpload>("POST", "/invoices/upload/check", { body: { template_id: templateId, csv } });
    },
  });
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
                  check.reset();
                }}
              />
            )}
            <FileButton accept="text/csv,.csv" onChange={(file) => file && check.mutate(file)}>
              {(button) => (
                <Button leftSection={<UploadIcon size={16} />} loading={check.isPending} {...button}>
                  {words.choose}
                </Button>
              )}
            </FileButton>
            <ExportButton
              path="/invoices/upload/sample"
              query={{ template_id: templateId }}
              fileName="invoices-sample.csv"
              label={words.sample}
            />
          </Group>
          <Text size="sm" c="dimmed" role="status">
            {check.isPending ? words.checking : (check.variables?.name ?? words.limits)}
          </Text>
          {check.error && <ErrorNotice error={check.error} />}
        </Stack>
      </Panel>
      {check.data && <Found key={check.submittedAt} checked={check.data} templateId={templateId} />}
    </PageFrame>
  );
}

function Found({ checked, templateId }: { readonly checked: CheckedUpload; readonly templateId: string }) {
  const { lines, good, problems, further_problems: further } = checked;
  return (
    <>
      <Panel title={words.step2} flush>
        <Group px="md" pb="md" justify="space-between">
          <Text role="status">{words.found(lines, good)}</Text>
          {checked.bad_lines !== "" && (
            <Button
              variant="default"
              onClick={() => saveFile(new Blob([checked.bad_lines], { type: "text/csv" }), "bad-lines.csv")}
            >
              {words.badLines}
            </Button>
          )}
        </Group>
        {problems.length > 0 && (
          <DataTable
            caption={words.step2}
            columns={COLUMNS}
            rows={problems}
            rowKey={({ line, column, message }) => `${line} ${column} ${message}`}
          />
        )}
        {further > 0 && <Text p="md">{words.more(further)}</Text>}
      </Panel>
      <Panel title={words.step3}>
        {good === 0 ? words.allBad : <Import checked={checked} templateId={templateId} />}
      </Panel>
    </>
  );
}

function Import({ checked, templateId }: { readonly checked: CheckedUpload; readonly templateId: string }) {
  const { good, lines } = checked;
  const importing = useImport(checked, templateId);
  const percent = Math.round((importing.saved / good) * 100);
  return (
    <Stack gap="sm">
      {importing.failures.map(({ from, to, why }) => (
        <ErrorNotice key={from} error={new Error(words.batchFailed(from, to, why))} />
      ))}
      {importing.state !== "waiting" && (
        <>
          <Progress value={percent} aria-label={words.importing(importing.saved, good)} />
          <Text role="status">
            {importing.state === "done" ? words.done(importing.saved) : words.importing(importing.saved, good)}
          </Text>
        </>
      )}
      {importing.state === "stopped" && <Text>{words.stopped}</Text>}
      <Group>
        {importing.state === "running" ? (
          <Button variant="default" onClick={importing.stop}>
            {words.stop}
          </Button>
        ) : (
          importing.saved < good && (
            <Button onClick={importing.start}>
              {importing.state !== "waiting"
                ? words.again
                : good < lines
                  ? words.importGoodOnly(good)
                  : words.importGood(good)}
            </Button>
          )
        )}
        {importing.saved > 0 && importing.state !== "running" && (
          <Button variant="default" component={Link} to="/invoices">
            {words.toList}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
