// The company's profile, with what looks wrong in it, and the bank account that withdrawals go to.
import { List, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { DETAIL_MEMBERS } from "../../../../src/merchants/profile-members.ts";
import { memberTexts } from "../../../../src/platform/member.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { FirstLoad, Page as Outline, Panel } from "../../components/page.tsx";
import { memberFact } from "../../components/record-facts.tsx";
import { Facts, Money } from "../../components/values.tsx";
import { hasWrongCheckDigit } from "../../format/check-digits.ts";
import { day } from "../../format/time.ts";
import { profile, profile as words } from "../../strings/profile.ts";
import { titles } from "../../strings/titles.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { IfscField } from "../../components/ifsc-field.tsx";
import { typedAmount } from "../../../../src/platform/as-typed.ts";
import { DateField } from "../../forms/date-field.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import { MoneyField } from "../../forms/form.tsx";
import { gstinDoubts } from "../../forms/doubts.ts";
import { RecordField } from "../../forms/record-field.tsx";

/** Company details and bank account. */
export function Page() {
  const may = usePermissions();
  const [open, setOpen] = useState<"profile" | "bank" | null>(null);
  const [waiting, setWaiting] = useState<string | null>(null);
  const { data, error, refetch } = useGet("/profile");
  const isDoubtful = data && hasWrongCheckDigit(data.profile.gstin);
  const ofGstin = isDoubtful ? [{ field: "gstin", message: profile.gstinWarning } as const] : [];
  const warnings = [...(data?.warnings ?? []), ...ofGstin];
  const editButton = (what: "profile" | "bank", label: string) =>
    may("profile.manage") &&
    // Only users who may move money can change the bank account.
    (what === "profile" || may("payouts.transfer")) &&
    data && <Action label={label} onClick={() => setOpen(what)} />;
  return (
    <Outline title={titles.profile} hint={profile.hint}>
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : data ? null : <FirstLoad />}
      {warnings.length > 0 && (
        <Notice title={profile.check}>
          <List size="sm">
            {warnings.map(({ field, message }) => (
              <List.Item key={message}>
                {profile.fields[field]}: {message}
              </List.Item>
            ))}
          </List>
        </Notice>
      )}
      {waiting !== null && <Notice>{profile.bankWaits(waiting)}</Notice>}
      <Panel title={profile.company} actions={editButton("profile", profile.edit)}>
        {data && <CompanyFacts {...data.profile} />}
      </Panel>
      <Panel title={profile.bank} anchor="bank-account" actions={editButton("bank", profile.bankEdit)}>
        {data && <BankFacts {...data.profile} />}
      </Panel>
      <Books />
      {open === "profile" && data && <ProfileForm profile={data.profile} onClose={() => setOpen(null)} />}
      {open === "bank" && (
        <BankAccountForm
          onDone={(approvalId) => {
            setOpen(null);
            setWaiting(approvalId);
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </Outline>
  );
}

function CompanyFacts(shown: Profile) {
  return (
    <Facts
      facts={[
        ...DETAIL_MEMBERS.map((member) => ({
          label: profile.fields[member.name],
          value: memberFact(member, shown[member.name]),
        })),
        { label: profile.number, value: shown.merchant_id },
        { label: profile.mode, value: shown.live ? profile.live : profile.sandbox },
      ]}
    />
  );
}

/** The merchant's accounting settings. */
function Books() {
  const may = usePermissions();
  const [isOpen, setOpen] = useState(false);
  const { data } = useGet("/book-settings");
  if (!data) return null;
  const edit = may("profile.manage") && <Action label={words.booksEdit} onClick={() => setOpen(true)} />;
  return (
    <Panel title={words.books} anchor="books" actions={edit}>
      <Facts
        facts={[
          { label: words.writeOffLimit, value: <Money amount={data.write_off_limit} /> },
          { label: words.lockedUntil, value: data.locked_until ? day(data.locked_until) : words.notLocked },
        ]}
      />
      {isOpen && (
        <FormDialog
          title={words.booksEdit}
          label={words.save}
          initialValues={data}
          submit={({ write_off_limit, locked_until }) =>
            api("PUT", "/book-settings", { body: { write_off_limit: typedAmount(write_off_limit), locked_until } })
          }
          changes={["/book-settings"]}
          done={words.booksSaved}
          onClose={() => setOpen(false)}
        >
          {({ field }) => (
            <>
              <MoneyField
                {...field("write_off_limit", words.writeOffLimit, words.writeOffHint)}
                required
                data-autofocus
              />
              <DateField {...field("locked_until", words.lockedUntil, words.lockedHint)} />
            </>
          )}
        </FormDialog>
      )}
    </Panel>
  );
}

function BankFacts({ bank_account, ifsc, bank_holder, name }: Profile) {
  if (bank_account === "") return <Text>{profile.bankNone}</Text>;
  return (
    <Facts
      facts={[
        { label: profile.account, value: bank_account },
        { label: profile.ifsc, value: ifsc },
        { label: profile.holder, value: bank_holder || name },
      ]}
    />
  );
}

type Profile = Answer<"GET", "/profile">["profile"];

/** The name in the frame, and the merchant's day, come from the profile too. */
const CHANGES = ["/profile", "/session"];

type Props = { readonly profile: Profile; readonly onClose: () => void };

/** The dialog of the company details: only what differs is sent. A PAN that is masked stays unless another one is typed. */
function ProfileForm({ profile, onClose }: Props) {
  const seesPan = usePermissions()("personal_data.reveal");
  const before = memberTexts(DETAIL_MEMBERS, (name) => (name === "pan" && !seesPan ? "" : profile[name]));
  return (
    <FormDialog
      title={words.editTitle}
      label={words.save}
      size="lg"
      initialValues={before}
      doubts={({ gstin }) => gstinDoubts(gstin, before.gstin)}
      submit={(values) => {
        const changed = DETAIL_MEMBERS.filter(({ name }) => values[name] !== before[name]);
        const body: Partial<typeof before> = Object.fromEntries(changed.map(({ name }) => [name, values[name]]));
        return api("PUT", "/profile", { body });
      }}
      changes={CHANGES}
      done={words.saved}
      onClose={onClose}
    >
      {({ form, field }) => (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {DETAIL_MEMBERS.map((member, index) => {
            const { name } = member;
            const hint = name === "pan" && !seesPan ? words.panHidden : undefined;
            return (
              <RecordField
                key={name}
                member={member}
                field={field(name, words.fields[name], hint)}
                state={form.values.state}
                required={"isRequired" in member && before[name] !== ""}
                data-autofocus={index === 0 || undefined}
              />
            );
          })}
        </SimpleGrid>
      )}
    </FormDialog>
  );
}

type BankProps = {
  /** Gets the approval that the change waits for; `null` if it has taken effect. */
  readonly onDone: (approvalId: string | null) => void;
  readonly onClose: () => void;
};

/** The dialog of the bank account. The number is typed twice: a wrong digit sends money astray. */
function BankAccountForm({ onDone, onClose }: BankProps) {
  const typed = { autoComplete: "off", required: true };
  return (
    <FormDialog
      title={words.bankEdit}
      hint={words.bankHint}
      initialValues={{ bank_account: "", repeated: "", ifsc: "", bank_holder: "" }}
      validate={{ repeated: (text, { bank_account }) => (text === bank_account ? null : words.differs) }}
      submit={({ repeated: _compared, ...body }) => api("PUT", "/bank-account", { body })}
      changes={CHANGES}
      done={({ approval_id }) => (approval_id === null ? words.bankSaved : null)}
      onDone={({ approval_id }) => onDone(approval_id)}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <TextInput {...field("bank_account", words.account)} {...typed} data-autofocus />
          <TextInput {...field("repeated", words.repeated)} {...typed} />
          <IfscField {...field("ifsc", words.ifsc)} required />
          <TextInput {...field("bank_holder", words.holder, words.holderHint)} autoComplete="off" />
        </>
      )}
    </FormDialog>
  );
}
