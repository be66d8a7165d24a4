// The form of a new receipt: who paid, how much, and which invoices use it.
import { Checkbox, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ChangeEvent, useState } from "react";
import type { Share } from "../../../../src/invoices/receipts/share-in-order.ts";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { api } from "../../api/client.ts";
import { useFresh, useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { CustomerPicker } from "../../components/customer-picker.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { DateField } from "../../forms/date-field.tsx";
import { paymentDoubts } from "../../forms/doubts.ts";
import { Form, MoneyField, useApiForm } from "../../forms/form.tsx";
import { useNamedCustomer } from "../../forms/invoice/form-choices.ts";
import { EMPTY_MODE, PaymentModeFields, toPaymentMode } from "../../forms/payment-mode.tsx";
import { receiptForm as words } from "../../strings/receipts.ts";
import { AdvanceFields } from "./advance-fields.tsx";
import { AllocationFields } from "./allocation-fields.tsx";
import { LinePanel, useReceiptLine } from "./line-panel.tsx";
import {
  type AdvanceGst,
  areFilled,
  atRows,
  CHANGES,
  type Due,
  fillRows,
  paiseOf,
  type ReceiptLine,
  restOfRows,
  suggestedRows,
  type Suggestion,
  toAllocations,
  withSuggested,
} from "./receipt-values.ts";

/** Records a receipt of the customer that the address names, or of one that is chosen here. */
export function Page() {
  const { line }: Readonly<Record<string, string>> = useSearch({ strict: false });
  const { isAsked, data: found, error } = useReceiptLine(line);
  const customer = useNamedCustomer();
  const navigate = useNavigate();
  const choose = (_: unknown, id: string | null): void => {
    const search = { ...(line ? { line } : {}), ...(id === null ? {} : { customer: id }) };
    void navigate({ to: ".", search, replace: true });
  };
  const suggestion = found?.suggestions.find(({ customer_id }) => customer_id === customer?.customer_id) ?? null;
  return (
    <Outline title={words.title} hint={words.hint}>
      {error && <ErrorNotice error={error} />}
      {found && <LinePanel of={found} chosen={suggestion} onChoose={(each) => choose(null, each.customer_id)} />}
      {(found || !isAsked) && (
        <Panel title={words.customer}>
          <div style={{ maxWidth: 480 }}>
            <CustomerPicker required value={customer} onChange={choose} />
          </div>
        </Panel>
      )}
      {customer !== null && (found || !isAsked) && (
        <FreshForm
          key={customer.customer_id}
          customerId={customer.customer_id}
          line={found?.line ?? null}
          suggestion={suggestion}
        />
      )}
    </Outline>
  );
}

const EMPTY = {
  ...EMPTY_MODE,
  mode: "NEFT",
  amount: "",
  tds_amount: "",
  tds_code: "",
  reference: "",
  notify: false,
  has_gst: false,
  advance_gst: { rate: "18", description: "", place_of_supply: "" },
};

type FormProps = {
  readonly customerId: string;
  readonly dues: readonly Due[];
  /** The line of a bank statement that it is recorded from; `null` for none. */
  readonly line: ReceiptLine["line"] | null;
  /** The suggestions for it. */
  readonly suggestion: Suggestion | null;
};

function FreshForm(props: Omit<FormProps, "dues">) {
  const { data, error, refetch } = useFresh(`/session/customers/${props.customerId}/dues`);
  if (data) return <ReceiptForm {...props} dues={withSuggested(data.invoices, props.suggestion)} />;
  return error && <ErrorNotice error={error} onRetry={() => void refetch()} />;
}

/** The form's initial values: from the line, and from the suggestions for it. */
function beginning(today: string, dues: readonly Due[], { line, suggestion }: Pick<FormProps, "line" | "suggestion">) {
  const moneyPaise = paiseOf(line?.amount ?? "");
  const allocations = suggestion ? suggestedRows(dues, suggestion) : fillRows(dues, { moneyPaise, tdsPaise: 0n });
  if (line === null) return { ...EMPTY, date: today, allocations };
  const { amount, date, mode, reference } = line;
  return { ...EMPTY, amount, date, mode, bank_ref_no: reference, allocations };
}

function useReceiptForm({ customerId, dues: loaded, line, suggestion }: FormProps) {
  const { today } = useMerchant();
  const navigate = useNavigate();
  const [key] = useRequestKey();
  // The page's data may be refetched meanwhile; the form keeps the data that it started with.
  const [dues] = useState(loaded);
  const sent = useApiForm({
    initialValues: beginning(today, dues, { line, suggestion }),
    submit: (values) => {
      const { amount, tds_amount, tds_code, date, reference, notify, allocations, has_gst, advance_gst, ...mode } =
        values;
      const isTaxed = has_gst && restOfRows(allocations, availableOf(amount, tds_amount)) > 0n;
      const gst: { advance_gst?: AdvanceGst } = isTaxed ? { advance_gst } : {};
      const plain = { customer_id: customerId, amount: typedAmount(amount), date, reference, notify: notify ? 1 : 0 };
      const tds: { tds_code: string; tds_amount?: string } =
        tds_amount.trim() === "" ? { tds_code } : { tds_amount: typedAmount(tds_amount), tds_code };
      const from: { statement_line_id?: string } = line === null ? {} : { statement_line_id: line.line_id };
      const body = {
        ...plain,
        ...tds,
        ...toPaymentMode(mode),
        ...from,
        ...gst,
        allocations: toAllocations(allocations),
      };
      return api("POST", "/receipts", { key, body }).catch(atRows(allocations));
    },
    doubts: ({ date }) => paymentDoubts(date, "", today),
    savedAlready: words.savedAlready,
    changes: CHANGES,
    done: ({ receipt }) => words.saved(receipt.receipt_number),
    onDone: ({ receipt }) => navigate({ to: `/receipts/${receipt.receipt_id}` }),
  });
  return { sent, dues, leave: () => void navigate({ to: "/receipts" }) };
}

function ReceiptForm(props: FormProps) {
  const { sent, dues, leave } = useReceiptForm(props);
  const { form, field, check } = sent;
  const { amount, tds_amount, mode, allocations } = form.values;
  const available = availableOf(amount, tds_amount);
  // Rows that somebody changed stay as they are.
  const refill = (name: "amount" | "tds_amount") => (event: ChangeEvent<HTMLInputElement>) => {
    const changed = { amount, tds_amount, [name]: event.currentTarget.value };
    const next = availableOf(changed.amount, changed.tds_amount);
    form.setValues({
      ...changed,
      ...(areFilled(allocations, dues, available) ? { allocations: fillRows(dues, next) } : {}),
    });
  };
  return (
    <Form of={sent} label={words.save} onCancel={leave} gap="lg">
      <Panel title={words.money}>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <MoneyField
              {...field("amount", words.amount)}
              onChange={refill("amount")}
              required
              readOnly={props.line !== null}
            />
            <DateField {...field("date", words.date)} required disabled={props.line !== null} />
            <PaymentModeFields mode={mode} field={field} />
            <MoneyField {...field("tds_amount", words.tdsAmount, words.tdsHint)} onChange={refill("tds_amount")} />
            <TextInput {...field("tds_code", words.tdsCode)} />
            <TextInput {...field("reference", words.reference)} maxLength={200} />
          </SimpleGrid>
          <Checkbox {...check("notify", words.notify)} />
        </Stack>
      </Panel>
      <AllocationFields
        dues={dues}
        rows={allocations}
        available={available}
        field={field}
        onFill={(rows) => form.setValues({ allocations: rows })}
      />
      <AdvanceFields
        values={form.values}
        date={form.values.date}
        restPaise={restOfRows(allocations, available)}
        field={field}
        check={check}
      />
    </Form>
  );
}

function availableOf(amount: string, tdsAmount: string): Share {
  return { moneyPaise: paiseOf(amount), tdsPaise: paiseOf(tdsAmount) };
}
