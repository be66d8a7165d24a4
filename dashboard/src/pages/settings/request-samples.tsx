// Requests that are ready to be sent: the body for customers, and one for each invoice template, as files.
// What belongs here: that panel.
import { Button, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { DownloadIcon } from "../../components/icons.tsx";
import { Panel } from "../../components/page.tsx";
import { saveFile } from "../../format/save-file.ts";
import { keys } from "../../strings/access.ts";

type Sample = {
  readonly name: string;
  readonly path: string;
  /** `null` for the one of customers. */
  readonly template_id: string | null;
  readonly body: unknown;
};

const titleOf = ({ name, template_id }: Sample): string => (template_id === null ? keys.customers : keys.invoice(name));

function downloadSample(sample: Sample): void {
  const text = `${JSON.stringify(sample.body, null, 2)}\n`;
  const fileName = sample.template_id === null ? "customers.json" : `invoices-${sample.template_id}.json`;
  saveFile(new Blob([text], { type: "application/json" }), fileName);
}

const COLUMNS: readonly Column<Sample>[] = [
  { key: "name", title: keys.request, render: titleOf },
  {
    key: "path",
    title: keys.path,
    hideBelow: "sm",
    render: ({ path }) => <Code style={{ overflowWrap: "anywhere" }}>{path}</Code>,
  },
  {
    key: "download",
    title: keys.download,
    align: "right",
    render: (sample) => (
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<DownloadIcon size={14} />}
        aria-label={keys.downloadOf(titleOf(sample))}
        onClick={() => downloadSample(sample)}
      >
        JSON
      </Button>
    ),
  },
];

/** The panel of ready requests. */
export function RequestSamples() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["/request-samples"],
    queryFn: ({ signal }) => api<{ samples: Sample[] }>("GET", "/request-samples", { signal }),
  });
  return (
    <Panel title={keys.samplesTitle} flush>
      <Text c="dimmed" px="md" pb="sm">
        {keys.samplesHint}
      </Text>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />
      ) : (
        <DataTable
          caption={keys.samplesTitle}
          columns={COLUMNS}
          rows={data?.samples ?? []}
          rowKey={({ template_id }) => template_id ?? "customers"}
          isLoading={isPending}
        />
      )}
    </Panel>
  );
}
