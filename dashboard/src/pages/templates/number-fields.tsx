// How a new template is numbered, with the first numbers as they will be.
// What belongs here: those fields. The server says whether the numbers are free.
import { Checkbox, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { templates as words } from "../../strings/templates.ts";
import type { TemplateValues } from "./template-values.ts";

type Props = {
  readonly form: UseFormReturnType<TemplateValues>;
  /** The merchant's day. */
  readonly today: string;
  /** What the credit notes of the default template are numbered next; `null` where there is no template yet. */
  readonly sharedCredit: string | null;
};

/** Prefixes, digits, and whether they begin anew each year. */
export function NumberFields({ form, today, sharedCredit }: Props) {
  const { prefix, credit_prefix: creditPrefix, width } = form.values;
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={words.prefix}
          description={words.prefixHint}
          required
          autoComplete="off"
          {...form.getInputProps("prefix")}
        />
        <TextInput
          label={words.creditPrefix}
          description={sharedCredit === null ? words.creditOwn : words.creditShared(sharedCredit)}
          autoComplete="off"
          {...form.getInputProps("credit_prefix")}
        />
        <TextInput label={words.width} inputMode="numeric" {...form.getInputProps("width")} />
      </SimpleGrid>
      <Checkbox label={words.yearly} {...form.getInputProps("yearly", { type: "checkbox" })} />
      <div role="status">
        {prefix.trim() !== "" && <Text>{words.firstNumber(firstNumber(prefix, width, today))}</Text>}
        {creditPrefix.trim() !== "" && <Text>{words.firstCredit(firstNumber(creditPrefix, width, today))}</Text>}
      </div>
      <Text c="dimmed">{words.stays}</Text>
    </Stack>
  );
}

/** As the server will write it; what can't be one is refused there. */
function firstNumber(prefix: string, width: string, today: string): string {
  const year = Number(today.slice(2, 4)) - (today.slice(5, 7) < "04" ? 1 : 0);
  const years = `${String(year).padStart(2, "0")}${String((year + 1) % 100).padStart(2, "0")}`;
  return `${prefix.trim().replaceAll("{FY}", years)}${"1".padStart(Math.min(Number(width) || 1, 12), "0")}`;
}
