// The rows of an invoice in a form, and those that invoices of a template begin with.
import { Checkbox, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { KeyboardEvent } from "react";
import { LINE_MEMBERS, type LineKind, type LineName, type LineTexts } from "../../../../src/invoices/lines/line.ts";
import { TAX_TREATMENTS } from "../../../../src/platform/gst.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { lineLabels, treatments } from "../../strings/invoice-lines.ts";
import { units } from "../../strings/items.ts";
import { fieldsOf } from "../form.tsx";
import { fieldList, ListItem, type FieldList } from "../list-item.tsx";
import { amountOfRow, makeRow, type InvoiceValues } from "./invoice-values.ts";
import { ItemField } from "./item-field.tsx";
import { LINE_KINDS } from "./line-kinds.ts";
import classes from "./row-fields.module.css";

const ITEM_WORDS = { legend: words.rowLegend, up: words.moveUp, down: words.moveDown, remove: words.remove };

/** Where there is room, a row has two lines of fields, one below the other in the same columns. */
const UPPER = ["item", "quantity", "unit", "unit_price", "gst", "total_amount"] as const;
const LOWER = [
  "description",
  "discount",
  "sac_code",
  "tax_treatment",
  "cess_percentage",
  "price_includes_tax",
] as const satisfies readonly Exclude<LineName, (typeof UPPER)[number]>[];

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

/** The headings of the upper line. Each field has its own label, for who does not see them. */
function Head({ hasRates }: Pick<Props, "hasRates">) {
  return (
    <div className={classes["head"]} aria-hidden>
      {UPPER.map((name) => (
        <span key={name} data-money={LINE_KINDS[memberOf(name).kind].isMoney}>
          {isAsked(name, hasRates) ? lineLabels[name] : ""}
        </span>
      ))}
    </div>
  );
}

function memberOf(name: LineName) {
  return LINE_MEMBERS.find((member) => member.name === name)!;
}

/** Whether the form asks for a member: with tax lines of the merchant's own, rows say nothing of tax. */
function isAsked(name: LineName, hasRates: boolean): boolean {
  return hasRates || !("isTax" in memberOf(name));
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

function RowField(props: RowProps) {
  const { hasRates, least, list, place } = props;
  const onLastKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== "Enter" || place !== list.count - 1) return;
    event.preventDefault();
    list.add(makeRow());
  };
  const cell = (name: LineName) => (
    <div
      key={name}
      className={classes["cell"]}
      data-wide={name === "item" || name === "description"}
      data-total={name === "total_amount"}
    >
      {isAsked(name, hasRates) && (
        <Cell {...props} name={name} {...(name === "total_amount" ? { onKeyDown: onLastKey } : {})} />
      )}
    </div>
  );
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
          {UPPER.map(cell)}
          {buttons}
          {LOWER.map(cell)}
        </div>
      )}
    </ListItem>
  );
}

type CellProps = RowProps & {
  readonly name: LineName;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
};

const UNIT_CHOICES = Object.entries(units).map(([value, meaning]) => ({ value, label: `${value} · ${meaning}` }));
const TREATMENT_CHOICES = TAX_TREATMENTS.map((value) => ({ value, label: treatments[value] }));

/** The field of one member. */
function Cell({ form, hasRates, place, name, onKeyDown }: CellProps) {
  const mayChooseItems = usePermissions()("items.view");
  const path = `particular_rows.${place}.${name}` as const;
  const { kind } = memberOf(name);
  const label = lineLabels[name];
  const props = fieldsOf(form)(path, label);
  const row = form.values.particular_rows[place]!;
  const set = (value: string): void => form.setFieldValue(path, value);
  if (kind === "flag") {
    const isOn = row[name] === "1";
    return <Checkbox className={classes["flag"]} label={label} checked={isOn} onChange={() => set(isOn ? "" : "1")} />;
  }
  if (kind === "unit" || kind === "treatment") {
    const isUnit = kind === "unit";
    return (
      <Select
        {...props}
        classNames={LOOK}
        data={isUnit ? UNIT_CHOICES : TREATMENT_CHOICES}
        value={row[name] || (isUnit ? null : "taxable")}
        onChange={(value) => set(value ?? "")}
        searchable={isUnit}
        allowDeselect={isUnit}
        rightSection={null}
        comboboxProps={{ width: "max-content", position: "bottom-start" }}
      />
    );
  }
  if (name === "item" && mayChooseItems) {
    const fill = (chosen: Partial<LineTexts>): void => {
      const asked = Object.entries(chosen).filter(([member]) => isAsked(member as LineName, hasRates));
      for (const [member, text] of asked) form.setFieldValue(`particular_rows.${place}.${member as LineName}`, text);
    };
    return <ItemField {...props} classNames={LOOK} value={row.item} onChoose={fill} />;
  }
  const computed = name === "total_amount" ? amountOfRow(row) : null;
  return (
    <TextInput
      {...props}
      {...lookOf(kind)}
      {...(computed === null ? {} : { value: computed, readOnly: true })}
      {...(LOWER.some((each) => each === name) ? { placeholder: label } : {})}
      {...(onKeyDown ? { onKeyDown } : {})}
    />
  );
}
