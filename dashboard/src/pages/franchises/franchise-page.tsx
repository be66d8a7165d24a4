// One franchise: its commission, how it was earned and paid, and what is known of it.
// What belongs here: the arrangement. What can be done with it opens a dialog.
import { Alert, Anchor, Button, Group, SimpleGrid, Text } from "@mantine/core";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useMerchant, usePermissions } from "../../api/session.ts";
import { Facts } from "../../components/facts.tsx";
import { HistoryLink } from "../../components/history-link.tsx";
import { AlertIcon } from "../../components/icons.tsx";
import { Money } from "../../components/money.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { toPaise } from "../../format/money.ts";
import { hasWrongAadhaarDigit } from "../../format/check-digits.ts";
import { day } from "../../format/time.ts";
import { franchises as words } from "../../strings/franchises.ts";
import { AccountDialog, TermsDialog } from "./agreement-dialogs.tsx";
import { franchiseQuery, rateOf, type Franchise } from "./franchise.ts";
import { History, Payments, Payouts } from "./commission-tables.tsx";
import { DisableLoginDialog, LoginDialog } from "./login-dialog.tsx";
import { RecordPaymentDialog } from "./payment-dialogs.tsx";
import { DeleteDialog, SettleDialog } from "./settle-dialogs.tsx";

/** A franchise. */
export function Page() {
  const { franchiseId = "" }: { franchiseId?: string } = useParams({ strict: false });
  const may = usePermissions();
  const { franchise, payouts, payments } = useSuspenseQuery(franchiseQuery(franchiseId)).data;
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const done = (): void => {
    close();
    void queries.invalidateQueries({ queryKey: ["/franchises"] });
  };
  const isActive = franchise.status === "active";
  const mayPay = may("franchises.settle") && may("payouts.transfer");
  const isPayable = (toPaise(franchise.payable) ?? 0n) > 0n;
  const maySettle = mayPay && franchise.account_number !== "" && isPayable;
  const mayChange = may("franchises.manage") && isActive;
  const mayBeStopped = franchise.login_email !== null && !franchise.login_disabled;
  // Where money goes is for whoever may move it.
  const mayAgree = mayChange && may("payouts.transfer");
  const button = (what: Asked, label: string, isAllowed = mayChange) =>
    isAllowed && (
      <Button variant="default" onClick={() => setAsked(what)}>
        {label}
      </Button>
    );
  return (
    <Outline
      title={franchise.franchise_name}
      hint={franchise.franchise_code}
      badge={isActive ? undefined : <StatusBadge status="deleted" word={words.deleted} />}
      actions={
        <>
          <HistoryLink subjectId={franchiseId} />
          {button("delete", words.remove)}
          {mayChange && (
            <Button variant="default" component={Link} to={`/franchises/${franchiseId}/edit`}>
              {words.edit}
            </Button>
          )}
          {button("payment", words.recordPayment, mayPay && isPayable)}
          {maySettle && <Button onClick={() => setAsked("settle")}>{words.settle}</Button>}
        </>
      }
    >
      {franchise.account_approval_id !== null && <AccountWaits approvalId={franchise.account_approval_id} />}
      {franchise.commission_waits && <Waits />}
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
      {asked !== null && <FranchiseDialog asked={asked} franchise={franchise} onDone={done} onClose={close} />}
    </Outline>
  );
}

function AccountWaits({ approvalId }: { readonly approvalId: string }) {
  return (
    <Alert color="yellow" variant="outline" icon={<AlertIcon />} role="status">
      {words.accountWaits}{" "}
      <Anchor component={Link} to={`/approvals/${approvalId}`} underline="always">
        {words.openApproval}
      </Anchor>
    </Alert>
  );
}

function Waits() {
  return (
    <Alert color="yellow" variant="outline" icon={<AlertIcon />} role="status">
      {words.waits}
    </Alert>
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
          { label: words.rate, value: `${rateOf(franchise)}, ${words.types[franchise.commission_type]}` },
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
      {hasWrongAadhaarDigit(franchise.aadhar_number) && (
        <Text size="sm" mt="sm">
          {words.aadhaarWarning}
        </Text>
      )}
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

type Asked = "settle" | "payment" | "delete" | "terms" | "account" | "login" | "stop";

type FranchiseDialogProps = {
  readonly asked: Asked;
  readonly franchise: Franchise;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

function FranchiseDialog({ asked, ...about }: FranchiseDialogProps) {
  switch (asked) {
    case "settle":
      return <SettleDialog {...about} />;
    case "payment":
      return <RecordPaymentDialog {...about} />;
    case "delete":
      return <DeleteDialog {...about} />;
    case "terms":
      return <TermsDialog {...about} />;
    case "account":
      return <AccountDialog {...about} />;
    case "login":
      return <LoginDialog {...about} />;
    case "stop":
      return <DisableLoginDialog {...about} />;
  }
}
