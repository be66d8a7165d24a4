// Accounts at payout providers: their health, their modes, and the settings for when one is down.
import { Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { Action, CopyButton } from "../../components/actions.tsx";
import { useCounterpart } from "../../components/counterpart-link.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Facts, StatusBadge } from "../../components/values.tsx";
import { ConfirmDialog } from "../../forms/dialogs.tsx";
import { moment } from "../../format/time.ts";
import { payoutAccounts as words } from "../../strings/payout-accounts.ts";
import { titles } from "../../strings/titles.ts";
import {
  ConnectDialog,
  CredentialsDialog,
  DisconnectDialog,
  OptionsDialog,
  PlacesDialog,
  WhenDownDialog,
  wordsOf,
} from "./payout-account-dialogs.tsx";

type State = Answer<"GET", "/payout-accounts">;
type Account = State["accounts"][number];
type Provider = State["providers"][number];
type DialogName = "test" | "places" | "credentials" | "options" | "disconnect";

/** Payout accounts. */
export function Page() {
  const { data, error, refetch } = useGet("/payout-accounts");
  const [isConnecting, setConnecting] = useState(false);
  const [isSettingDown, setSettingDown] = useState(false);
  const mayChange = data !== undefined && data.may_change && data.has_second_factor;
  const connect = data?.live && (
    <Action label={words.connect} primary disabled={!mayChange} onClick={() => setConnecting(true)} />
  );
  return (
    <Outline title={titles.payoutAccounts} hint={words.hint} actions={connect}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && !data.live && <SandboxNotice />}
      {data?.live && !data.may_change && <Notice>{words.notYours}</Notice>}
      {data?.live && data.may_change && !data.has_second_factor && <Notice>{words.factorMissing}</Notice>}
      {data?.live && data.accounts.length === 0 && (
        <Panel>
          <EmptyState title={words.empty} hint={words.emptyHint} />
        </Panel>
      )}
      {data?.accounts.map((account) => (
        <AccountPanel
          key={account.account_id}
          account={account}
          provider={data.providers.find(({ provider }) => provider === account.provider)!}
          mayChange={mayChange}
        />
      ))}
      {data?.live && (
        <Panel
          title={words.whenDown}
          actions={<Action label={words.whenDownChange} disabled={!mayChange} onClick={() => setSettingDown(true)} />}
        >
          <WhenDown state={data} />
        </Panel>
      )}
      {isConnecting && data && <ConnectDialog providers={data.providers} onClose={() => setConnecting(false)} />}
      {isSettingDown && data && <WhenDownDialog state={data} onClose={() => setSettingDown(false)} />}
    </Outline>
  );
}

function SandboxNotice() {
  const counterpart = useCounterpart();
  return (
    <Notice color="blue">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{words.sandbox}</Text>
        {counterpart ? (
          <Action label={words.toLive} href={counterpart.href} onClick={counterpart.onClick} />
        ) : (
          <Action label={words.toGoLive} to="/settings/go-live" />
        )}
      </Group>
    </Notice>
  );
}

function WhenDown({ state: { when_down, give_up_minutes } }: { readonly state: State }) {
  return (
    <Facts
      facts={[
        { label: words.whenDownChoice, value: words.whenDownWords[when_down] },
        { label: words.giveUp, value: give_up_minutes === null ? words.never : words.minutes(give_up_minutes) },
      ]}
    />
  );
}

type OfAccount = { readonly account: Account; readonly provider: Provider };

/** One account, with what can be done about it. */
function AccountPanel({ account, provider, mayChange }: OfAccount & { readonly mayChange: boolean }) {
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const { account_id: id, state } = account;
  const close = () => setDialog(null);
  const isConnected = state !== "disconnected";
  return (
    <Panel
      title={`${provider.label} · ${account.key_id}`}
      actions={<StatusBadge status={state} {...words.states[state]} />}
    >
      <Stack gap="md">
        <AccountFacts account={account} provider={provider} />
        {isConnected && (
          <Group gap="xs">
            <CopyButton text={account.webhook_url} label={words.copy} />
            <Action label={words.test} onClick={() => setDialog("test")} />
            <Action label={words.setPlaces} disabled={!mayChange} onClick={() => setDialog("places")} />
            <Action label={words.credentials} disabled={!mayChange} onClick={() => setDialog("credentials")} />
            {provider.credentials.some(({ changes }) => changes === "alone") && (
              <Action label={words.options} disabled={!mayChange} onClick={() => setDialog("options")} />
            )}
            <Action label={words.disconnect} disabled={!mayChange} onClick={() => setDialog("disconnect")} />
          </Group>
        )}
      </Stack>
      {dialog === "test" && (
        <ConfirmDialog
          title={words.testTitle}
          text={words.testText}
          label={words.test}
          submit={() => api("POST", `/payout-accounts/${id}/test`)}
          done={({ balance }) => words.testDone(balance)}
          onClose={close}
        />
      )}
      {dialog === "places" && <PlacesDialog account={account} onClose={close} />}
      {dialog === "credentials" && <CredentialsDialog account={account} provider={provider} onClose={close} />}
      {dialog === "options" && <OptionsDialog account={account} provider={provider} onClose={close} />}
      {dialog === "disconnect" && <DisconnectDialog account={account} onClose={close} />}
    </Panel>
  );
}

/** What is known of an account's credentials: texts, whether there is a key, and how many secrets there are. */
function credentialFacts({ account, provider }: OfAccount) {
  return provider.credentials.flatMap((credential) => {
    const value = account[credential.change_name];
    const { label } = wordsOf(provider.provider, credential);
    if (typeof value === "boolean") return [{ label, value: value ? words.given : words.notGiven }];
    return value === undefined || value === 0 || value === "" ? [] : [{ label, value: String(value) }];
  });
}

function AccountFacts({ account, provider }: OfAccount) {
  const { failing_since, disconnected_at } = account;
  const address = (text: string) => <Code style={{ overflowWrap: "anywhere" }}>{text}</Code>;
  return (
    <Facts
      facts={[
        ...(failing_since === null
          ? []
          : [
              { label: words.failing, value: moment(failing_since) },
              { label: words.reason, value: account.failing_reason },
            ]),
        { label: words.places, value: words.placesWords(account.modes) },
        ...credentialFacts({ account, provider }),
        { label: words.since, value: moment(account.connected_at) },
        ...(disconnected_at === null ? [] : [{ label: words.until, value: moment(disconnected_at) }]),
        { label: words.address, value: address(account.base_url) },
        { label: words.webhook, value: address(account.webhook_url) },
      ]}
    />
  );
}
