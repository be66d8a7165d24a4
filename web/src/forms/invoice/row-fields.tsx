// The rows of an invoice in a form, and those that invoices of a template begin with.
import { Group, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { KeyboardEvent } from "react";
import { Action } from "../../components/actions.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { fieldsOf } from "../form.tsx";
import { fieldList, ListItem, type FieldList } from "../list-item.tsx";
import { makeRow, type InvoiceValues } from "./invoice-values.ts";
import classes from "./row-fields.module.css";

const ITEM_WORDS = { legend: words.rowLegend, up: words.moveUp, down: words.moveDown, remove: words.remove };

type Props = {
  readonly form: UseFormReturnType<Pick<InvoiceValues, "particular_rows">>;
  /** Whether each row has a rate of GST. */
  readonly hasRates: boolean;
  /** How many rows have to stay. */
  readonly least?: number;
};

/** The list of rows. */
export function RowFields({ form, hasRates, least = 1 }: Props) {
  const rows = form.values.particular_rows;
  const list = fieldList(form, "particular_rows", rows.length);
  return (
    <Stack gap="sm" className={classes["rows"]}>
      {rows.length > 0 && (
        <Stack gap="sm" className={classes["list"]}>
          <Head hasRates={hasRates} />
          {rows.map((row, place) => (
            <RowField key={row.key} form={form} hasRates={hasRates} least={least} list={list} place={place} />
          ))}
        </Stack>
      )}
      {typeof form.errors["particular_rows"] === "string" && (
        <Text c="var(--mantine-color-error)" size="sm">
          {form.errors["particular_rows"]}
        </Text>
      )}
      <Group justify="space-between">
        <Action label={words.addRow} onClick={() => list.add(makeRow())} />
        <Text size="sm" c="dimmed" visibleFrom="sm">
          {words.rowKeys}
        </Text>
      </Group>
    </Stack>
  );
}

/** The headings of the table. Each field has its own label, for who does not see them. */
function Head({ hasRates }: Pick<Props, "hasRates">) {
  const titles = [words.item, words.description, words.sacCode, ...(hasRates ? [words.gst] : []), words.rowAmount];
  return (
    <div className={classes["head"]} data-rates={hasRates} aria-hidden>
      {titles.map((title) => (
        <span key={title}>{title}</span>
      ))}
    </div>
  );
}

const LOOK = { label: classes["label"]!, input: classes["input"]! };

type RowProps = Required<Props> & { readonly list: FieldList; readonly place: number };

function RowField({ form, hasRates, least, list, place }: RowProps) {
  const field = fieldsOf(form);
  const path = `particular_rows.${place}` as const;
  const onAmountKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== "Enter" || place !== list.count - 1) return;
    event.preventDefault();
    list.add(makeRow());
  };
  return (
    <ListItem
      list={list}
      place={place}
      words={ITEM_WORDS}
      least={least}
      className={classes["item"]}
      buttonsClassName={classes["buttons"]}
    >
      {(buttons) => (
        <div className={classes["fields"]} data-rates={hasRates}>
          <TextInput {...field(`${path}.item`, words.item)} classNames={LOOK} />
          <TextInput {...field(`${path}.description`, words.description)} classNames={LOOK} />
          <TextInput {...field(`${path}.sac_code`, words.sacCode)} classNames={LOOK} />
          {hasRates && <TextInput {...field(`${path}.gst`, words.gst)} classNames={LOOK} inputMode="decimal" />}
          <TextInput
            {...field(`${path}.total_amount`, words.rowAmount)}
            inputMode="decimal"
            leftSection="₹"
            classNames={{ ...LOOK, input: `${LOOK.input} ${classes["amount"]!}` }}
            onKeyDown={onAmountKey}
          />
          {buttons}
        </div>
      )}
    </ListItem>
  );
}
