// A new template: its numbers, which stay, and its looks.
// What belongs here: the form in its page.
import { Checkbox, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { useMerchant } from "../../api/session.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { templates as words } from "../../strings/templates.ts";
import { LooksFields } from "./looks-fields.tsx";

const EMPTY = {
  name: "",
  prefix: "",
  width: "5",
  yearly: true,
  make_default: false,
  terms: "",
  signatory: "",
  colour: "#1f5fae",
  upi: "",
};

/** Add a template. */
export function Page() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { today } = useMerchant();
  const sent = useApiForm<typeof EMPTY, { template_id: string }>({
    initialValues: EMPTY,
    submit: (values) => {
      const flags = { yearly: values.yearly ? 1 : 0, make_default: values.make_default ? 1 : 0 };
      return namingFields(() => api("POST", "/templates", { body: { ...values, ...flags } }));
    },
    onDone: async ({ template_id }) => {
      await queries.invalidateQueries({ queryKey: ["/templates"] });
      notifications.show({ color: "green", message: words.saved });
      await navigate({ to: `/templates/${template_id}` });
    },
  });
  const { prefix, width } = sent.form.getValues();
  return (
    <Outline title={words.add}>
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack gap="lg">
          <FormError error={sent.error} />
          <Panel title={words.numbers}>
            <Stack>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <TextInput
                  label={words.prefix}
                  description={words.prefixHint}
                  required
                  {...sent.form.getInputProps("prefix")}
                />
                <TextInput label={words.width} inputMode="numeric" {...sent.form.getInputProps("width")} />
              </SimpleGrid>
              <Checkbox label={words.yearly} {...sent.form.getInputProps("yearly", { type: "checkbox" })} />
              {prefix !== "" && <Text role="status">{words.firstNumber(firstNumber(prefix, width, today))}</Text>}
              <Text c="dimmed">{words.stays}</Text>
            </Stack>
          </Panel>
          <Panel title={words.looks}>
            <Stack>
              <LooksFields form={sent.form} />
              <Checkbox label={words.makeDefault} {...sent.form.getInputProps("make_default", { type: "checkbox" })} />
            </Stack>
          </Panel>
          <SubmitRow of={sent} label={words.save} onCancel={() => void navigate({ to: "/templates" })} />
        </Stack>
      </form>
    </Outline>
  );
}

/** As the server will write it; what can't be one is refused there. */
function firstNumber(prefix: string, width: string, today: string): string {
  const year = Number(today.slice(2, 4)) - (today.slice(5, 7) < "04" ? 1 : 0);
  const years = `${String(year).padStart(2, "0")}${String((year + 1) % 100).padStart(2, "0")}`;
  return `${prefix.replaceAll("{FY}", years)}${"1".padStart(Math.min(Number(width) || 1, 12), "0")}`;
}
