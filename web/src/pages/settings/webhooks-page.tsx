// The webhook endpoints of a merchant.
import { Checkbox, Fieldset, Radio, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Page as Outline } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { FormDialog, SecretDialog } from "../../forms/dialogs.tsx";
import { deedInWords, eventInWords, kindInWords } from "../../format/event.ts";
import { webhooks } from "../../strings/webhooks.ts";
import { titles } from "../../strings/titles.ts";

type Endpoint = Answer<"GET", "/webhooks">["endpoints"][number];

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    key: "url",
    title: webhooks.url,
    sortable: true,
    render: ({ endpoint_id, url }) => (
      <LinkTo label={url} to={`/settings/webhooks/${endpoint_id}`} style={{ overflowWrap: "anywhere" }} />
    ),
  },
  {
    key: "events",
    title: webhooks.events,
    hideBelow: "md",
    render: ({ events }) => (events === "all" ? webhooks.allEvents : events.replaceAll(",", ", ")),
  },
  { key: "status", title: webhooks.status, sortable: true, as: "status" },
  { key: "behind", title: webhooks.behind, align: "right", sortable: true, hideBelow: "sm" },
  { key: "waiting", title: webhooks.waiting, align: "right", sortable: true, hideBelow: "sm" },
  { key: "failed", title: webhooks.failed, align: "right", sortable: true, hideBelow: "sm" },
];

/** Webhooks. */
export function Page() {
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const { data, ...found } = useGet("/webhooks");
  const add = <Action label={webhooks.add} primary onClick={() => setAdding(true)} disabled={!data} />;
  return (
    <Outline title={titles.webhooks} hint={webhooks.hint} actions={add}>
      <TablePanel
        caption={titles.webhooks}
        of={found}
        rows={data?.endpoints}
        columns={COLUMNS}
        rowKey="endpoint_id"
        empty={{ title: webhooks.empty, hint: webhooks.emptyHint }}
      />
      {isAdding && data && (
        <WebhookForm
          kinds={data.event_kinds}
          types={data.event_types}
          onDone={(shown) => {
            setAdding(false);
            setSecret(shown);
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={webhooks.secretTitle}
          hint={webhooks.secretHint}
          secrets={[{ label: webhooks.secret, value: secret }]}
          onClose={() => setSecret(null)}
        />
      )}
    </Outline>
  );
}

type Props = {
  /** `transfer.*` */
  readonly kinds: readonly string[];
  readonly types: readonly string[];
  /** Gets the secret, which is shown only now. */
  readonly onDone: (secret: string) => void;
  readonly onClose: () => void;
};

type Values = { url: string; description: string; all: string; events: string[] };
const EMPTY: Values = { url: "", description: "", all: "yes", events: [] };

/** The dialog of a new endpoint. */
function WebhookForm({ kinds, types, onDone, onClose }: Props) {
  return (
    <FormDialog
      title={webhooks.addTitle}
      label={webhooks.create}
      size="lg"
      initialValues={EMPTY}
      submit={({ url, description, all, events }) =>
        api("POST", "/webhooks", {
          body: { url, description, events: all === "yes" ? null : withoutRepeats(events, kinds) },
        })
      }
      changes={["/webhooks"]}
      onDone={({ secret }) => onDone(secret)}
      onClose={onClose}
    >
      {({ field, form }) => (
        <>
          <TextInput
            {...field("url", webhooks.url, webhooks.urlHint)}
            type="url"
            inputMode="url"
            required
            data-autofocus
          />
          <TextInput {...field("description", webhooks.description)} />
          <Radio.Group {...field("all", webhooks.events)}>
            <Stack gap="xs" mt="xs">
              <Radio value="yes" label={webhooks.allEvents} />
              <Radio value="no" label={webhooks.chosenEvents} />
            </Stack>
          </Radio.Group>
          {form.values.all === "no" && (
            <Checkbox.Group {...field("events", webhooks.which)}>
              <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
                {kinds.map((kind) => (
                  <EventKind key={kind} kind={kind} types={types} isWhole={form.values.events.includes(kind)} />
                ))}
              </SimpleGrid>
            </Checkbox.Group>
          )}
        </>
      )}
    </FormDialog>
  );
}

type KindProps = { readonly kind: string; readonly types: readonly string[]; readonly isWhole: boolean };

/** All events of a kind, or some of them. */
function EventKind({ kind, types, isWhole }: KindProps) {
  const name = kind.slice(0, -2);
  return (
    <Fieldset legend={kindInWords(name)}>
      <Stack gap={6}>
        <Checkbox value={kind} label={eventInWords(kind)} />
        {types
          .filter((type) => type.startsWith(`${name}.`))
          .map((type) => (
            <Checkbox key={type} value={type} label={deedInWords(type)} description={type} disabled={isWhole} />
          ))}
      </Stack>
    </Fieldset>
  );
}

/** A kind takes all of its types: naming them beside it says nothing more. */
function withoutRepeats(events: readonly string[], kinds: readonly string[]): string[] {
  const whole = events.filter((event) => kinds.includes(event));
  return events.filter((event) => whole.includes(event) || !whole.some((kind) => event.startsWith(kind.slice(0, -1))));
}
