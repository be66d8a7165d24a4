// The dialogs of a franchise: settle its commission, change its terms, record a payment by other means, change its bank account or sign-in, or delete
// it.
import { Checkbox, NativeSelect, PasswordInput, SimpleGrid, Text, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { useChanged, useGet, useRequestKey } from "../../api/queries.ts";
import { useMerchant } from "../../api/session.ts";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { rupees } from "../../format/money.ts";
import { ConfirmDialog, ConfirmMoney, FormDialog } from "../../forms/dialogs.tsx";
import { DateField } from "../../forms/date-field.tsx";
import { MoneyField } from "../../forms/form.tsx";
import { modeChoices } from "../../forms/payment-mode.tsx";
import { franchises as words } from "../../strings/franchises.ts";
import { AccountFields, type CommissionPayment, type Franchise, TermsFields } from "./franchise-fields.tsx";

type DialogProps = { readonly franchise: Franchise; readonly onClose: () => void };

const CHANGES = ["/franchises"];
const MODES = ["Cash", "Cheque", "NEFT", "RTGS", "IMPS", "UPI", "Card"];

const DIALOGS = {
  settle: SettleDialog,
  payment: RecordPaymentDialog,
  delete: DeleteDialog,
  terms: TermsDialog,
  account: AccountDialog,
  login: LoginDialog,
  stop: DisableLoginDialog,
};

export type DialogName = keyof typeof DIALOGS;

/** The dialog of the chosen action. */
export function FranchiseDialog({ dialog, ...about }: DialogProps & { readonly dialog: DialogName }) {
  const Chosen = DIALOGS[dialog];
  return <Chosen {...about} />;
}

/** Asks before commission is paid as a transfer. */
function SettleDialog({ franchise, onClose }: DialogProps) {
  const changed = useChanged();
  // The amount shown when the dialog opened: the server pays this amount or nothing.
  const [amount] = useState(franchise.payable);
  return (
    <ConfirmMoney
      title={words.settleTitle}
      label={words.settle}
      amount={amount}
      facts={[
        { label: words.to, value: franchise.bank_holder_name || franchise.franchise_name },
        { label: words.toAccount, value: `${franchise.account_number}, ${franchise.ifsc}` },
      ]}
      hint={words.settleNote}
      submit={async () => {
        try {
          return await api("POST", `/franchises/${franchise.franchise_id}/settle`, { body: { amount } });
        } finally {
          await changed(...CHANGES);
        }
      }}
      onDone={({ transfer_id, amount: paid }) => {
        const isPaid = transfer_id !== null;
        const message = isPaid ? words.settleDone(rupees(paid)) : words.nothingDue;
        notifications.show({ color: isPaid ? "green" : "yellow", message });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

/** Asks before a franchise is deleted. */
function DeleteDialog({ franchise, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={words.removeTitle(franchise.franchise_name)}
      text={words.removeText}
      label={words.remove}
      danger
      submit={() => api("DELETE", `/franchises/${franchise.franchise_id}`)}
      changes={CHANGES}
      done={words.removed}
      onClose={onClose}
    />
  );
}

/** Another commission, or another way to settle it. */
function TermsDialog({ franchise, onClose }: DialogProps) {
  const { commission_type, commission, settlement_type, enable_online_settlement } = franchise;
  return (
    <FormDialog
      title={words.changeTerms}
      size="lg"
      hint={words.termsHint}
      initialValues={{ commission_type, commission, settlement_type, enable_online_settlement }}
      submit={({ enable_online_settlement: isOnline, ...values }) =>
        api("PUT", `/franchises/${franchise.franchise_id}/terms`, {
          body: { ...values, enable_online_settlement: isOnline ? 1 : 0 },
        })
      }
      changes={CHANGES}
      done={words.termsSaved}
      onClose={onClose}
    >
      {({ form, check }) => (
        <>
          <TermsFields form={form} />
          <Checkbox {...check("enable_online_settlement", words.online)} />
        </>
      )}
    </FormDialog>
  );
}

/** Another bank account. The number is typed twice: a wrong digit sends money astray. */
function AccountDialog({ franchise, onClose }: DialogProps) {
  return (
    <FormDialog
      title={words.changeAccount}
      size="lg"
      hint={words.accountHint}
      initialValues={{
        bank_holder_name: franchise.bank_holder_name,
        account_number: "",
        repeated: "",
        bank_name: franchise.bank_name,
        account_type: franchise.account_type || "Current",
        ifsc: franchise.ifsc,
      }}
      validate={{ repeated: (text, { account_number }) => (text === account_number ? null : words.differs) }}
      submit={({ repeated: _compared, ...body }) =>
        api("PUT", `/franchises/${franchise.franchise_id}/account`, { body })
      }
      changes={CHANGES}
      done={({ approval_id }) => (approval_id === null ? words.accountSaved : null)}
      onClose={onClose}
    >
      {({ form, field }) => (
        <AccountFields form={form} required>
          <TextInput {...field("repeated", words.repeated)} required autoComplete="off" />
        </AccountFields>
      )}
    </FormDialog>
  );
}

/** Lets a franchise sign in, or changes how it does. */
function LoginDialog({ franchise, onClose }: DialogProps) {
  const { data } = useGet("/session/franchises/form");
  const { sign_in_url: signInUrl } = useMerchant();
  const isNew = franchise.login_email === null;
  const roleName = franchise.role_name ?? "Franchise";
  return (
    <FormDialog
      title={isNew || franchise.login_disabled ? words.letIn : words.changeLogin}
      initialValues={{ login_email: franchise.login_email ?? "", password: "", role_name: roleName }}
      submit={(body) => api("PUT", `/franchises/${franchise.franchise_id}/login`, { body })}
      changes={CHANGES}
      done={words.loginSaved}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <TextInput
            {...field("login_email", words.loginEmail, words.loginHint(signInUrl))}
            type="email"
            required
            autoComplete="off"
          />
          <PasswordInput
            {...field(
              "password",
              isNew ? words.password : words.newPassword,
              isNew ? words.passwordHint : words.newPasswordHint,
            )}
            required={isNew}
            autoComplete="new-password"
          />
          <NativeSelect {...field("role_name", words.role)} data={data?.roles ?? [roleName]} />
        </>
      )}
    </FormDialog>
  );
}

/** Ends a franchise's sign-in until it is let in again. */
function DisableLoginDialog({ franchise, onClose }: DialogProps) {
  return (
    <ConfirmDialog
      title={words.disableLogin}
      text={words.disableLoginText(franchise.franchise_name)}
      danger
      submit={() => api("DELETE", `/franchises/${franchise.franchise_id}/login`)}
      changes={CHANGES}
      done={words.loginDisabled}
      onClose={onClose}
    />
  );
}

/** Records that commission was paid by other means. */
function RecordPaymentDialog({ franchise, onClose }: DialogProps) {
  const { today } = useMerchant();
  const [key] = useRequestKey();
  return (
    <FormDialog
      title={words.recordPayment}
      hint={words.paymentHint}
      initialValues={{ amount: franchise.payable, paid_date: today, mode: "Cash", bank_ref_no: "", note: "" }}
      submit={({ amount, ...texts }) =>
        api("POST", `/franchises/${franchise.franchise_id}/payments`, {
          key,
          body: { amount: typedAmount(amount), ...texts },
        })
      }
      changes={CHANGES}
      done={words.paymentSaved}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <MoneyField
            {...field("amount", words.amount, words.atMost(rupees(franchise.payable)))}
            required
            data-autofocus
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <DateField {...field("paid_date", words.paidDate)} required />
            <NativeSelect {...field("mode", words.mode)} data={modeChoices(MODES)} />
          </SimpleGrid>
          <TextInput {...field("bank_ref_no", words.bankRefNo)} maxLength={50} />
          <TextInput {...field("note", words.note)} maxLength={500} />
        </>
      )}
    </FormDialog>
  );
}

type ReverseProps = {
  readonly franchiseId: string;
  readonly payment: CommissionPayment;
  readonly onClose: () => void;
};

/** Reverses such a record, with a reason. Repeating it changes nothing. */
export function ReversePaymentDialog({ franchiseId, payment, onClose }: ReverseProps) {
  return (
    <FormDialog
      title={words.reversePayment}
      danger
      intro={<Text>{words.reversePaymentHint(rupees(payment.amount))}</Text>}
      initialValues={{ reason: "" }}
      submit={(body) => api("POST", `/franchises/${franchiseId}/payments/${payment.payment_id}/reverse`, { body })}
      changes={CHANGES}
      done={words.paymentReversed}
      onClose={onClose}
    >
      {({ field }) => (
        <Textarea {...field("reason", words.reason)} required data-autofocus autosize minRows={2} maxLength={500} />
      )}
    </FormDialog>
  );
}
