// The company's profile, with what looks wrong in it, and the bank account that withdrawals go to.
// What belongs here: showing both. The forms are profile-form.tsx and bank-account-form.tsx.
import { Alert, Button, List, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { sessionQuery, usePermissions } from "../../api/session.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { AlertIcon } from "../../components/icons.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { hasWrongCheckDigit } from "../../format/check-digits.ts";
import { profile } from "../../strings/profile.ts";
import { BankAccountForm } from "./bank-account-form.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { PROFILE_FIELDS, PROFILE_KEY, type Profile, type ProfileAnswer } from "./profile.ts";

/** Company details and bank account. */
export function Page() {
  const may = usePermissions();
  const queries = useQueryClient();
  const [open, setOpen] = useState<"profile" | "bank" | null>(null);
  const [waiting, setWaiting] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: PROFILE_KEY,
    queryFn: ({ signal }) => api<ProfileAnswer>("GET", "/profile", { signal }),
  });
  const done = (approvalId: string | null): void => {
    setOpen(null);
    setWaiting(approvalId);
    void queries.invalidateQueries({ queryKey: PROFILE_KEY });
    // The name in the frame, and the merchant's day.
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const isDoubtful = data && hasWrongCheckDigit(data.profile.gstin);
  const ofGstin = isDoubtful ? [{ field: "gstin", message: profile.gstinWarning } as const] : [];
  const warnings = [...(data?.warnings ?? []), ...ofGstin];
  const editButton = (what: "profile" | "bank", label: string) =>
    may("profile.manage") &&
    // To which account money goes is for whoever may move it.
    (what === "profile" || may("payouts.transfer")) &&
    data && (
      <Button variant="default" onClick={() => setOpen(what)}>
        {label}
      </Button>
    );
  return (
    <Outline title={profile.title} hint={profile.hint}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {warnings.length > 0 && (
        <Alert color="yellow" variant="outline" icon={<AlertIcon />} title={profile.check} role="status">
          <List size="sm">
            {warnings.map(({ field, message }) => (
              <List.Item key={message}>
                {profile.fields[field]}: {message}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {waiting !== null && (
        <Alert color="yellow" variant="outline" icon={<AlertIcon />} role="status">
          {profile.bankWaits(waiting)}
        </Alert>
      )}
      <Panel title={profile.company} actions={editButton("profile", profile.edit)}>
        {data && <CompanyFacts {...data.profile} />}
      </Panel>
      <Panel title={profile.bank} actions={editButton("bank", profile.bankEdit)}>
        {data && <BankFacts {...data.profile} />}
      </Panel>
      {open === "profile" && data && (
        <ProfileForm profile={data.profile} onDone={() => done(null)} onClose={() => setOpen(null)} />
      )}
      {open === "bank" && <BankAccountForm onDone={done} onClose={() => setOpen(null)} />}
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
