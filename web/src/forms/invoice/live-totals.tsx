// What the invoice in the form comes to, and how it will look: both computed by the server as saving would.
import { Group, Stack, Table, Text } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { Action } from "../../components/actions.tsx";
import { FramedPage } from "../../components/framed-page.tsx";
import { UnprintableNotice } from "../../components/notices.tsx";
import { Panel, ROOM_BESIDE } from "../../components/page.tsx";
import { Money } from "../../components/values.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { invoiceForm as words } from "../../strings/invoice-form.ts";
import { asTyped } from "../form.tsx";
import type { FormKind } from "./form-choices.ts";
import type { InvoiceValues } from "./invoice-values.ts";
import { previewBody } from "./server-doubts.ts";
import classes from "./live-totals.module.css";
import { WEIGHT } from "../../app/tokens.ts";

type Preview = Answer<"POST", `/${FormKind}/preview`>;

const TYPING_MS = 350;

type Props = {
  readonly of: FormKind;
  readonly values: InvoiceValues;
  readonly invoiceId: string | null;
  /** Whether the page of the invoice is shown below the totals. */
  readonly hasPage?: boolean;
};

/**
 * Totals and preview, for beside the form. One question is asked at a time: a newer one ends the one before. The page of
 * the preview is of the same answer, and no PDF. `invoiceId` is of the invoice that is edited.
 */
export function LiveTotals({ of, values, invoiceId, hasPage = true }: Props) {
  const body = previewBody(asTyped(values), invoiceId);
  const [asked] = useDebouncedValue(JSON.stringify(body), TYPING_MS);
  // What is sure to be refused is not asked: the form of a new invoice begins without an amount.
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
    <>
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
      {hasPage && <PreviewPanel html={preview?.html} />}
    </>
  );
}

/** The page of the invoice, which can be hidden; it is open where there is room beside the form. */
function PreviewPanel({ html }: { readonly html: string | undefined }) {
  const hasRoom = useMediaQuery(ROOM_BESIDE, false, { getInitialValueInEffect: false });
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? hasRoom;
  return (
    <Panel
      title={words.preview}
      actions={
        <Action
          label={isOpen ? words.hidePreview : words.showPreview}
          onClick={() => setChosen(!isOpen)}
          aria-expanded={isOpen}
        />
      }
    >
      {isOpen && html !== undefined && (
        <div className={classes["preview"]}>
          <FramedPage html={html} title={words.previewTitle} />
        </div>
      )}
      {isOpen && html === undefined && <Text c="dimmed">{words.noPreview}</Text>}
    </Panel>
  );
}

function Totals({ preview }: { readonly preview: Preview }) {
  const lines = [
    { label: words.subTotal, amount: preview.sub_total },
    ...preview.taxes.map(({ name, percentage, applicable_on, amount }) => ({
      label: `${name} ${percentage}% on ${rupees(applicable_on)}`,
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
