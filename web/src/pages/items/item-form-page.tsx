// The form of an item, new or known: its members by their kinds.
import { Checkbox, NativeSelect, type NativeSelectProps, SimpleGrid, Textarea, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { ITEM_MEMBERS, itemTexts, type ItemName, type ItemTexts } from "../../../../src/items/item-members.ts";
import { gstRatesOn, HSN_PATTERN, TAX_TREATMENTS } from "../../../../src/platform/gst.ts";
import { formatThousandths } from "../../../../src/platform/money.ts";
import { api, ApiError } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useLoaded, useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { amount, type Check, matching, rate } from "../../forms/checks.ts";
import { type ApiForm, Form, MoneyField, useApiForm } from "../../forms/form.tsx";
import { items as words, units } from "../../strings/items.ts";
import { fieldErrors } from "../../strings/refusals.ts";
import { treatmentName, unitName } from "./item-values.ts";

type Item = Answer<"GET", "/items/:item_id">["item"];
type Values = { -readonly [Name in ItemName]: string };
type Member = (typeof ITEM_MEMBERS)[number];

type Props = {
  /** `null` for a new one. */
  readonly item: Item | null;
  readonly save: (values: ItemTexts) => Promise<{ readonly item: Item }>;
};

const NEW: Partial<Values> = { gst: "0", cess_percentage: "0", price_includes_tax: "0", tax_treatment: "taxable" };
/** The members that decide the tax; the other panel has the rest. */
const TAX_NAMES: ReadonlySet<ItemName> = new Set<ItemName>([
  "unit_price",
  "price_includes_tax",
  "gst",
  "cess_percentage",
  "tax_treatment",
]);
const CHECKS: { readonly [Kind in Member["kind"]]?: Check } = {
  hsn: matching(HSN_PATTERN, fieldErrors.hsn),
  amount,
  rate,
};
const VALIDATE = Object.fromEntries(
  ITEM_MEMBERS.map(({ name, kind }) => [
    name,
    (text: string) => (text.trim() === "" ? null : (CHECKS[kind]?.(text.trim()) ?? null)),
  ]),
);

/** Add or edit an item, as the address says. */
export function Page() {
  const { itemId }: { itemId?: string } = useParams({ strict: false });
  return itemId === undefined ? <NewItem /> : <EditItem itemId={itemId} />;
}

function EditItem({ itemId }: { readonly itemId: string }) {
  const { item } = useLoaded(`/items/${itemId}`);
  return <ItemForm item={item} save={(body) => api("PUT", `/items/${itemId}`, { body })} />;
}

function NewItem() {
  const [requestKey, renewKey] = useRequestKey();
  const save: Props["save"] = async (body) => {
    try {
      return await api("POST", "/items", { key: requestKey, body });
    } catch (error) {
      // A refused request has saved nothing, so the next try may have other values.
      if (error instanceof ApiError && error.status !== 0) renewKey();
      throw error;
    }
  };
  return <ItemForm item={null} save={save} />;
}

function ItemForm({ item, save }: Props) {
  const navigate = useNavigate();
  const sent = useApiForm<Values, { readonly item: Item }>({
    initialValues: itemTexts((name) => item?.[name] ?? NEW[name] ?? ""),
    validate: VALIDATE,
    submit: (values) => save(withoutTax(values)),
    draft: `item-${item?.item_id ?? "new"}`,
    changes: ["/items"],
    done: words.saved,
    onDone: ({ item: saved }) => navigate({ to: `/items/${saved.item_id}` }),
  });
  const leave = () => void navigate({ to: item ? `/items/${item.item_id}` : "/items" });
  const fieldsOf = (isTax: boolean) => (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {ITEM_MEMBERS.filter(({ name }) => TAX_NAMES.has(name) === isTax).map((member) => (
        <ItemField key={member.name} member={member} of={sent} />
      ))}
    </SimpleGrid>
  );
  return (
    <Outline title={item ? words.editTitle(item.name) : words.add}>
      <Form of={sent} label={words.save} onCancel={leave} gap="lg">
        <Panel title={words.what}>{fieldsOf(false)}</Panel>
        <Panel title={words.tax}>{fieldsOf(true)}</Panel>
      </Form>
    </Outline>
  );
}

/** An untaxed item has no rates, so the form hides them. */
function withoutTax(values: Values): ItemTexts {
  return values.tax_treatment === "taxable" ? values : { ...values, gst: "0", cess_percentage: "0" };
}

type FieldProps = { readonly member: Member; readonly of: ApiForm<Values> };

function ItemField({ member, of }: FieldProps) {
  const { name, kind } = member;
  const { form, field } = of;
  const includesTax = form.values.price_includes_tax === "1";
  const props = field(name, words.fields[name]);
  if (kind === "unit") return <NativeSelect {...props} data={UNIT_CHOICES()} />;
  if (kind === "treatment") return <NativeSelect {...props} data={TREATMENT_CHOICES()} />;
  if (kind === "amount") {
    return <MoneyField {...props} description={includesTax ? words.priceWithTaxHint : words.priceHint} />;
  }
  if (kind === "flag") {
    return (
      <Checkbox
        label={words.fields[name]}
        checked={form.values[name] === "1"}
        onChange={({ currentTarget }) => form.setFieldValue(name, currentTarget.checked ? "1" : "0")}
        error={form.errors[name]}
        mt={{ base: 0, sm: 30 }}
      />
    );
  }
  if (kind === "rate") {
    if (form.values.tax_treatment !== "taxable") return null;
    if (name === "gst") return <RateField {...props} initial={form.getInitialValues()[name]} />;
    return <TextInput inputMode="decimal" autoComplete="off" {...props} />;
  }
  if (name === "description") return <Textarea autosize minRows={2} maxRows={10} {...props} />;
  return (
    <TextInput
      autoComplete="off"
      required={"isRequired" in member}
      inputMode={kind === "hsn" ? "numeric" : undefined}
      {...props}
    />
  );
}

type RateProps = NativeSelectProps & { readonly initial: string };

/** The rates of today, and the one that the item has already. */
function RateField({ initial, ...props }: RateProps) {
  const rates = gstRatesOn(useMerchant().today).map(formatThousandths);
  const all = rates.includes(initial) ? rates : [...rates, initial];
  return <NativeSelect {...props} data={all.map((value) => ({ value, label: `${value}%` }))} />;
}

const UNIT_CHOICES = () => [
  { value: "", label: words.noUnit },
  ...Object.keys(units).map((code) => ({ value: code, label: unitName(code) })),
];

const TREATMENT_CHOICES = () => TAX_TREATMENTS.map((value) => ({ value, label: treatmentName(value) }));
