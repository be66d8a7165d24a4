// Whether the rest of a receipt is an advance for services, and what GST it contains.
import { Checkbox, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { gstRatesOn, taxWithinAmount } from "../../../../src/platform/gst.ts";
import { formatThousandths, parseThousandths } from "../../../../src/platform/money.ts";
import { Panel } from "../../components/page.tsx";
import { formatRupees } from "../../format/money.ts";
import type { ApiForm } from "../../forms/form.tsx";
import { StateField } from "../../forms/gstin-and-state.tsx";
import { receiptForm as words } from "../../strings/receipts.ts";
import type { AdvanceGst } from "./receipt-values.ts";

type Values = { has_gst: boolean; advance_gst: AdvanceGst };

type Props = Pick<ApiForm<Values>, "field" | "check"> & {
  readonly values: Values;
  /** The date of the receipt. */
  readonly date: string;
  /** The part that no invoice uses. */
  readonly restPaise: bigint;
};

/** Nothing where the invoices use all of it. */
export function AdvanceFields({ values, date, restPaise, field, check }: Props) {
  if (restPaise <= 0n) return null;
  const rates = gstRatesOn(date).filter((rate) => rate > 0n);
  const rateThousandths = parseThousandths(values.advance_gst.rate) ?? 0n;
  const taxPaise = taxWithinAmount(restPaise, rateThousandths, 1n);
  return (
    <Panel title={words.advanceGst}>
      <Stack gap="sm">
        <Checkbox {...check("has_gst", words.hasGst, words.hasGstHint)} />
        {values.has_gst && (
          <>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <NativeSelect
                {...field("advance_gst.rate", words.gstRate, words.gstRateHint)}
                data={rates.map(formatThousandths).map((value) => ({ value, label: `${value}%` }))}
              />
              <StateField {...field("advance_gst.place_of_supply", words.place)} none={words.placeOfCustomer} />
              <TextInput {...field("advance_gst.description", words.services)} maxLength={300} />
            </SimpleGrid>
            <Text size="sm">{words.gstContained(formatRupees(taxPaise), formatRupees(restPaise))}</Text>
          </>
        )}
      </Stack>
    </Panel>
  );
}
