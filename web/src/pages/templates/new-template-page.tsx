// A new template: its numbers, which stay, and everything that it begins with.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useLoaded, useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Page as Outline } from "../../components/page.tsx";
import { gstinDoubts } from "../../forms/doubts.ts";
import { useApiForm } from "../../forms/form.tsx";
import { templates as words } from "../../strings/templates.ts";
import { NumberFields } from "./fields.tsx";
import { TemplateForm } from "./template-form.tsx";
import { CHANGES, contentOf, emptyTemplate, type TemplateValues } from "./template-values.ts";

/** Add a template. */
export function Page() {
  const navigate = useNavigate();
  const { today } = useMerchant();
  const {
    profile,
    next_credit_number: sharedCredit,
    next_debit_number: sharedDebit,
    has_bank_account: hasBankAccount,
  } = useLoaded("/session/templates/form");
  const [key] = useRequestKey();
  const [empty] = useState(emptyTemplate);
  const sent = useApiForm({
    initialValues: empty,
    doubts: ({ company }) => gstinDoubts(company.gstin, ""),
    submit: (values) => {
      const { name, credit_prefix, debit_prefix } = values;
      const make_default = values.make_default ? 1 : 0;
      const body = { name, ...seriesOf(values), credit_prefix, debit_prefix, make_default };
      return api("POST", "/templates", { key, body: { ...body, ...contentOf(values, empty, false) } });
    },
    savedAlready: words.savedAlready,
    changes: CHANGES,
    done: words.saved,
    onDone: ({ template_id }) => navigate({ to: `/templates/${template_id}` }),
  });
  const { values } = sent.form;
  return (
    <Outline title={words.add}>
      <TemplateForm
        sent={sent}
        numbers={<NumberFields form={sent.form} today={today} sharedCredit={sharedCredit} sharedDebit={sharedDebit} />}
        profile={profile}
        panHint={null}
        hasBankAccount={hasBankAccount}
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
