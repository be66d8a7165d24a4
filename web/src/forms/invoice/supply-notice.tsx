// What decides the kind of tax of the invoice in the form: the customer's GSTIN and state, as the server reads them.
import { Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect } from "react";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import type { FormKind } from "./form-choices.ts";
import type { InvoiceValues } from "./invoice-values.ts";

type Supply = Answer<"GET", `/${FormKind}/supply`>;

const TYPING_MS = 350;
const GSTIN_LENGTH = 15;

/** What is known of the customer in the form; `undefined` while nothing is. */
export function useSupply(of: FormKind, { template_id, ...values }: InvoiceValues): Supply | undefined {
  const { customer, is_new_customer: isNew, new_customer: typed } = values;
  // What is half typed says nothing yet.
  const gstin = typed.gstin.trim().length === GSTIN_LENGTH ? typed.gstin.trim() : "";
  const state = typed.state.trim();
  const [asked] = useDebouncedValue(
    JSON.stringify(
      isNew ? { template_id, gstin, state } : { template_id, customer_code: customer?.customer_code ?? "" },
    ),
    TYPING_MS,
  );
  const query = JSON.parse(asked) as Readonly<Record<string, string>>;
  const isKnown = ["gstin", "state", "customer_code"].some((name) => query[name]);
  const { data } = useGet(`/${of}/supply`, { query, enabled: isKnown });
  return isKnown ? data : undefined;
}

/** Fills the state of a new customer from its GSTIN, where none was typed. */
export function useStateOfGstin(form: UseFormReturnType<InvoiceValues>, supply: Supply | undefined): void {
  const { gstin, state } = form.values.new_customer;
  const found = supply?.gstin === gstin.trim().toUpperCase() ? supply.gstin_state : "";
  const isNew = form.values.is_new_customer;
  useEffect(() => {
    if (isNew && gstin !== "" && found !== "" && state === "") form.setFieldValue("new_customer.state", found);
    // Once for each GSTIN: a state that is deleted stays so.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [found, isNew]);
}

/** The sentence that GSTIN and address are of two states; `null` where they are not. */
export function contradictionOf(supply: Supply | undefined): string | null {
  if (!supply || supply.gstin_state === "" || supply.address_state === "") return null;
  return supply.gstin_state === supply.address_state
    ? null
    : words.contradiction(supply.gstin_state, supply.address_state);
}

type NoticeProps = {
  readonly supply: Supply | undefined;
  /** The state is a field, which says itself what contradicts. */
  readonly isSaidAtField?: boolean;
};

/** GSTIN, state and kind of tax in one line, and what contradicts. */
export function SupplyNotice({ supply, isSaidAtField = false }: NoticeProps) {
  if (!supply) return null;
  const { gstin, gstin_state, address_state, taxes } = supply;
  const contradiction = isSaidAtField ? null : contradictionOf(supply);
  const tax = taxes === null ? words.taxUnknown : taxes.length === 0 ? words.taxNone : taxes.join(" + ");
  return (
    <div aria-live="polite">
      <Text size="sm" c="dimmed" data-testid="supply">
        {[gstin === "" ? words.noGstin : `GSTIN ${gstin}`, gstin_state || address_state || words.noState, tax].join(
          " · ",
        )}
      </Text>
      {contradiction !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {contradiction}
        </Text>
      )}
    </div>
  );
}
