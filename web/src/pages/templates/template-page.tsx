// One template: a preview of its invoices, and a form of everything that may change.
import { Stack, Text } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { MenuButton } from "../../components/actions.tsx";
import { FramedPage } from "../../components/framed-page.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Facts, StatusBadge } from "../../components/values.tsx";
import { gstinDoubts } from "../../forms/doubts.ts";
import { useApiForm } from "../../forms/form.tsx";
import { profile as profileWords } from "../../strings/profile.ts";
import { templates as words } from "../../strings/templates.ts";
import { useTemplateActions } from "./template-actions.tsx";
import { TemplateForm } from "./template-form.tsx";
import { CHANGES, changesOf, contentOf, type Template, valuesOf } from "./template-values.ts";

/** A template. */
export function Page() {
  const { templateId = "" }: { templateId?: string } = useParams({ strict: false });
  const mayManage = usePermissions()("templates.manage");
  const { template, html } = useLoaded(`/templates/${templateId}`);
  const actions = useTemplateActions(template);
  return (
    <Outline
      title={template.name}
      badge={template.is_default ? <StatusBadge status={words.isDefault} tone="info" /> : undefined}
      actions={actions.map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={false} />
      ))}
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
        { label: words.nextDebit, value: template.next_debit_number },
      ]}
    />
  );
}

function Editor({ template, html }: { readonly template: Template; readonly html: string }) {
  const navigate = useNavigate();
  const seesPan = usePermissions()("personal_data.reveal");
  const { profile, has_bank_account: hasBankAccount } = useLoaded("/session/templates/form");
  const [before, setBefore] = useState(() => valuesOf(template, seesPan));
  const sent = useApiForm({
    initialValues: before,
    doubts: ({ company }) => gstinDoubts(company.gstin, before.company.gstin),
    submit: (values) => api("PUT", `/templates/${template.template_id}`, { body: changesOf(values, before) }),
    changes: CHANGES,
    done: words.saved,
    onDone: ({ template: saved }, form) => {
      // New header fields have their ids now, and what was typed is written as the server writes it.
      const values = valuesOf(saved, seesPan);
      setBefore(values);
      form.setValues(values);
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
      hasBankAccount={hasBankAccount}
      panHint={!seesPan && template.company.pan !== "" ? profileWords.panHidden : null}
      preview={{ template_id: template.template_id, ...contentOf(sent.form.values, before, true) }}
      standing={html}
      onCancel={() => void navigate({ to: "/templates" })}
    />
  );
}
