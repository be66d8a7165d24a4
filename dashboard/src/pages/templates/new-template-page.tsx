// A new template: its numbers, which stay, and everything that it begins with.
// What belongs here: what the form begins with, and saving.
import { notifications } from "@mantine/notifications";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, ApiError } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { useMerchant } from "../../api/session.ts";
import { Page as Outline } from "../../components/page.tsx";
import { namingFields } from "../../forms/nested-errors.ts";
import { useApiForm } from "../../forms/use-api-form.ts";
import { templates as words } from "../../strings/templates.ts";
import { NumberFields } from "./number-fields.tsx";
import { formQuery } from "./template.ts";
import { TemplateForm } from "./template-form.tsx";
import { contentOf, emptyTemplate, type TemplateValues } from "./template-values.ts";
import { afterChange } from "./after-change.ts";

/** Add a template. */
export function Page() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { today } = useMerchant();
  const { profile, next_credit_number: sharedCredit } = useSuspenseQuery(formQuery).data;
  const [key] = useRequestKey();
  const [empty] = useState(emptyTemplate);
  const sent = useApiForm<TemplateValues, { template_id: string }>({
    initialValues: empty,
    submit: (values) => {
      const { name, credit_prefix } = values;
      const make_default = values.make_default ? 1 : 0;
      const body = { request_key: key, name, ...seriesOf(values), credit_prefix, make_default };
      const content = contentOf(values, empty, false);
      return namingFields(() =>
        api<{ template_id: string }>("POST", "/templates", { body: { ...body, ...content } }),
      ).catch(explainKey);
    },
    onDone: async ({ template_id }) => {
      await afterChange(queries);
      notifications.show({ color: "green", message: words.saved });
      await navigate({ to: `/templates/${template_id}` });
    },
  });
  const { values } = sent.form;
  return (
    <Outline title={words.add}>
      <TemplateForm
        sent={sent}
        numbers={<NumberFields form={sent.form} today={today} sharedCredit={sharedCredit} />}
        profile={profile}
        panHint={null}
        preview={{ ...seriesOf(values), ...contentOf(values, empty, true) }}
        standing={null}
        onCancel={() => void navigate({ to: "/templates" })}
      />
    </Outline>
  );
}

function seriesOf({ prefix, width, yearly }: TemplateValues) {
  return { prefix, width, yearly: yearly ? 1 : 0 };
}

/** The same form was saved, the answer was lost, and something was typed since. */
function explainKey(error: unknown): never {
  if (error instanceof ApiError && error.code === "idempotency_conflict") {
    throw new ApiError(error.status, { error: words.savedAlready, code: error.code });
  }
  throw error;
}
