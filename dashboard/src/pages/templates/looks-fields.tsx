// The looks of a template, as both forms have them.
// What belongs here: those fields.
import { SimpleGrid, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { templates as words } from "../../strings/templates.ts";
import type { Looks } from "./template.ts";

/** What is printed. */
export function LooksFields({ form }: { readonly form: UseFormReturnType<Looks> }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput label={words.name} required {...form.getInputProps("name")} />
      <TextInput label={words.signatory} {...form.getInputProps("signatory")} />
      <TextInput type="color" label={words.colour} {...form.getInputProps("colour")} />
      <TextInput label={words.upi} autoComplete="off" {...form.getInputProps("upi")} />
      <Textarea label={words.terms} autosize minRows={3} {...form.getInputProps("terms")} />
    </SimpleGrid>
  );
}
