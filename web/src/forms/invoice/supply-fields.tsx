// What decides about the tax besides the customer, and what else is printed of the supply. Folded, since most invoices need none.
import { Checkbox, NativeSelect, SimpleGrid, Stack, Textarea, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { useGet } from "../../api/queries.ts";
import { Action } from "../../components/actions.tsx";
import { Panel } from "../../components/page.tsx";
import { invoiceSupply as words } from "../../strings/invoice-supply.ts";
import { DateField } from "../date-field.tsx";
import { checksOf, fieldsOf } from "../form.tsx";
import { GstinField } from "../gstin-and-state.tsx";
import type { InvoiceValues } from "./invoice-values.ts";
import { hasSupply, SUPPLY_MEMBERS } from "./supply-values.ts";

type Props = { readonly form: UseFormReturnType<InvoiceValues> };

/** The panel. It opens for an invoice that says something, and for an error in it. */
export function SupplyFields({ form }: Props) {
  const [isOpened, setOpened] = useState<boolean | null>(null);
  // Also where a draft says something, which the form gets after its first picture.
  if (isOpened === null && hasSupply(form.values)) setOpened(true);
  const isWrong = Object.keys(form.errors).some((path) => SUPPLY_MEMBERS.some((name) => path.split(".")[0] === name));
  const isOpen = isOpened === true || isWrong;
  const toggle = (
    <Action
      label={isOpen ? words.hide : words.show}
      variant="subtle"
      aria-expanded={isOpen}
      onClick={() => setOpened(!isOpen)}
    />
  );
  return (
    <Panel title={words.title} actions={toggle}>
      {isOpen && <Fields form={form} />}
    </Panel>
  );
}

function Fields({ form }: Props) {
  const field = fieldsOf(form);
  const states = useGet("/states").data?.states ?? [];
  const isExport = form.values.supply_type.startsWith("export");
  const hasShipping = isExport || Object.values(form.values.shipping).some((text) => text !== "");
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          {...field("supply_type", words.type)}
          data={Object.entries(words.types).map(([value, label]) => ({ value: value === "auto" ? "" : value, label }))}
        />
        <NativeSelect
          {...field("place_of_supply", words.place)}
          data={[
            { value: "", label: words.placeOfCustomer },
            ...states.map(({ code, name }) => ({ value: code, label: `${code} ${name}` })),
          ]}
        />
        <Textarea {...field("delivery_address", words.delivery)} autosize minRows={1} maxLength={500} />
        <GstinField {...field("ecommerce_gstin", words.operator, words.operatorHint)} state="" />
      </SimpleGrid>
      {hasShipping && (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput {...field("shipping.bill_no", words.billNo)} inputMode="numeric" autoComplete="off" />
          <DateField {...field("shipping.bill_date", words.billDate)} />
          <TextInput {...field("shipping.port_code", words.port)} autoComplete="off" />
        </SimpleGrid>
      )}
      <Checkbox {...checksOf(form)("reverse_charge", words.reverseCharge, words.reverseChargeHint)} />
    </Stack>
  );
}
