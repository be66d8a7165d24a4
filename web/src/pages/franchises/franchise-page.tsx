// One franchise: its commission, how it was earned and paid, and what is known of it.
import { Group, SimpleGrid, Text } from "@mantine/core";
import { useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { CONTACT_MEMBERS } from "../../../../src/franchises/contact-members.ts";
import { isCommissionUnderWay, whileUnderWay } from "../../api/ask-again.ts";
import { useLoaded, usePages } from "../../api/queries.ts";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { Action, LinkTo, MenuButton } from "../../components/actions.tsx";
import { Notice } from "../../components/notices.tsx";
import { Panel } from "../../components/page.tsx";
import { RecordPage } from "../../components/record-page.tsx";
import { Facts, Money, StatusBadge } from "../../components/values.tsx";
import { rupees } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { modeName } from "../../forms/payment-mode.tsx";
import { franchises as words } from "../../strings/franchises.ts";
import { type CommissionPayment, type Franchise, rateOf } from "./franchise-fields.tsx";
import { type DialogName, FranchiseDialog, ReversePaymentDialog } from "./dialogs.tsx";
import type { Answer } from "../../api/contract.ts";
import type { Column } from "../../components/data-table.tsx";
import { recordFacts } from "../../components/record-facts.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { ViewTabs } from "../../components/view-tabs.tsx";
import { record } from "../../strings/records.ts";
import { useFranchiseActions } from "./franchise-actions.tsx";
import { FranchiseStatement } from "./statement-tab.tsx";

/** Its name is the page's title. */
const SHOWN_MEMBERS = CONTACT_MEMBERS.filter(({ name }) => name !== "franchise_name");

/** So many of its actions, the commonest, are buttons; the others are in the menu. */
const BUTTONS = 2;

/** A franchise. */
export function Page() {
  const { franchiseId = "" }: { franchiseId?: string } = useParams({ strict: false });
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const may = usePermissions();
  const { franchise, payouts, payments } = useLoaded(`/franchises/${franchiseId}`, {
    refetchInterval: whileUnderWay(isCommissionUnderWay),
  });
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const isStatement = search["tab"] === "statement";
  const isActive = franchise.status === "active";
  const mayPay = may("franchises.settle") && may("payouts.transfer");
  const actions = useFranchiseActions({ franchise }, setDialog);
  const mayChange = may("franchises.manage") && isActive;
  const mayBeStopped = franchise.login_email !== null && !franchise.login_disabled;
  // Where money goes is for users who may move it.
  const mayAgree = mayChange && may("payouts.transfer");
  const button = (what: DialogName, label: string, isAllowed = mayChange) =>
    isAllowed && <Action label={label} onClick={() => setDialog(what)} />;
  return (
    <RecordPage
      title={franchise.franchise_name}
      hint={franchise.franchise_code}
      badge={isActive ? undefined : <StatusBadge status="deleted" word={words.deleted} />}
      actions={actions.slice(0, BUTTONS).map((entry) => (
        <MenuButton key={entry.label} of={entry} primary={entry.label === words.settle} />
      ))}
      more={actions.slice(BUTTONS)}
    >
      {franchise.account_approval_id !== null && (
        <Notice>
          {words.accountWaits}{" "}
          <LinkTo label={words.openApproval} to={`/approvals/${franchise.account_approval_id}`} underline="always" />
        </Notice>
      )}
      {franchise.commission_waits && <Notice>{words.waits}</Notice>}
      <Tabs franchiseId={franchiseId} isStatement={isStatement} />
      {isStatement ? (
        <FranchiseStatement franchiseId={franchiseId} />
      ) : (
        <>
          <Commission franchise={franchise} actions={button("terms", words.changeTerms, mayAgree)} />
          <History franchiseId={franchiseId} />
          <Payouts payouts={payouts} />
          <Payments payments={payments} franchiseId={franchiseId} mayReverse={mayPay} />
          <Contact franchise={franchise} />
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <Account franchise={franchise} actions={button("account", words.changeAccount, mayAgree)} />
            <SignIn
              franchise={franchise}
              actions={
                <Group gap="xs">
                  {mayBeStopped && button("stop", words.disableLogin)}
                  {button("login", mayBeStopped ? words.changeLogin : words.letIn)}
                </Group>
              }
            />
          </SimpleGrid>
        </>
      )}
      {dialog !== null && <FranchiseDialog dialog={dialog} franchise={franchise} onClose={() => setDialog(null)} />}
    </RecordPage>
  );
}

function Tabs({ franchiseId, isStatement }: { readonly franchiseId: string; readonly isStatement: boolean }) {
  const to = `/franchises/${franchiseId}`;
  return (
    <ViewTabs
      label={record.sections}
      tabs={[
        { label: words.tabs.overview, to, isCurrent: !isStatement, count: null },
        { label: words.tabs.statement, to, search: { tab: "statement" }, isCurrent: isStatement, count: null },
      ]}
    />
  );
}

type PartProps = { readonly franchise: Franchise; readonly actions?: ReactNode };

function Commission({ franchise, actions }: PartProps) {
  return (
    <Panel title={words.terms} actions={actions}>
      <Facts
        facts={[
          { label: words.due, value: <Money amount={franchise.commission_due} /> },
          { label: words.payable, value: <Money amount={franchise.payable} /> },
          { label: words.underWay, value: <Money amount={franchise.under_way} /> },
          { label: words.earned, value: <Money amount={franchise.commission_accrued} /> },
          { label: words.paid, value: <Money amount={franchise.commission_paid} /> },
          { label: words.rate, value: `${rateOf(franchise)} · ${words.types[franchise.commission_type]}` },
          { label: words.settlementType, value: words.settlements[franchise.settlement_type] },
          { label: words.online, value: franchise.enable_online_settlement ? words.yes : words.no },
          {
            label: words.nextPayout,
            value: franchise.next_payout_at === null ? "" : words.notBefore(day(franchise.next_payout_at)),
          },
        ]}
      />
    </Panel>
  );
}

function Contact({ franchise }: PartProps) {
  return (
    <Panel title={words.contact}>
      <Facts
        facts={[
          ...recordFacts(SHOWN_MEMBERS, words.fields, franchise),
          { label: words.since, value: day(franchise.created_at) },
        ]}
      />
    </Panel>
  );
}

function Account({ franchise, actions }: PartProps) {
  return (
    <Panel title={words.account} actions={actions}>
      {franchise.account_number === "" ? (
        <Text c="dimmed">{words.noAccount}</Text>
      ) : (
        <Facts
          facts={[
            { label: words.holder, value: franchise.bank_holder_name },
            { label: words.accountNumber, value: franchise.account_number },
            { label: words.ifsc, value: franchise.ifsc },
            { label: words.bankName, value: franchise.bank_name },
            { label: words.accountType, value: words.accountTypes[franchise.account_type] },
          ]}
        />
      )}
    </Panel>
  );
}

function SignIn({ franchise, actions }: PartProps) {
  const { sign_in_url: signInUrl } = useMerchant();
  return (
    <Panel title={words.login} actions={actions}>
      {franchise.login_email === null ? (
        <Text c="dimmed">{words.noLogin}</Text>
      ) : (
        <Facts
          facts={[
            { label: words.loginEmail, value: franchise.login_email },
            { label: words.role, value: franchise.role_name },
            { label: words.signsInAt, value: signInUrl },
            { label: words.loginStatus, value: franchise.login_disabled ? words.no : words.yes },
          ]}
        />
      )}
    </Panel>
  );
}

type Earned = Answer<"GET", "/franchises/:franchise_id/commission">["commission"][number];

const rateOfEarned = ({ commission_type, commission }: Earned): string =>
  commission_type === null || commission === null ? words.none : rateOf({ commission_type, commission });

const EARNED_COLUMNS: readonly Column<Earned>[] = [
  { key: "invoice_number", title: words.invoice, to: ({ invoice_id }) => `/invoices/${invoice_id}` },
  { key: "accrued_at", title: words.when, hideBelow: "sm", as: "moment" },
  { key: "waits", title: words.status, hideBelow: "md", render: ({ waits }) => (waits ? words.earnedWaits : "") },
  { key: "rate", title: words.rate, align: "right", hideBelow: "md", render: rateOfEarned },
  { key: "reversed", title: words.reversed, hideBelow: "sm", as: "money" },
  { key: "amount", title: words.amount, as: "money" },
];

/** What a franchise earned, latest first. */
function History({ franchiseId }: { readonly franchiseId: string }) {
  const { pages, ...found } = usePages(`/franchises/${franchiseId}/commission`);
  const rows = pages?.flatMap(({ commission }) => commission);
  const hasWaiting = rows?.some(({ waits }) => waits) ?? false;
  return (
    <TablePanel
      title={words.history}
      of={found}
      rows={rows}
      columns={EARNED_COLUMNS.filter(({ key }) => key !== "waits" || hasWaiting)}
      rowKey="earned_by"
      empty={words.noHistory}
      older={words.older}
    />
  );
}

type Payout = Answer<"GET", "/franchises/:franchise_id">["payouts"][number];

const PAYOUT_COLUMNS: readonly Column<Payout>[] = [
  { key: "added_at", title: words.when, as: "moment" },
  { key: "status", title: words.status, as: "status" },
  { key: "utr", title: words.utr, hideBelow: "sm", render: ({ utr }) => utr || words.none },
  { key: "amount", title: words.amount, as: "money" },
];

/** What was paid out to a franchise, latest first. */
function Payouts({ payouts }: { readonly payouts: readonly Payout[] }) {
  const [when, ...others] = PAYOUT_COLUMNS;
  const to = ({ transfer_id }: Payout): string => `/transfers/${transfer_id}`;
  const columns = usePermissions()("payouts.view") ? [{ ...when!, to }, ...others] : PAYOUT_COLUMNS;
  return (
    <TablePanel title={words.payouts} rows={payouts} columns={columns} rowKey="transfer_id" empty={words.noPayouts} />
  );
}

type PaymentsProps = {
  readonly payments: readonly CommissionPayment[];
  readonly franchiseId: string;
  readonly mayReverse: boolean;
};

/** What was paid to a franchise by other means, latest first. */
function Payments({ payments, franchiseId, mayReverse }: PaymentsProps) {
  const [reversed, setReversed] = useState<CommissionPayment | null>(null);
  if (payments.length === 0) return null;
  const columns: readonly Column<CommissionPayment>[] = [
    { key: "paid_date", title: words.paidDate, as: "day" },
    { key: "mode", title: words.mode, hideBelow: "sm", render: ({ mode }) => modeName(mode) },
    { key: "bank_ref_no", title: words.bankRefNo, hideBelow: "md" },
    { key: "note", title: words.note, hideBelow: "md" },
    { key: "amount", title: words.amount, as: "money" },
    {
      key: "reverse",
      title: words.reversePayment,
      align: "right",
      isButtons: true,
      render: (payment) =>
        payment.reversal_reason !== null ? (
          <Text size="sm">{words.takenBack(payment.reversal_reason)}</Text>
        ) : (
          mayReverse && (
            <Action
              label={words.reversePayment}
              size="compact-sm"
              aria-label={words.reversePaymentOf(rupees(payment.amount), day(payment.paid_date))}
              onClick={() => setReversed(payment)}
            />
          )
        ),
    },
  ];
  return (
    <TablePanel title={words.payments} rows={payments} columns={columns} rowKey="payment_id">
      {reversed && (
        <ReversePaymentDialog franchiseId={franchiseId} payment={reversed} onClose={() => setReversed(null)} />
      )}
    </TablePanel>
  );
}
