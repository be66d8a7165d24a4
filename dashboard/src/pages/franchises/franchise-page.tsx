// One franchise: its commission, how it was earned and paid, and what is known of it.
// What belongs here: the arrangement, and the ways to settle and to delete.
import { Button, Group, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { Facts } from "../../components/facts.tsx";
import { Money } from "../../components/money.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { ConfirmMoney } from "../../forms/confirm-money.tsx";
import { FormError, SubmitRow } from "../../forms/form-parts.tsx";
import { useApiForm } from "../../forms/use-api-form.ts";
import { rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { parts } from "../../strings/shell.ts";
import { franchiseQuery, rateOf, type Franchise } from "./franchise.ts";
import { History, Payouts } from "./commission-tables.tsx";

/** A franchise. */
export function Page() {
  const { franchiseId = "" }: { franchiseId?: string } = useParams({ strict: false });
  const may = usePermissions();
  const { franchise, payouts } = useSuspenseQuery(franchiseQuery(franchiseId)).data;
  const [asked, setAsked] = useState<"settle" | "delete" | null>(null);
  const close = () => setAsked(null);
  const isActive = franchise.status === "active";
  const maySettle =
    may("franchises.settle") && franchise.account_number !== "" && (toPaise(franchise.payable) ?? 0n) > 0n;
  const mayChange = may("franchises.manage") && isActive;
  return (
    <Outline
      title={franchise.franchise_name}
      hint={franchise.franchise_code}
      badge={isActive ? undefined : <StatusBadge status="deleted" word={words.deleted} />}
      actions={
        (maySettle || mayChange) && (
          <>
            {mayChange && (
              <>
                <Button variant="default" onClick={() => setAsked("delete")}>
                  {words.remove}
                </Button>
                <Button variant="default" component={Link} to={`/franchises/${franchiseId}/edit`}>
                  {words.edit}
                </Button>
              </>
            )}
            {maySettle && <Button onClick={() => setAsked("settle")}>{words.settle}</Button>}
          </>
        )
      }
    >
      <Commission franchise={franchise} />
      <History franchiseId={franchiseId} />
      <Payouts payouts={payouts} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Contact franchise={franchise} />
        <Account franchise={franchise} />
      </SimpleGrid>
      {asked === "settle" && <Settle franchise={franchise} onClose={close} />}
      {asked === "delete" && <Delete franchise={franchise} onClose={close} />}
    </Outline>
  );
}

function Commission({ franchise }: { readonly franchise: Franchise }) {
  return (
    <Panel title={words.terms}>
      <Facts
        facts={[
          { label: words.due, value: <Money amount={franchise.commission_due} /> },
          { label: words.payable, value: <Money amount={franchise.payable} /> },
          { label: words.underWay, value: <Money amount={franchise.under_way} /> },
          { label: words.earned, value: <Money amount={franchise.commission_accrued} /> },
          { label: words.paid, value: <Money amount={franchise.commission_paid} /> },
          { label: words.rate, value: `${rateOf(franchise)}, ${words.types[franchise.commission_type]}` },
          { label: words.settlementType, value: words.settlements[franchise.settlement_type] },
          {
            label: words.nextPayout,
            value: franchise.next_payout_at === null ? "" : words.notBefore(day(franchise.next_payout_at)),
          },
        ]}
      />
    </Panel>
  );
}

function Contact({ franchise }: { readonly franchise: Franchise }) {
  const place = [franchise.address, franchise.city, franchise.state, franchise.zipcode].filter((part) => part !== "");
  return (
    <Panel title={words.contact}>
      <Facts
        facts={[
          { label: words.contactPerson, value: franchise.contact_person_name },
          { label: words.email, value: franchise.email_id },
          { label: words.mobile, value: franchise.mobile },
          { label: words.address, value: place.join(", ") },
          { label: words.pan, value: franchise.pan_number },
          { label: words.aadhaar, value: franchise.aadhar_number },
          { label: words.gstin, value: franchise.gst_number },
          { label: words.since, value: day(franchise.created_at) },
        ]}
      />
    </Panel>
  );
}

function Account({ franchise }: { readonly franchise: Franchise }) {
  return (
    <Panel title={`${words.account}, ${words.login.toLowerCase()}`}>
      <Stack>
        <Facts
          facts={[
            { label: words.holder, value: franchise.bank_holder_name },
            { label: words.accountNumber, value: franchise.account_number },
            { label: words.ifsc, value: franchise.ifsc },
            { label: words.bankName, value: franchise.bank_name },
            { label: words.accountType, value: words.accountTypes[franchise.account_type] },
            { label: words.loginEmail, value: franchise.login_email ?? words.noLogin },
            { label: words.role, value: franchise.role_name },
          ]}
        />
        {franchise.account_number === "" && <Text c="dimmed">{words.noAccount}</Text>}
      </Stack>
    </Panel>
  );
}

type DialogProps = { readonly franchise: Franchise; readonly onClose: () => void };

function Settle({ franchise, onClose }: DialogProps) {
  const queries = useQueryClient();
  // What was shown when the dialog opened: the server pays this amount or none.
  const [amount] = useState(franchise.payable);
  const send = async () => {
    const path = `/franchises/${franchise.franchise_id}/settle`;
    try {
      return await api<{ transfer_id: string | null; amount: string }>("POST", path, { body: { amount } });
    } finally {
      await queries.invalidateQueries({ queryKey: ["/franchises"] });
    }
  };
  const settle = async (): Promise<void> => {
    const answer = await send();
    const isPaid = answer.transfer_id !== null;
    const message = isPaid ? words.settleDone(rupees(answer.amount)) : words.nothingDue;
    notifications.show({ color: isPaid ? "green" : "yellow", message });
    onClose();
  };
  return (
    <ConfirmMoney
      opened
      onClose={onClose}
      title={words.settleTitle}
      amount={amount}
      facts={[
        { label: words.to, value: franchise.bank_holder_name || franchise.franchise_name },
        { label: words.toAccount, value: `${franchise.account_number}, ${franchise.ifsc}` },
      ]}
      note={words.settleNote}
      confirmLabel={words.settle}
      onConfirm={settle}
    />
  );
}

function Delete({ franchise, onClose }: DialogProps) {
  const queries = useQueryClient();
  const sent = useApiForm({
    initialValues: {},
    submit: () => api("DELETE", `/franchises/${franchise.franchise_id}`),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: ["/franchises"] });
      notifications.show({ color: "green", message: words.removed });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.removeTitle(franchise.franchise_name)}
      closeButtonProps={{ "aria-label": parts.close }}
    >
      <form onSubmit={sent.onSubmit}>
        <Stack>
          <FormError error={sent.error} />
          <Text>{words.removeText}</Text>
          <Group justify="flex-end">
            <SubmitRow of={sent} label={words.remove} onCancel={onClose} danger />
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
