// What stands at the head of an invoice beside customer and dates: template, cycle, franchise, the template's own fields.
import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { fieldsOf } from "../form.tsx";
import type { FormChoices } from "./form-choices.ts";
import { withTemplate, type InvoiceValues, type TemplateChoice } from "./invoice-values.ts";

type Form = UseFormReturnType<InvoiceValues>;
type TemplateProps = { readonly form: Form; readonly templates: readonly TemplateChoice[] };

/** The template; nothing where there is no other one. */
export function TemplateField({ form, templates }: TemplateProps) {
  if (templates.length <= 1) return null;
  return (
    <NativeSelect
      label={words.template}
      maw={480}
      data={templates.map(({ template_id, name }) => ({ value: template_id, label: name }))}
      value={form.values.template_id}
      onChange={({ currentTarget: { value } }) => {
        const chosen = templates.find(({ template_id }) => template_id === value);
        if (chosen) form.setValues(withTemplate(form.values, chosen));
      }}
    />
  );
}

/** Cycle, franchise and the template's fields, for a grid. */
export function HeadFields({ form, choices }: { readonly form: Form; readonly choices: FormChoices }) {
  const field = fieldsOf(form);
  const franchises = choices.franchises.map(({ franchise_id, name }) => ({ value: franchise_id, label: name }));
  return (
    <>
      <TextInput {...field("bill_cycle_name", words.cycle)} placeholder={words.cycleHint} maxLength={100} />
      {franchises.length > 0 && (
        <NativeSelect
          {...field("franchise_id", words.franchise)}
          data={[{ value: "", label: words.noFranchise }, ...franchises]}
        />
      )}
      {form.values.custom_header_fields.map(({ id, name, type }, place) => {
        const props = { label: name || id, ...form.getInputProps(`custom_header_fields.${place}.value`) };
        if (type === "textarea") return <Textarea key={id} autosize minRows={1} {...props} />;
        return <TextInput key={id} type={type === "date" ? "date" : "text"} {...props} />;
      })}
    </>
  );
}
