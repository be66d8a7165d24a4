// The rows of an invoice in its form: added, removed and moved with mouse or keys.
// What belongs here: those fields.
import { ActionIcon, Box, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { KeyboardEvent } from "react";
import { ArrowDownIcon, ArrowUpIcon, CrossIcon } from "../../components/icons.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { makeRow, type InvoiceValues } from "./invoice-values.ts";
import classes from "./row-fields.module.css";

type Props = { readonly form: UseFormReturnType<InvoiceValues>; readonly hasRates: boolean };

/** The list of rows. `hasRates`: whether each row has a rate of GST. */
export function RowFields({ form, hasRates }: Props) {
  const rows = form.values.particular_rows;
  const focusRow = (place: number): void => {
    requestAnimationFrame(() => document.querySelector<HTMLInputElement>(`[data-row-item="${place}"]`)?.focus());
  };
  const add = (): void => {
    form.insertListItem("particular_rows", makeRow());
    focusRow(rows.length);
  };
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= rows.length) return;
    form.reorderListItem("particular_rows", { from, to });
    focusRow(to);
  };
  return (
    <Stack gap="sm">
      {rows.map((row, place) => (
        <RowField
          key={row.key}
          form={form}
          hasRates={hasRates}
          place={place}
          count={rows.length}
          onMove={move}
          onRemove={() => {
            form.removeListItem("particular_rows", place);
            focusRow(Math.max(0, place - 1));
          }}
          onAdd={add}
        />
      ))}
      {typeof form.errors["particular_rows"] === "string" && (
        <Text c="var(--mantine-color-error)" size="sm">
          {form.errors["particular_rows"]}
        </Text>
      )}
      <Group justify="space-between">
        <Button variant="default" onClick={add}>
          {words.addRow}
        </Button>
        <Text size="sm" c="dimmed">
          {words.rowKeys}
        </Text>
      </Group>
    </Stack>
  );
}

type RowProps = Props & {
  readonly place: number;
  readonly count: number;
  readonly onMove: (from: number, to: number) => void;
  readonly onRemove: () => void;
  readonly onAdd: () => void;
};

function RowField({ form, hasRates, place, count, onMove, onRemove, onAdd }: RowProps) {
  const path = `particular_rows.${place}`;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    onMove(place, event.key === "ArrowUp" ? place - 1 : place + 1);
  };
  const onAmountKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== "Enter" || place !== count - 1) return;
    event.preventDefault();
    onAdd();
  };
  return (
    <Box component="fieldset" className={classes["row"]} onKeyDown={onKeyDown}>
      <legend className={classes["legend"]}>{words.rowLegend(place + 1)}</legend>
      <div className={classes["fields"]} data-rates={hasRates}>
        <TextInput label={words.item} data-row-item={place} {...form.getInputProps(`${path}.item`)} />
        <TextInput label={words.sacCode} {...form.getInputProps(`${path}.sac_code`)} />
        {hasRates && <TextInput label={words.gst} inputMode="decimal" {...form.getInputProps(`${path}.gst`)} />}
        <TextInput
          label={words.rowAmount}
          inputMode="decimal"
          leftSection="₹"
          classNames={{ input: classes["amount"]! }}
          onKeyDown={onAmountKey}
          {...form.getInputProps(`${path}.total_amount`)}
        />
      </div>
      <div className={classes["below"]}>
        <TextInput label={words.description} flex="1 1 14rem" {...form.getInputProps(`${path}.description`)} />
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="default"
            size="lg"
            disabled={place === 0}
            aria-label={words.moveUp(place + 1)}
            onClick={() => onMove(place, place - 1)}
          >
            <ArrowUpIcon />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size="lg"
            disabled={place === count - 1}
            aria-label={words.moveDown(place + 1)}
            onClick={() => onMove(place, place + 1)}
          >
            <ArrowDownIcon />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size="lg"
            disabled={count === 1}
            aria-label={words.remove(place + 1)}
            onClick={onRemove}
          >
            <CrossIcon />
          </ActionIcon>
        </Group>
      </div>
    </Box>
  );
}
