// What a row bills: typed freely, or chosen from the catalogue, which then fills the row.
import { Autocomplete, type AutocompleteProps, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { LineTexts } from "../../../../src/invoices/lines/line.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { rupees } from "../../format/money.ts";

type Item = Answer<"GET", "/items">["items"][number];

type Props = AutocompleteProps & {
  readonly value: string;
  readonly onChoose: (row: Partial<LineTexts>) => void;
};

const TYPING_MS = 200;
const OFFERED = "8";

/** The field; while somebody types in it, it offers items that match. */
export function ItemField({ value, onChoose, ...props }: Props) {
  // Before the first key nothing is offered: a form that is opened asks for nothing.
  const [isTyping, setTyping] = useState(false);
  const [search] = useDebouncedValue(value.trim(), TYPING_MS);
  const enabled = isTyping && search !== "";
  const query = { search, limit: OFFERED };
  const { data } = useGet("/items", { query, enabled, placeholderData: keepPreviousData });
  const found = new Map((enabled ? (data?.items ?? []) : []).map((item) => [item.item_code, item]));
  return (
    <Autocomplete
      {...props}
      value={value}
      data={[...found.values()].map(({ item_code, name }) => ({ value: item_code, label: name }))}
      // The server has looked already.
      filter={({ options }) => options}
      renderOption={({ option }) => <Offer item={found.get(option.value)!} />}
      openOnFocus={false}
      dropdownOpened={found.size > 0}
      onDropdownClose={() => setTyping(false)}
      onChange={(text) => {
        setTyping(true);
        props.onChange?.(text);
      }}
      onBlur={(event) => {
        setTyping(false);
        props.onBlur?.(event);
      }}
      onOptionSubmit={(code) => onChoose(rowOf(found.get(code)!))}
      comboboxProps={{ keepMounted: false, width: "max-content", position: "bottom-start" }}
    />
  );
}

function Offer({ item: { name, item_code, sac_code, unit_price } }: { readonly item: Item }) {
  const facts = [item_code, sac_code, unit_price === "" ? "" : rupees(unit_price)];
  return (
    <div>
      {name}
      <Text size="sm" c="dimmed">
        {facts.filter((fact) => fact !== "").join(" · ")}
      </Text>
    </div>
  );
}

/** What an item says of a row. A price that it does not have stays as it is typed. */
function rowOf(item: Item): Partial<LineTexts> {
  const isTaxable = item.tax_treatment === "taxable";
  return {
    item: item.name,
    sac_code: item.sac_code,
    description: item.description,
    unit: item.unit,
    tax_treatment: isTaxable ? "" : item.tax_treatment,
    gst: isTaxable ? item.gst : "",
    cess_percentage: item.cess_percentage === "0" ? "" : item.cess_percentage,
    ...(item.unit_price === ""
      ? {}
      : { unit_price: item.unit_price, price_includes_tax: item.price_includes_tax === "1" ? "1" : "" }),
  };
}
