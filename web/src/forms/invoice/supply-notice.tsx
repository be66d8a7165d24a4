// What decides the kind of tax of the invoice in the form: the customer's GSTIN and state, as the server reads them.
import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect } from "react";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import type { FormKind } from "./form-choices.ts";
import type { InvoiceValues } from "./invoice-values.ts";

type SupplyKind = FormKind | "customers";
export type Supply = Answer<"GET", `/${SupplyKind}/supply`>;

const TYPING_MS = 350;
const GSTIN_LENGTH = 15;

/** What is known of the customer in the form of an invoice; `undefined` while nothing is. */
export function useSupply(of: FormKind, values: InvoiceValues): Supply | undefined {
  const { template_id, customer, is_new_customer: isNew, new_customer: typed } = values;
  return useSupplyOf(
    of,
    isNew ? { template_id, ...askedBy(typed) } : { template_id, customer_code: customer?.customer_code ?? "" },
  );
}

type Typed = { readonly gstin: string; readonly state: string };

/** What is asked about somebody with these. What is half typed says nothing yet. */
export function askedBy({ gstin, state }: Typed): Typed {
  return { gstin: gstin.trim().length === GSTIN_LENGTH ? gstin.trim() : "", state: state.trim() };
}

/** What the server says of a GSTIN, a state or a customer, a moment after the last key. */
export function useSupplyOf(of: SupplyKind, question: Readonly<Record<string, string>>): Supply | undefined {
  const [asked] = useDebouncedValue(JSON.stringify(question), TYPING_MS);
  const query = JSON.parse(asked) as Readonly<Record<string, string>>;
  const isKnown = ["gstin", "state", "customer_code"].some((name) => query[name]);
  const { data } = useGet(`/${of}/supply`, { query, enabled: isKnown });
  return isKnown ? data : undefined;
}

/** Fills the state from a GSTIN that is typed, where none was chosen. */
export function useStateOfGstin({ gstin, state }: Typed, supply: Supply | undefined, fill: (state: string) => unknown) {
  const found = supply?.gstin === gstin.trim().toUpperCase() ? supply.gstin_state : "";
  useEffect(() => {
    if (gstin !== "" && found !== "" && state === "") fill(found);
    // Once for each GSTIN: a state that is taken back stays so.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [found]);
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
  readonly isShownAtField?: boolean;
};

/** GSTIN, state and kind of tax in one line, and what contradicts. */
export function SupplyNotice({ supply, isShownAtField = false }: NoticeProps) {
  if (!supply) return null;
  const { gstin, gstin_state, address_state, taxes } = supply;
  const contradiction = isShownAtField ? null : contradictionOf(supply);
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
