// One merchant as an operator manages it: its state, its balance, the clock of its sandbox. Each change asks first.
import { Group, Text, TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useLoaded } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { addressOfMerchant } from "../../app/place.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { Facts, ModeBadge, Money, StatusBadge } from "../../components/values.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { ConfirmDialog, ConfirmMoney, FormDialog } from "../../forms/dialogs.tsx";
import { DateField } from "../../forms/date-field.tsx";
import { MoneyField } from "../../forms/form.tsx";
import { operator } from "../../strings/home.ts";
import { merchants } from "../../strings/operator.ts";
import { KycPanel } from "./kyc-panel.tsx";

type Merchant = Answer<"GET", "/operator-view">["merchant"];
type Props = {
  readonly merchant: Merchant;
  /** Where its routes are. */
  readonly path: `/merchants/${string}`;
};

const CHANGES = ["/merchants"];

/** A merchant. */
export function Page() {
  const { merchantId = "" } = useParams({ strict: false }) as { merchantId?: string };
  const path = `/merchants/${merchantId}` as const;
  const { merchant } = useLoaded(`${path}/operator-view`);
  const back = <LinkTo label={merchants.back} to="/" />;
  const open = <Action label={merchants.open} primary href={addressOfMerchant(merchantId)} />;
  return (
    <Outline title={merchant.name} badge={<StatusBadge status={merchant.status} />} hint={back} actions={open}>
      <State merchant={merchant} path={path} />
      <KycPanel kyc={merchant.kyc} path={path} />
      <Funding merchant={merchant} path={path} />
      <Clock merchant={merchant} path={path} />
    </Outline>
  );
}

type Change = {
  readonly title: string;
  readonly text: string;
  readonly done: string;
  readonly danger: boolean;
  readonly submit: () => Promise<unknown>;
};

/** The changes by button in its current state. */
function changesOf({ merchant: { name, status }, path }: Props): Change[] {
  const setStatus = (to: string) => () => api("PUT", `${path}/operator-view`, { body: { status: to } });
  const { suspend, activate } = merchants;
  return [
    status === "active"
      ? {
          title: suspend,
          text: merchants.suspendText(name),
          done: merchants.suspended,
          danger: true,
          submit: setStatus("suspended"),
        }
      : {
          title: activate,
          text: merchants.activateText(name),
          done: merchants.activated,
          danger: false,
          submit: setStatus("active"),
        },
  ];
}

/** Active or suspended, live or in the sandbox, and its rate limit. */
function State({ merchant, path }: Props) {
  const may = usePermissions();
  const [dialog, setDialog] = useState<Change | null>(null);
  const [isLimiting, setLimiting] = useState(false);
  const buttons = may("merchants.manage") && (
    <Group gap="xs">
      {changesOf({ merchant, path }).map((change) => (
        <Action key={change.title} label={change.title} onClick={() => setDialog(change)} />
      ))}
      <Action label={merchants.limit} onClick={() => setLimiting(true)} />
    </Group>
  );
  return (
    <Panel title={merchants.stateTitle} actions={buttons}>
      <Facts
        facts={[
          { label: merchants.number, value: merchant.merchant_id },
          { label: merchants.email, value: merchant.email },
          { label: operator.mode, value: <ModeBadge live={merchant.live} /> },
          ...(merchant.counterpart_id === null
            ? []
            : [
                {
                  label: merchant.live ? merchants.itsSandbox : merchants.itsLive,
                  value: <LinkTo label={merchant.counterpart_id} to={`/merchants/${merchant.counterpart_id}`} />,
                },
              ]),
          { label: merchants.rateLimit, value: merchant.rate_limit_per_minute ?? merchants.rateDefault },
          { label: merchants.timeZone, value: merchant.time_zone },
          { label: merchants.since, value: day(merchant.created_at) },
        ]}
      />
      {dialog && <ConfirmDialog {...dialog} changes={CHANGES} onClose={() => setDialog(null)} />}
      {isLimiting && (
        <FormDialog
          title={merchants.limitTitle}
          label={merchants.limitSave}
          initialValues={{ rate_limit_per_minute: String(merchant.rate_limit_per_minute ?? "") }}
          submit={(body) => api("PUT", `${path}/operator-view`, { body })}
          changes={CHANGES}
          done={merchants.limitSaved}
          onClose={() => setLimiting(false)}
        >
          {({ field }) => (
            <TextInput
              {...field("rate_limit_per_minute", merchants.rateLimit, merchants.limitHint)}
              inputMode="numeric"
              data-autofocus
            />
          )}
        </FormDialog>
      )}
    </Panel>
  );
}

const NO_FUNDING = { amount: "", reference: "" };

/** The balance, and money that came in: typed, then confirmed in words, once for each reference. */
function Funding({ merchant, path }: Props) {
  const may = usePermissions();
  const [step, setStep] = useState<"form" | "confirm" | null>(null);
  const [funding, setFunding] = useState(NO_FUNDING);
  return (
    <Panel
      title={merchants.moneyTitle}
      actions={may("merchants.fund") && <Action label={merchants.fund} primary onClick={() => setStep("form")} />}
    >
      <Facts
        facts={[
          { label: merchants.available, value: <Money amount={merchant.available_balance} /> },
          { label: merchants.held, value: <Money amount={merchant.held_balance} /> },
        ]}
      />
      {step === "form" && (
        <FormDialog
          title={merchants.fundTitle}
          label={merchants.fundNext}
          initialValues={funding}
          validate={{
            amount: (text) => ((toPaise(text) ?? 0n) > 0n ? null : merchants.amountWrong),
            reference: (text) => (text.trim() === "" ? merchants.referenceWrong : null),
          }}
          // Nothing is sent yet: the next step asks, with the amount in words.
          submit={(values) => Promise.resolve(values)}
          onDone={({ amount, reference }) => {
            setFunding({ amount: typedAmount(amount), reference: reference.trim() });
            setStep("confirm");
          }}
          onClose={() => setStep(null)}
        >
          {({ field }) => (
            <>
              <MoneyField {...field("amount", merchants.amount)} required data-autofocus />
              <TextInput
                {...field("reference", merchants.reference, merchants.referenceHint)}
                maxLength={64}
                autoComplete="off"
                required
              />
            </>
          )}
        </FormDialog>
      )}
      {step === "confirm" && (
        <ConfirmMoney
          title={merchants.fundTitle}
          label={merchants.fundConfirm}
          amount={funding.amount}
          facts={[
            { label: merchants.fundTo, value: merchant.name },
            { label: merchants.reference, value: funding.reference },
          ]}
          submit={() => api("POST", `${path}/fundings`, { body: funding })}
          changes={CHANGES}
          done={(answer) => wordsOfFunding(answer)(rupees(answer.amount), answer.reference)}
          onDone={() => {
            setStep(null);
            setFunding(NO_FUNDING);
          }}
          onClose={() => setStep("form")}
        />
      )}
    </Panel>
  );
}

/** The message for a funding that was booked, was booked before, or needs approval. */
function wordsOfFunding({
  repeated,
  approval_id: approvalId,
}: {
  readonly repeated: boolean;
  readonly approval_id: string | null;
}): (amount: string, reference: string) => string {
  if (approvalId !== null) return merchants.fundWaits;
  return repeated ? merchants.fundedBefore : merchants.funded;
}

/** Which day a merchant in the sandbox has, moving it ahead, and back to the real date. */
function Clock({ merchant, path }: Props) {
  const may = usePermissions();
  const [open, setOpen] = useState<"advance" | "reset" | null>(null);
  const isMoved = merchant.clock_date !== null;
  if (merchant.live) {
    return (
      <Panel title={merchants.clockTitle}>
        <Text c="dimmed">{merchants.clockLive}</Text>
      </Panel>
    );
  }
  const close = (): void => setOpen(null);
  const buttons = may("merchants.clock") && (
    <Group gap="xs">
      <Action label={merchants.advance} onClick={() => setOpen("advance")} />
      {isMoved && <Action label={merchants.reset} onClick={() => setOpen("reset")} />}
    </Group>
  );
  const today = (
    <Group gap="xs">
      {day(merchant.today)}{" "}
      <StatusBadge
        status={isMoved ? merchants.clockMoved : merchants.clockReal}
        {...(isMoved ? { tone: "warning" } : {})}
      />
    </Group>
  );
  return (
    <Panel title={merchants.clockTitle} actions={buttons}>
      <Facts
        facts={[
          { label: merchants.today, value: today },
          { label: merchants.realDate, value: day(merchant.real_date) },
        ]}
      />
      {open === "advance" && <AdvanceDialog merchant={merchant} path={path} onClose={close} />}
      {open === "reset" && (
        <ConfirmDialog
          title={merchants.reset}
          text={merchants.resetText}
          submit={() => api("POST", `${path}/clock/reset`)}
          changes={CHANGES}
          done={merchants.wasReset}
          onClose={close}
        />
      )}
    </Panel>
  );
}

function AdvanceDialog({ merchant, path, onClose }: Props & { readonly onClose: () => void }) {
  return (
    <FormDialog
      title={merchants.advanceTitle}
      label={merchants.advance}
      intro={<Text>{merchants.advanceText}</Text>}
      initialValues={{ to: merchant.today }}
      submit={(body) => api("POST", `${path}/clock/advance`, { body })}
      changes={CHANGES}
      done={(moved) => merchants.advanced(moved.invoices_created, moved.reminders_queued, moved.subscriptions_parked)}
      onClose={onClose}
    >
      {({ field }) => <DateField {...field("to", merchants.advanceTo)} required data-autofocus />}
    </FormDialog>
  );
}
