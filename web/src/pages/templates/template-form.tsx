// The form of a template, with its header fields, for a new one and for one that there is, with what its invoices look like beside it.
import { Checkbox, Group, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { Panel, SideBySide } from "../../components/page.tsx";
import { type ApiForm, fieldsOf, Form, namingFields } from "../../forms/form.tsx";
import { RowFields } from "../../forms/invoice/row-fields.tsx";
import { TaxLines } from "../../forms/invoice/tax-fields.tsx";
import { templates as words } from "../../strings/templates.ts";
import { CompanyFields, LooksFields } from "./fields.tsx";
import {
  type Company,
  HEADER_FIELD_TYPES,
  type HeaderField,
  type HeaderFieldValues,
  makeHeaderField,
  type TemplateValues,
} from "./template-values.ts";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { api, ApiError } from "../../api/client.ts";
import { FramedPage } from "../../components/framed-page.tsx";
import { ErrorNotice, UnprintableNotice } from "../../components/notices.tsx";
import type { UseFormReturnType } from "@mantine/form";
import { Action } from "../../components/actions.tsx";
import { fieldList, type FieldList, ListItem } from "../../forms/list-item.tsx";

type Props = {
  readonly sent: ApiForm<TemplateValues>;
  /** The text below the name. */
  readonly numbers: ReactNode;
  readonly profile: Company;
  readonly panHint: string | null;
  readonly hasBankAccount: boolean;
  /** The body of the preview request. */
  readonly preview: object;
  /** The preview of a template as it is; `null` for a new one. */
  readonly standing: string | null;
  readonly onCancel: () => void;
};

/** The form and its preview. */
export function TemplateForm({ sent, numbers, profile, panHint, preview, standing, onCancel, hasBankAccount }: Props) {
  const { form } = sent;
  // Only the server can judge a picture, and choosing one is not typing.
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

const TYPING_MS = 400;

type PreviewProps = {
  readonly body: object;
  /** Shown until the first answer is there; `null` where there is nothing to show yet. */
  readonly first: string | null;
  /** Called with the fields that can't be previewed, by their names in the form. */
  readonly onRefused: (fields: Readonly<Record<string, string>>) => void;
};

/** The preview of what a request would save. */
function LivePreview({ body, first, onRefused }: PreviewProps) {
  const [asked] = useDebouncedValue(JSON.stringify(body), TYPING_MS);
  const { data, error } = useQuery({
    queryKey: ["/templates/preview", asked],
    queryFn: ({ signal }) =>
      api("POST", "/templates/preview", { body: JSON.parse(asked) as object, signal }).catch(namingFields),
    retry: false,
    // A key holds the whole form, with its logo.
    gcTime: 0,
  });
  const tell = useEffectEvent(onRefused);
  useEffect(() => {
    if (error && isOfForm(error)) tell(error.fields);
  }, [error]);
  // Kept if a later request is refused.
  const [html, setHtml] = useState(first);
  if (data && data.html !== html) setHtml(data.html);
  return (
    <Panel title={words.preview}>
      <Stack gap="sm">
        <div role="status">{error && isOfForm(error) && <Text size="sm">{waitsFor(error)}</Text>}</div>
        {error && !isOfForm(error) && <ErrorNotice error={error} />}
        {data && <UnprintableNotice letters={data.unprintable} />}
        {html !== null && <FramedPage html={html} title={words.previewTitle} />}
      </Stack>
    </Panel>
  );
}

/** Whether something in the form can't be read yet. */
function isOfForm(error: Error): error is ApiError {
  return error instanceof ApiError && error.code === "validation_failed";
}

function waitsFor({ fields }: ApiError): string {
  return `${words.previewWaits} ${Object.values(fields)[0] ?? ""}`;
}

const TYPES = HEADER_FIELD_TYPES.map((value) => ({ value, label: words.fieldTypes[value] }));
const ITEM_WORDS = { legend: words.fieldLegend, up: words.fieldUp, down: words.fieldDown, remove: words.fieldRemove };

type FormState = UseFormReturnType<TemplateValues>;

/** The list of header fields. */
function HeaderFields({ form }: { readonly form: FormState }) {
  const fields = form.values.header_fields;
  const list = fieldList(form, "header_fields", fields.length);
  return (
    <Stack gap="sm" align="stretch">
      <Text c="dimmed">{words.fieldsHint}</Text>
      {fields.map((field, place) => (
        <Field key={field.key} form={form} field={field} list={list} place={place} />
      ))}
      {typeof form.errors["header_fields"] === "string" && (
        <Text c="var(--mantine-color-error)" size="sm">
          {form.errors["header_fields"]}
        </Text>
      )}
      <div>
        <Action label={words.addField} onClick={() => list.add(makeHeaderField())} />
      </div>
    </Stack>
  );
}

type FieldProps = {
  readonly form: FormState;
  readonly field: HeaderFieldValues;
  readonly list: FieldList;
  readonly place: number;
};

function Field({ form, field: header, list, place }: FieldProps) {
  const field = fieldsOf(form);
  const path = `header_fields.${place}` as const;
  const chooseType = (type: HeaderField["type"]): void => {
    form.setFieldValue(path, { ...header, type, value: valueFor(type, header.value) });
  };
  const value = { label: words.fieldValue, flex: "1 1 14rem", ...form.getInputProps(`${path}.value`) };
  const below =
    header.type === "textarea" ? (
      <Textarea autosize minRows={2} {...value} />
    ) : (
      <TextInput
        type={header.type === "date" ? "date" : "text"}
        {...(header.type === "number" ? { inputMode: "decimal" } : {})}
        {...value}
      />
    );
  return (
    <ListItem list={list} place={place} words={ITEM_WORDS} least={0}>
      {(buttons) => (
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput {...field(`${path}.name`, words.fieldName)} required maxLength={100} />
            <NativeSelect
              {...field(`${path}.type`, words.fieldType)}
              data={TYPES}
              onChange={({ currentTarget }) => chooseType(currentTarget.value as HeaderField["type"])}
            />
          </SimpleGrid>
          <Group gap="sm" align="flex-end">
            {below}
            {buttons}
          </Group>
        </Stack>
      )}
    </ListItem>
  );
}

/** What of a value a field of another type can show; the rest would be sent without being seen. */
function valueFor(type: HeaderField["type"], value: string): string {
  if (type === "date") return /^\d{4}-\d\d-\d\d$/.test(value) ? value : "";
  return type === "textarea" ? value : value.replaceAll(/\s*\n\s*/g, " ");
}
