// Tax that customers deducted, by quarter: its certificates, and putting it back to due.
import { Group, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { api } from "../../api/client.ts";
import { useRequestKey } from "../../api/queries.ts";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { DataPage } from "../../components/data-page.tsx";
import type { Column } from "../../components/data-table.tsx";
import { AmountInWords, FormDialog } from "../../forms/dialogs.tsx";
import { useList } from "../../lists/use-list.ts";
import { lists } from "../../strings/lists.ts";
import { tdsClaims as words } from "../../strings/receipts.ts";
import { statusChoices } from "../../strings/statuses.ts";
import { CustomerFilter } from "./customer-filter.tsx";
import { CHANGES } from "./receipt-values.ts";

type Claim = Answer<"GET", "/tds-claims">["tds_claims"][number];

const QUARTERS = 12;
const MONTHS = 3;

/** The quarter of a day and those before it, the last one first: `2026-27-Q1` is April to June 2026. */
function quartersUntil(day: string): string[] {
  const last = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 - MONTHS;
  return Array.from({ length: QUARTERS }, (_, back) => {
    const quarter = Math.floor(last / MONTHS) - back;
    const year = Math.floor(quarter / 4);
    return `${year}-${String((year + 1) % 100).padStart(2, "0")}-Q${(quarter % 4) + 1}`;
  });
}

const COLUMNS: readonly Column<Claim>[] = [
  { key: "customer_name", title: words.customer, to: ({ customer_id }) => `/customers/${customer_id}` },
  {
    key: "document_number",
    title: words.document,
    as: "number",
    to: ({ invoice_id, receipt_id }) => (receipt_id === "" ? `/invoices/${invoice_id}` : `/receipts/${receipt_id}`),
  },
  { key: "date", title: words.date, hideBelow: "sm", as: "day" },
  { key: "quarter", title: words.quarter, hideBelow: "md", as: "number" },
  { key: "tds_code", title: words.code, hideBelow: "lg" },
  { key: "status", title: words.status, hideBelow: "sm", as: "status" },
  { key: "certificate_number", title: words.certificate, hideBelow: "md", as: "code" },
  { key: "amount", title: words.amount, hideBelow: "md", as: "amount" },
  { key: "tds_amount", title: words.tds, as: "amount" },
];

/** TDS claims. */
export function Page() {
  const may = usePermissions();
  const { today } = useMerchant();
  const [open, setOpen] = useState<{ readonly claim: Claim; readonly what: "certificate" | "put-back" } | null>(null);
  const list = useList({ path: "/tds-claims", rowsIn: "tds_claims", filters: ["quarter", "status", "customer_id"] });
  const actions: Column<Claim> = {
    key: "actions",
    title: lists.actions,
    align: "right",
    isButtons: true,
    render: (claim) =>
      claim.status !== "put_back" && (
        <Group gap="xs" justify="flex-end">
          <Action
            label={words.enter}
            size="xs"
            aria-label={words.certificateOf(claim.document_number)}
            onClick={() => setOpen({ claim, what: "certificate" })}
          />
          <Action
            label={words.putBack}
            size="xs"
            aria-label={words.putBackOf(claim.document_number)}
            onClick={() => setOpen({ claim, what: "put-back" })}
          />
        </Group>
      ),
  };
  return (
    <>
      <DataPage
        title={words.title}
        list={list}
        columns={may("invoices.settle") ? [...COLUMNS, actions] : COLUMNS}
        rowKey="claim_id"
        hasFile
        filterFields={
          <>
            <NativeSelect
              {...list.filter("quarter", words.quarter)}
              data={[
                { value: "", label: words.anyQuarter },
                ...quartersUntil(today).map((quarter) => ({ value: quarter, label: quarter })),
              ]}
            />
            <NativeSelect
              {...list.filter("status", words.status)}
              data={statusChoices(words.anyStatus, ["missing", "received", "put_back"])}
            />
            {may("customers.view") && (
              <CustomerFilter
                customerId={list.filters["customer_id"] ?? ""}
                onChange={(id) => list.setFilters({ customer_id: id })}
              />
            )}
          </>
        }
        empty={{ title: words.empty, hint: words.emptyHint }}
      />
      {open?.what === "certificate" && <CertificateDialog claim={open.claim} onClose={() => setOpen(null)} />}
      {open?.what === "put-back" && <PutBackDialog claim={open.claim} onClose={() => setOpen(null)} />}
    </>
  );
}

type Props = { readonly claim: Claim; readonly onClose: () => void };

function CertificateDialog({ claim: { claim_id, certificate_number }, onClose }: Props) {
  return (
    <FormDialog
      title={words.certificateTitle}
      hint={words.certificateHint}
      initialValues={{ certificate_number }}
      submit={(body) => api("POST", `/tds-claims/${claim_id}/certificate`, { body })}
      changes={["/tds-claims"]}
      done={words.certificateSaved}
      onClose={onClose}
    >
      {({ field }) => (
        <TextInput {...field("certificate_number", words.certificateNumber)} data-autofocus maxLength={30} />
      )}
    </FormDialog>
  );
}

function PutBackDialog({ claim: { claim_id, tds_amount }, onClose }: Props) {
  const [key] = useRequestKey();
  return (
    <FormDialog
      title={words.putBackTitle}
      label={words.putBackSubmit}
      danger
      intro={<AmountInWords amount={tds_amount} />}
      hint={words.putBackHint}
      initialValues={{ reason: "" }}
      submit={(body) => api("POST", `/tds-claims/${claim_id}/put-back`, { key, body })}
      changes={["/tds-claims", ...CHANGES]}
      done={words.putBackDone}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea {...field("reason", words.reason)} required data-autofocus autosize minRows={2} maxLength={500} />
      )}
    </FormDialog>
  );
}
