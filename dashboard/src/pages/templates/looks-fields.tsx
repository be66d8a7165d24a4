// How a template's invoices look: what is printed beside their own content.
// What belongs here: those fields.
import { SimpleGrid, Stack, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { templates as words } from "../../strings/templates.ts";
import { LogoField } from "./logo-field.tsx";
import type { TemplateValues } from "./template-values.ts";

/** Signatory, colour, UPI handle, terms and logo. */
export function LooksFields({ form }: { readonly form: UseFormReturnType<TemplateValues> }) {
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label={words.signatory} maxLength={100} {...form.getInputProps("signatory")} />
        <TextInput type="color" label={words.colour} {...form.getInputProps("colour")} />
        <TextInput label={words.upi} autoComplete="off" {...form.getInputProps("upi")} />
      </SimpleGrid>
      <Textarea label={words.terms} autosize minRows={3} maxLength={2000} {...form.getInputProps("terms")} />
      <LogoField form={form} />
    </Stack>
  );
}
