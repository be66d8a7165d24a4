// One template: what an invoice from it looks like, and its looks to change.
// What belongs here: the arrangement. The sample comes from the server after each change.
import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { FramedPage } from "../../components/framed-page.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { FileUpload } from "../../forms/file-upload.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { templates as words } from "../../strings/templates.ts";
import { LooksFields } from "./looks-fields.tsx";
import { templateQuery, type Looks, type Template } from "./template.ts";

/** A template. */
export function Page() {
  const { templateId = "" }: { templateId?: string } = useParams({ strict: false });
  const mayManage = usePermissions()("templates.manage");
  const { template, html } = useSuspenseQuery(templateQuery(templateId)).data;
  return (
    <Outline
      title={template.name}
      badge={template.is_default ? <StatusBadge status={words.isDefault} tone="info" /> : undefined}
      actions={mayManage && !template.is_default && <MakeDefault template={template} />}
    >
      <Panel title={words.numbers}>
        <Facts
          facts={[
            { label: words.nextNumber, value: template.next_number },
            { label: words.nextCredit, value: template.next_credit_number },
          ]}
        />
      </Panel>
      {mayManage && <LooksPanel key={templateId} template={template} />}
      {mayManage && <LogoPanel template={template} />}
      <Panel title={words.preview}>
        <FramedPage html={html} title={words.previewTitle} />
      </Panel>
    </Outline>
  );
}

function MakeDefault({ template }: { readonly template: Template }) {
  const { mutate, isPending, error } = useChange(() => api("POST", `/templates/${template.template_id}/default`));
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        {words.makeDefault}
      </Button>
    </>
  );
}

function LooksPanel({ template }: { readonly template: Template }) {
  const queries = useQueryClient();
  const { name, terms, signatory, colour, upi } = template;
  const sent = useApiForm<Looks, unknown>({
    initialValues: { name, terms, signatory, colour, upi },
    submit: (body) => namingFields(() => api("PUT", `/templates/${template.template_id}`, { body })),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: ["/templates"] });
      notifications.show({ color: "green", message: words.saved });
    },
  });
  return (
    <Panel title={words.looks}>
      <form onSubmit={sent.onSubmit} noValidate>
        <Stack>
          <FormError error={sent.error} />
          <LooksFields form={sent.form} />
          <Text c="dimmed">{words.looksHint}</Text>
          <SubmitRow of={sent} label={words.save} />
        </Stack>
      </form>
    </Panel>
  );
}

function LogoPanel({ template }: { readonly template: Template }) {
  const queries = useQueryClient();
  const path = `/templates/${template.template_id}/logo`;
  const { mutate, isPending, error } = useChange(() => api("DELETE", path));
  return (
    <Panel title={words.logo}>
      <Stack>
        {error && <ErrorNotice error={error} />}
        <Group align="flex-start">
          <FileUpload
            path={path}
            accept="image/png,image/jpeg,image/svg+xml"
            label={words.logoLabel}
            hint={words.logoHint}
            onDone={() => void queries.invalidateQueries({ queryKey: ["/templates"] })}
          />
          {template.has_logo && (
            <Button variant="default" loading={isPending} onClick={() => mutate()}>
              {words.removeLogo}
            </Button>
          )}
        </Group>
      </Stack>
    </Panel>
  );
}

/** A change without a form, after which everything about templates is asked for anew. */
function useChange(change: () => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["/templates"] }),
  });
}
