// The totals of the invoice in the form, computed by the server as saving would.
import { Group, Stack, Table, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { UnprintableNotice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { Money } from "../../components/values.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { asTyped } from "../form.tsx";
import type { FormKind } from "./form-choices.ts";
import type { InvoiceValues } from "./invoice-values.ts";
import { previewBody } from "./server-doubts.ts";
import { WEIGHT } from "../../app/tokens.ts";

type Preview = Answer<"POST", `/${FormKind}/preview`>;

const TYPING_MS = 350;

type Props = {
  readonly of: FormKind;
  readonly values: InvoiceValues;
  readonly invoiceId: string | null;
};

/** Totals, for beside the form. One question is asked at a time: a newer one ends the one before. `invoiceId` is of the invoice that is edited. */
export function LiveTotals({ of, values, invoiceId }: Props) {
  const body = previewBody(asTyped(values), invoiceId);
  const [asked] = useDebouncedValue(JSON.stringify(body), TYPING_MS);
  // Values that are sure to be refused are not sent: the form of a new invoice begins without an amount.
  const { bill_date, due_date, particular_rows: rows } = body.invoice;
  const isAskable = bill_date !== "" && due_date !== "" && rows.length > 0;
  const { data, error, isFetching } = useQuery({
    queryKey: [`/${of}/preview`, asked],
    queryFn: ({ signal }) => api("POST", `/${of}/preview`, { body: JSON.parse(asked) as object, signal }),
    placeholderData: keepPreviousData,
    retry: false,
    enabled: isAskable,
  });
  const preview = isAskable && !error ? data : undefined;
  return (
    <Panel title={words.totals}>
      <Stack gap="xs" aria-busy={isFetching} aria-live="polite">
        {!isAskable || error ? (
          <Text c="dimmed">{words.incomplete}</Text>
        ) : preview ? (
          <Totals preview={preview} />
        ) : (
          words.computing
        )}
        {preview && <UnprintableNotice letters={preview.unprintable} />}
      </Stack>
    </Panel>
  );
}

function Totals({ preview }: { readonly preview: Preview }) {
  const lines = [
    { label: words.subTotal, amount: preview.sub_total },
    ...preview.taxes.map(({ name, percentage, applicable_on, amount }) => ({
      label: words.taxOn(`${name} ${percentage}%`, rupees(applicable_on)),
      amount,
    })),
    ...(toPaise(preview.round_off_amount) === 0n ? [] : [{ label: words.roundOff, amount: preview.round_off_amount }]),
    ...(toPaise(preview.previous_dues) === 0n ? [] : [{ label: words.previousDues, amount: preview.previous_dues }]),
  ];
  return (
    <>
      <Table aria-label={words.totals}>
        <Table.Tbody>
          {lines.map(({ label, amount }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={WEIGHT.regular}>
                {label}
              </Table.Th>
              <Table.Td ta="right">
                <Money amount={amount} />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th scope="row">{words.total}</Table.Th>
            <Table.Td ta="right" fw={WEIGHT.strong} data-testid="total">
              <Money amount={preview.amount} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {words.inWords}:
        </Text>
        <Text size="sm">{preview.amount_in_words}</Text>
      </Group>
    </>
  );
}
