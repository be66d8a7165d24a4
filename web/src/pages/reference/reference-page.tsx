// The API reference: a list of requests that can be searched, and the fields, answers and curl line of each.
import { Accordion, Anchor, Code, CopyButton, Group, Loader, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Action } from "../../components/actions.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { EmptyState, ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { SearchField } from "../../lists/filters.tsx";
import { reference } from "../../strings/reference.ts";
import { parts } from "../../strings/shell.ts";
import { titles } from "../../strings/titles.ts";
import { requestsOf, type OpenApiDocument, type ReferenceField, type ReferenceRequest } from "./document.ts";
import { WEIGHT } from "../../app/tokens.ts";

const DOCUMENT = "/openapi.json";

/** API reference. */
export function Page() {
  const navigate = useNavigate();
  const { search = "" } = useSearch({ strict: false }) as { search?: string };
  const { data, error, refetch } = useQuery({
    queryKey: [DOCUMENT],
    queryFn: async ({ signal }) => {
      const document = (await (await fetch(DOCUMENT, { signal })).json()) as OpenApiDocument;
      return requestsOf(document, location.origin);
    },
    staleTime: Infinity,
  });
  const words = search.toLowerCase().split(/\s+/);
  const found = data?.filter(({ path, summary, tag }) => {
    const text = `${path} ${summary} ${tag}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const link = <Anchor href={DOCUMENT}>{reference.document}</Anchor>;
  return (
    <Outline title={titles.reference} hint={reference.hint} actions={link}>
      <Panel flush>
        <Group p="md" gap="sm">
          <SearchField
            flex="1 1 14rem"
            maw={420}
            label={reference.search}
            value={search}
            onSearch={(text) => void navigate({ to: ".", search: text ? { search: text } : {}, replace: true })}
          />
          {found && <Text c="dimmed">{reference.endpoints(found.length)}</Text>}
        </Group>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />}
        {!found && !error && <Loader m="md" />}
        {found?.length === 0 && <EmptyState title={reference.none} hint={reference.noneHint} />}
        {found && found.length > 0 && <Requests requests={found} />}
      </Panel>
    </Outline>
  );
}

/** What is not open is not drawn: the document has hundreds of fields. */
function Requests({ requests }: { readonly requests: readonly ReferenceRequest[] }) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Accordion value={open} onChange={setOpen} order={2}>
      {requests.map((request) => (
        <Accordion.Item key={request.key} value={request.id}>
          <Accordion.Control>
            <Text ff="monospace" size="sm" style={{ overflowWrap: "anywhere" }}>
              {request.key}
            </Text>
            <Text size="sm" c="dimmed">
              {request.summary}
            </Text>
          </Accordion.Control>
          <Accordion.Panel>{open === request.id && <Request request={request} />}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

const FIELDS: readonly Column<ReferenceField>[] = [
  {
    key: "name",
    title: reference.field,
    render: ({ name }) => <Code style={{ overflowWrap: "anywhere" }}>{name}</Code>,
  },
  { key: "kind", title: reference.kind, hideBelow: "md" },
  {
    key: "required",
    title: reference.required,
    render: ({ isRequired }) => (isRequired ? reference.yes : reference.no),
  },
  { key: "meaning", title: reference.meaning, hideBelow: "sm" },
];

const ANSWERS: readonly Column<ReferenceRequest["answers"][number]>[] = [
  { key: "status", title: reference.status },
  { key: "description", title: reference.description },
];

function Request({ request }: { readonly request: ReferenceRequest }) {
  const { fields, answers, curl } = request;
  return (
    <Stack gap="md">
      <div>
        <Group justify="space-between" mb="xs">
          <Text fw={WEIGHT.strong}>{reference.curl}</Text>
          <CopyButton value={curl}>
            {({ copied, copy }) => (
              <Action label={copied ? parts.copied : parts.copy} size="compact-sm" onClick={copy} />
            )}
          </CopyButton>
        </Group>
        <Code block tabIndex={0}>
          {curl}
        </Code>
      </div>
      {fields.length > 0 && <DataTable caption={reference.fields} columns={FIELDS} rows={fields} rowKey="name" />}
      <DataTable caption={reference.answers} columns={ANSWERS} rows={answers} rowKey="status" />
    </Stack>
  );
}
