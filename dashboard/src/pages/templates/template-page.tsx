// One template: what an invoice from it looks like, and all of it that may change.
// What belongs here: the arrangement, for who may change it and who may not.
import { Button, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { FramedPage } from "../../components/framed-page.tsx";
import { HistoryLink } from "../../components/history-link.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { profile as profileWords } from "../../strings/profile.ts";
import { templates as words } from "../../strings/templates.ts";
import { afterChange } from "./after-change.ts";
import { formQuery, templateQuery, type Template } from "./template.ts";
import { TemplateForm } from "./template-form.tsx";
import { changesOf, contentOf, valuesOf, type TemplateValues } from "./template-values.ts";

/** A template. */
export function Page() {
  const { templateId = "" }: { templateId?: string } = useParams({ strict: false });
  const mayManage = usePermissions()("templates.manage");
  const { template, html } = useSuspenseQuery(templateQuery(templateId)).data;
  return (
    <Outline
      title={template.name}
      badge={template.is_default ? <StatusBadge status={words.isDefault} tone="info" /> : undefined}
      actions={
        <>
          <HistoryLink subjectId={templateId} />
          {mayManage && !template.is_default && <MakeDefault template={template} />}
        </>
      }
    >
      {mayManage ? (
        <Editor key={templateId} template={template} html={html} />
      ) : (
        <>
          <Panel title={words.numbers}>
            <Numbers template={template} />
          </Panel>
          <Panel title={words.preview}>
            <FramedPage html={html} title={words.previewTitle} />
          </Panel>
        </>
      )}
    </Outline>
  );
}

function Numbers({ template }: { readonly template: Template }) {
  return (
    <Facts
      facts={[
        { label: words.nextNumber, value: template.next_number },
        { label: words.nextCredit, value: template.next_credit_number },
      ]}
    />
  );
}

function MakeDefault({ template }: { readonly template: Template }) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api("POST", `/templates/${template.template_id}/default`),
    onSuccess: () => afterChange(queries),
  });
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        {words.makeDefault}
      </Button>
    </>
  );
}

function Editor({ template, html }: { readonly template: Template; readonly html: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const seesPan = usePermissions()("personal_data.reveal");
  const { profile } = useSuspenseQuery(formQuery).data;
  const [before, setBefore] = useState(() => valuesOf(template, seesPan));
  const sent = useApiForm<TemplateValues, { template: Template }>({
    initialValues: before,
    submit: (values) =>
      namingFields(() => {
        const body = changesOf(values, before);
        return api<{ template: Template }>("PUT", `/templates/${template.template_id}`, { body });
      }),
    onDone: async ({ template: saved }, form) => {
      // New header fields have their ids now, and what was typed is written as the server writes it.
      const values = valuesOf(saved, seesPan);
      setBefore(values);
      form.setValues(values);
      await afterChange(queries);
      notifications.show({ color: "green", message: words.saved });
    },
  });
  return (
    <TemplateForm
      sent={sent}
      numbers={
        <Stack>
          <Numbers template={template} />
          <Text c="dimmed">{words.stays}</Text>
        </Stack>
      }
      profile={profile}
      panHint={!seesPan && template.company.pan !== "" ? profileWords.panHidden : null}
      preview={{ template_id: template.template_id, ...contentOf(sent.form.values, before, true) }}
      standing={html}
      onCancel={() => void navigate({ to: "/templates" })}
    />
  );
}
