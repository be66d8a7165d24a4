// A new webhook endpoint: where to, and which events.
// What belongs here: that dialog.
import { Checkbox, Fieldset, Modal, Radio, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { api } from "../../api/client.ts";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { parts } from "../../strings/shell.ts";
import { webhooks } from "../../strings/webhooks.ts";

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
export function WebhookForm({ kinds, types, onDone, onClose }: Props) {
  const sent = useApiForm({
    initialValues: EMPTY,
    submit: ({ url, description, all, events }) =>
      api<{ secret: string }>("POST", "/webhooks", {
        body: { url, description, events: all === "yes" ? null : withoutRepeats(events, kinds) },
      }),
    onDone: ({ secret }) => onDone(secret),
  });
  const { form } = sent;
  return (
    <Modal
      opened
      onClose={onClose}
      title={webhooks.addTitle}
      size="lg"
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <form onSubmit={sent.onSubmit}>
        <Stack gap="md">
          <FormError error={sent.error} />
          <TextInput
            label={webhooks.url}
            description={webhooks.urlHint}
            type="url"
            inputMode="url"
            required
            data-autofocus
            {...form.getInputProps("url")}
          />
          <TextInput label={webhooks.description} {...form.getInputProps("description")} />
          <Radio.Group label={webhooks.events} {...form.getInputProps("all")}>
            <Stack gap="xs" mt="xs">
              <Radio value="yes" label={webhooks.allEvents} />
              <Radio value="no" label={webhooks.chosenEvents} />
            </Stack>
          </Radio.Group>
          {form.values.all === "no" && (
            <Checkbox.Group label={webhooks.which} {...form.getInputProps("events")}>
              <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
                {kinds.map((kind) => (
                  <EventKind key={kind} kind={kind} types={types} isWhole={form.values.events.includes(kind)} />
                ))}
              </SimpleGrid>
            </Checkbox.Group>
          )}
          <SubmitRow of={sent} label={webhooks.create} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

type KindProps = { readonly kind: string; readonly types: readonly string[]; readonly isWhole: boolean };

/** All events of a kind, or some of them. */
function EventKind({ kind, types, isWhole }: KindProps) {
  const name = kind.slice(0, -2);
  return (
    <Fieldset legend={name}>
      <Stack gap={6}>
        <Checkbox value={kind} label={webhooks.whole(name)} />
        {types
          .filter((type) => type.startsWith(`${name}.`))
          .map((type) => (
            <Checkbox key={type} value={type} label={type.slice(name.length + 1)} disabled={isWhole} />
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
