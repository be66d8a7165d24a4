// When the invoices of a subscription are made, and until when.
// What belongs here: those fields. The dates that follow from them are dates-preview.tsx.
import { Checkbox, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { DateField } from "../../forms/fields.tsx";
import { daysAfter, daysBetween } from "../../format/time.ts";
import { newSubscription as words } from "../../strings/subscriptions.ts";
import { END_MODES, MODES, type SubscriptionValues } from "./subscription-values.ts";

type Props = { readonly form: UseFormReturnType<SubscriptionValues> };

/** The schedule. */
export function ScheduleFields({ form }: Props) {
  const { mode, repeat_every: every, start_date: start, due_date: due, end_mode: end } = form.values;
  /** The due date keeps its distance, as it will from each invoice to the next. */
  const begin = (date: string): void => {
    const days = daysBetween(start, due);
    form.setFieldValue("start_date", date);
    if (days !== null && daysBetween(start, date) !== null) form.setFieldValue("due_date", daysAfter(date, days));
  };
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
        <TextInput
          label={words.repeatEvery}
          inputMode="numeric"
          autoComplete="off"
          required
          {...form.getInputProps("repeat_every")}
        />
        <NativeSelect
          label={words.unit}
          data={MODES.map((value) => ({ value, label: words.units(value, every) }))}
          {...form.getInputProps("mode")}
        />
        <DateField
          label={words.firstBill}
          description={mode === "Monthly" && Number(start.slice(8)) > 28 ? words.monthsEnd : undefined}
          inputWrapperOrder={["label", "input", "description", "error"]}
          required
          {...form.getInputProps("start_date")}
          onChange={({ currentTarget }) => begin(currentTarget.value)}
        />
        <DateField label={words.firstDue} required {...form.getInputProps("due_date")} />
        <NativeSelect
          label={words.ends}
          data={END_MODES.map((value) => ({ value, label: words.endModes[value] }))}
          {...form.getInputProps("end_mode")}
        />
        {end === "Occurences" && (
          <TextInput
            label={words.occurrences}
            inputMode="numeric"
            autoComplete="off"
            required
            {...form.getInputProps("occurences")}
          />
        )}
        {end === "End date" && (
          <DateField
            label={words.endDate}
            description={words.endDateHint}
            inputWrapperOrder={["label", "input", "description", "error"]}
            required
            {...form.getInputProps("end_date")}
          />
        )}
      </SimpleGrid>
      <Checkbox
        label={words.carry}
        description={words.carryHint}
        {...form.getInputProps("carry_forword_dues", { type: "checkbox" })}
      />
    </Stack>
  );
}
