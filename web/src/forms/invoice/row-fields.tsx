// The rows of an invoice in a form, and those that invoices of a template begin with.
import { Group, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { CSSProperties, KeyboardEvent } from "react";
import { FORM_MEMBERS, type LineKind } from "../../../../src/invoices/lines/line.ts";
import { Action } from "../../components/actions.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { lineLabels } from "../../strings/invoice-lines.ts";
import { fieldsOf } from "../form.tsx";
import { fieldList, ListItem, type FieldList } from "../list-item.tsx";
import { makeRow, type InvoiceValues } from "./invoice-values.ts";
import { LINE_KINDS } from "./line-kinds.ts";
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
  const columns = membersOf(hasRates)
    .map(({ width }) => width)
    .join(" ");
  return (
    <Stack gap="sm" className={classes["rows"]} style={{ "--line-columns": columns }}>
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
  return (
    <div className={classes["head"]} aria-hidden>
      {membersOf(hasRates).map(({ name, kind }) => (
        <span key={name} data-money={LINE_KINDS[kind].isMoney}>
          {lineLabels[name]}
        </span>
      ))}
    </div>
  );
}

/** The members that the form asks for. */
function membersOf(hasRates: boolean) {
  return FORM_MEMBERS.filter((member) => hasRates || !("isTax" in member));
}

const LOOK = { label: classes["label"]!, input: classes["input"]! };

function lookOf(kind: LineKind) {
  const { isDecimal, isMoney } = LINE_KINDS[kind];
  return {
    ...(isDecimal ? { inputMode: "decimal" as const } : {}),
    ...(isMoney ? { leftSection: "₹" } : {}),
    classNames: isMoney ? { ...LOOK, input: `${LOOK.input} ${classes["amount"]!}` } : LOOK,
  };
}

type RowProps = Required<Props> & { readonly list: FieldList; readonly place: number };

function RowField({ form, hasRates, least, list, place }: RowProps) {
  const field = fieldsOf(form);
  const path = `particular_rows.${place}` as const;
  const members = membersOf(hasRates);
  const onLastKey = (event: KeyboardEvent<HTMLElement>): void => {
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
        <div className={classes["fields"]}>
          {members.map(({ name, kind, width }, index) => (
            <div
              key={name}
              className={classes["cell"]}
              data-wide={kind === "text"}
              style={{ "--line-width": width } as CSSProperties}
            >
              <TextInput
                {...field(`${path}.${name}`, lineLabels[name])}
                {...lookOf(kind)}
                {...(index === members.length - 1 ? { onKeyDown: onLastKey } : {})}
              />
            </div>
          ))}
          {buttons}
        </div>
      )}
    </ListItem>
  );
}
