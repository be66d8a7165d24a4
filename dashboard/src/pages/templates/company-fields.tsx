// The company as a template's invoices show it, where that differs from the profile.
// What belongs here: those fields.
import { SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { hasWrongCheckDigit } from "../../format/check-digits.ts";
import { profile as profileWords } from "../../strings/profile.ts";
import { templates as words } from "../../strings/templates.ts";
import { COMPANY_FIELDS, type Company } from "./template.ts";
import type { TemplateValues } from "./template-values.ts";

const KINDS: Partial<Record<keyof Company, { readonly type?: string; readonly inputMode?: "numeric" | "tel" }>> = {
  email: { type: "email" },
  mobile: { inputMode: "tel" },
  zipcode: { inputMode: "numeric" },
};

type Props = {
  readonly form: UseFormReturnType<TemplateValues>;
  readonly profile: Company;
  /** Said below the PAN where the template has one that may not be seen. */
  readonly panHint: string | null;
};

/** One field for each detail; the profile's stands in those that are empty. */
export function CompanyFields({ form, profile, panHint }: Props) {
  const hints: Partial<Record<keyof Company, string>> = {
    ...(hasWrongCheckDigit(form.values.company.gstin) ? { gstin: words.wrongCheckDigit } : {}),
    ...(panHint === null ? {} : { pan: panHint }),
  };
  return (
    <Stack gap="sm">
      <Text c="dimmed">{words.companyHint}</Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {COMPANY_FIELDS.map((name) => (
          <TextInput
            key={name}
            label={profileWords.fields[name]}
            placeholder={profile[name]}
            autoComplete="off"
            description={hints[name]}
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...KINDS[name]}
            {...form.getInputProps(`company.${name}`)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
