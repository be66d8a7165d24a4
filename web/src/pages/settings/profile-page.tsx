// The company's profile, with what looks wrong in it, and the bank account that withdrawals go to.
import { List, Text } from "@mantine/core";
import { useState } from "react";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Facts } from "../../components/values.tsx";
import { hasWrongCheckDigit } from "../../format/check-digits.ts";
import { profile } from "../../strings/profile.ts";
import { BankAccountForm, PROFILE_FIELDS, ProfileForm, type Profile } from "./profile-form.tsx";

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
    // To which account money goes is for users who may move it.
    (what === "profile" || may("payouts.transfer")) &&
    data && <Action label={label} onClick={() => setOpen(what)} />;
  return (
    <Outline title={profile.title} hint={profile.hint}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
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
      <Panel title={profile.bank} actions={editButton("bank", profile.bankEdit)}>
        {data && <BankFacts {...data.profile} />}
      </Panel>
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
        ...PROFILE_FIELDS.map((name) => ({ label: profile.fields[name], value: shown[name] })),
        { label: profile.number, value: shown.merchant_id },
        { label: profile.mode, value: shown.live ? profile.live : profile.sandbox },
      ]}
    />
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
