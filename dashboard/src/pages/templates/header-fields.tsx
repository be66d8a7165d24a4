// The fields in the head of a template's invoices: added, removed and moved with mouse or keys.
// What belongs here: those fields.
import { Button, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { fieldList, ListItem, type FieldList } from "../../forms/list-item.tsx";
import { templates as words } from "../../strings/templates.ts";
import { HEADER_FIELD_TYPES, type HeaderField } from "./template.ts";
import { makeHeaderField, type HeaderFieldValues, type TemplateValues } from "./template-values.ts";

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
        <Button variant="default" onClick={() => list.add(makeHeaderField())}>
          {words.addField}
        </Button>
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

function Field({ form, field, list, place }: FieldProps) {
  const path = `header_fields.${place}`;
  const chooseType = (type: HeaderField["type"]): void => {
    form.setFieldValue(path, { ...field, type, value: valueFor(type, field.value) });
  };
  const value = { label: words.fieldValue, flex: "1 1 14rem", ...form.getInputProps(`${path}.value`) };
  const below =
    field.type === "textarea" ? (
      <Textarea autosize minRows={2} {...value} />
    ) : (
      <TextInput
        type={field.type === "date" ? "date" : "text"}
        {...(field.type === "number" ? { inputMode: "decimal" } : {})}
        {...value}
      />
    );
  return (
    <ListItem list={list} place={place} words={ITEM_WORDS} least={0} below={below}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={words.fieldName} required maxLength={100} {...form.getInputProps(`${path}.name`)} />
        <NativeSelect
          label={words.fieldType}
          data={TYPES}
          {...form.getInputProps(`${path}.type`)}
          onChange={({ currentTarget }) => chooseType(currentTarget.value as HeaderField["type"])}
        />
      </SimpleGrid>
    </ListItem>
  );
}

/** What of a value a field of another type can show; the rest would be sent without being seen. */
function valueFor(type: HeaderField["type"], value: string): string {
  if (type === "date") return /^\d{4}-\d\d-\d\d$/.test(value) ? value : "";
  return type === "textarea" ? value : value.replaceAll(/\s*\n\s*/g, " ");
}
