// The fields in the head of a template's invoices: added, removed and moved with mouse or keys.
import { Group, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { Action } from "../../components/actions.tsx";
import { fieldsOf } from "../../forms/form.tsx";
import { fieldList, ListItem, type FieldList } from "../../forms/list-item.tsx";
import { templates as words } from "../../strings/templates.ts";
import { makeHeaderField, type HeaderFieldValues, type TemplateValues } from "./template-values.ts";
import { HEADER_FIELD_TYPES, type HeaderField } from "./template.ts";

const TYPES = HEADER_FIELD_TYPES.map((value) => ({ value, label: words.fieldTypes[value] }));
const ITEM_WORDS = { legend: words.fieldLegend, up: words.fieldUp, down: words.fieldDown, remove: words.fieldRemove };

type Form = UseFormReturnType<TemplateValues>;

/** The list of header fields. */
export function HeaderFields({ form }: { readonly form: Form }) {
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
  readonly form: Form;
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
