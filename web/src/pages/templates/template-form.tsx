// The form of a template, for a new one and for one that there is, with what its invoices look like beside it.
import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { Panel } from "../../components/page.tsx";
import { SideBySide } from "../../components/side-by-side.tsx";
import { Form, type ApiForm } from "../../forms/form.tsx";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { TaxLines } from "../../forms/invoice/tax-fields.tsx";
import { templates as words } from "../../strings/templates.ts";
import { CompanyFields, LooksFields } from "./fields.tsx";
import { HeaderFields } from "./header-fields.tsx";
import { LivePreview } from "./live-preview.tsx";
import type { TemplateValues } from "./template-values.ts";
import type { Company } from "./template.ts";

type Props = {
  readonly sent: ApiForm<TemplateValues>;
  /** What stands below the name. */
  readonly numbers: ReactNode;
  readonly profile: Company;
  readonly panHint: string | null;
  readonly hasBankAccount: boolean;
  /** What the preview is asked for with. */
  readonly preview: object;
  /** The preview of a template as it is; `null` for a new one. */
  readonly standing: string | null;
  readonly onCancel: () => void;
};

/** The form and its preview. */
export function TemplateForm({ sent, numbers, profile, panHint, preview, standing, onCancel, hasBankAccount }: Props) {
  const { form } = sent;
  // Of a picture only the server can tell, and who chose one is not typing any more.
  const refuseLogo = ({ logo }: Readonly<Record<string, string>>): void => {
    if (logo !== undefined) form.setFieldError("logo", logo);
  };
  return (
    <SideBySide width="26rem" aside={<LivePreview body={preview} first={standing} onRefused={refuseLogo} />}>
      <Form of={sent} label={words.save} onCancel={onCancel} gap="lg">
        <Panel title={words.nameAndNumbers}>
          <Stack>
            <TextInput {...sent.field("name", words.name)} required maxLength={100} />
            {numbers}
          </Stack>
        </Panel>
        <Panel title={words.looks}>
          <Stack>
            <LooksFields form={form} hasBankAccount={hasBankAccount} />
            {standing === null ? (
              <Checkbox {...sent.check("make_default", words.makeDefault)} />
            ) : (
              <Text c="dimmed">{words.looksHint}</Text>
            )}
          </Stack>
        </Panel>
        <Panel title={words.fields}>
          <HeaderFields form={form} />
        </Panel>
        <Panel title={words.rows}>
          <Stack gap="sm">
            <Text c="dimmed">{words.rowsHint}</Text>
            <RowFields form={form} hasRates={!form.values.has_own_taxes} least={0} />
          </Stack>
        </Panel>
        <Panel title={words.taxes}>
          <TaxLines form={form} />
        </Panel>
        <Panel title={words.company}>
          <CompanyFields form={form} profile={profile} panHint={panHint} />
        </Panel>
      </Form>
    </SideBySide>
  );
}
