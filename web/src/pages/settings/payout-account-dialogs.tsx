// Dialogs that change accounts at payout providers. Each asks for the second factor once more: money leaves over what they set.
import { NativeSelect, PasswordInput, SimpleGrid, Text, Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { FormDialog } from "../../forms/dialogs.tsx";
import type { ApiForm } from "../../forms/form.tsx";
import { payoutAccounts as words } from "../../strings/payout-accounts.ts";
import { signIn } from "../../strings/sign-in.ts";

type State = Answer<"GET", "/payout-accounts">;
type Account = State["accounts"][number];
type Close = { readonly onClose: () => void };

const CHANGES = ["/payout-accounts", "/go-live"];
const MODES = ["IMPS", "NEFT", "RTGS", "UPI"] as const;

function CodeField<Values extends { readonly code: string }>({ sent }: { readonly sent: ApiForm<Values> }): ReactNode {
  return <TextInput {...sent.field("code", signIn.code)} inputMode="numeric" autoComplete="one-time-code" required />;
}

/** Connects an account. */
export function ConnectDialog({ providers, onClose }: Close & Pick<State, "providers">) {
  const initialValues = {
    provider: String(providers[0]),
    key_id: "",
    secret: "",
    webhook_secret: "",
    source_account: "",
    ...NO_OPTIONS,
    code: "",
  };
  return (
    <FormDialog
      title={words.connectTitle}
      label={words.connect}
      size="lg"
      intro={<Text>{words.connectHint}</Text>}
      initialValues={initialValues}
      submit={({ provider, key_id, secret, webhook_secret, source_account, code, ...options }) => {
        const given = { provider, key_id, secret, webhook_secret: webhook_secret || null, code: code.trim() };
        const more = provider === "razorpayx" ? { source_account } : emptyToNull(options);
        return api("POST", "/payout-accounts", { body: { ...given, ...more } });
      }}
      changes={CHANGES}
      done={words.connected}
      onClose={onClose}
    >
      {(sent) => (
        <>
          <NativeSelect
            {...sent.field("provider", words.provider)}
            data={providers.map((value) => ({ value, label: words.providers[value] ?? value }))}
            data-autofocus
          />
          <KeyFields sent={sent} isRazorpay={sent.form.values.provider === "razorpayx"} />
          {sent.form.values.provider === "razorpayx" && (
            <TextInput
              {...sent.field("source_account", words.sourceAccount, words.sourceAccountHint)}
              inputMode="numeric"
              autoComplete="off"
              required
            />
          )}
          {sent.form.values.provider === "cashfree" && (
            <>
              <OptionFields sent={sent} />
              <PasswordInput
                {...sent.field("webhook_secret", words.moreSecrets, words.moreSecretsHint)}
                autoComplete="off"
              />
            </>
          )}
          <CodeField sent={sent} />
        </>
      )}
    </FormDialog>
  );
}

/** What only Cashfree has. */
const NO_OPTIONS = { fund_source: "", verify_key_id: "", verify_secret: "", signing_key: "" };
type Options = typeof NO_OPTIONS;

function emptyToNull(options: Options): Readonly<Record<keyof Options, string | null>> {
  const entries = Object.entries(options).map(([name, value]) => [name, value.trim() === "" ? null : value] as const);
  return Object.fromEntries(entries) as Record<keyof Options, string | null>;
}

function OptionFields<Values extends Options & { readonly code: string }>({
  sent,
}: {
  readonly sent: ApiForm<Values>;
}) {
  const field = (name: keyof Options, label: string, hint: string) => sent.field(name, label, hint);
  return (
    <>
      <TextInput {...field("verify_key_id", words.verifyKeyId, words.verifyKeyIdHint)} autoComplete="off" />
      <PasswordInput {...field("verify_secret", words.verifySecret, words.verifySecretHint)} autoComplete="off" />
      <TextInput {...field("fund_source", words.fundSource, words.fundSourceHint)} autoComplete="off" />
      <Textarea {...field("signing_key", words.signingKey, words.signingKeyHint)} autoComplete="off" rows={3} />
    </>
  );
}

/** Changes what only Cashfree has. */
export function OptionsDialog({ account, onClose }: OfAccount) {
  const { fund_source, verify_key_id } = account;
  return (
    <FormDialog
      title={words.options}
      intro={<Text>{words.optionsHint}</Text>}
      size="lg"
      initialValues={{ ...NO_OPTIONS, fund_source, verify_key_id, webhook_secrets: "", code: "" }}
      submit={({ webhook_secrets, code, ...options }) => {
        const body = { ...emptyToNull(options), webhook_secrets: webhook_secrets || null, code: code.trim() };
        return api("PUT", `/payout-accounts/${account.account_id}/options`, { body });
      }}
      changes={CHANGES}
      done={words.optionsChanged}
      onClose={onClose}
    >
      {(sent) => (
        <>
          <OptionFields sent={sent} />
          <PasswordInput
            {...sent.field("webhook_secrets", words.moreSecrets, words.moreSecretsHint)}
            autoComplete="off"
          />
          <CodeField sent={sent} />
        </>
      )}
    </FormDialog>
  );
}

type KeyValues = {
  readonly key_id: string;
  readonly secret: string;
  readonly webhook_secret: string;
  readonly code: string;
};
type KeyProps<Values> = {
  readonly sent: ApiForm<Values>;
  readonly isRazorpay: boolean;
  /** Whether there is a webhook secret already. */
  readonly mayStay?: boolean;
};

function KeyFields<Values extends KeyValues>({ sent, isRazorpay, mayStay = false }: KeyProps<Values>) {
  const field = (name: keyof KeyValues, label: string, hint: string) => sent.field(name, label, hint);
  return (
    <>
      <TextInput {...field("key_id", words.keyId, words.keyIdHint)} autoComplete="off" required />
      <PasswordInput {...field("secret", words.secret, words.secretHint)} autoComplete="off" required />
      {isRazorpay && (
        <PasswordInput
          {...field(
            "webhook_secret",
            words.webhookSecret,
            mayStay ? words.webhookSecretStays : words.webhookSecretHint,
          )}
          autoComplete="off"
          required={!mayStay}
        />
      )}
    </>
  );
}

type OfAccount = Close & { readonly account: Account };

/** Other credentials of the same account. */
export function CredentialsDialog({ account, onClose }: OfAccount) {
  const isRazorpay = account.provider === "razorpayx";
  return (
    <FormDialog
      title={words.credentials}
      intro={<Text>{words.credentialsHint}</Text>}
      initialValues={{ key_id: account.key_id, secret: "", webhook_secret: "", code: "" }}
      submit={({ key_id, secret, webhook_secret, code }) => {
        const body = { key_id, secret, webhook_secret: webhook_secret || null, code: code.trim() };
        return api("PUT", `/payout-accounts/${account.account_id}/credentials`, { body });
      }}
      changes={CHANGES}
      done={words.credentialsChanged}
      onClose={onClose}
    >
      {(sent) => (
        <>
          <KeyFields sent={sent} isRazorpay={isRazorpay} mayStay />
          <CodeField sent={sent} />
        </>
      )}
    </FormDialog>
  );
}

/** What an account carries, and in which place. */
export function PlacesDialog({ account, onClose }: OfAccount) {
  const places = new Map<string, string>();
  for (const [, mode = "", place = ""] of account.modes.matchAll(/([A-Z]+)=([0-9]+)/g)) places.set(mode, place);
  const initialValues = {
    ...(Object.fromEntries(MODES.map((mode) => [mode, places.get(mode) ?? ""])) as Record<
      (typeof MODES)[number],
      string
    >),
    code: "",
  };
  return (
    <FormDialog
      title={words.setPlaces}
      intro={<Text>{words.setPlacesHint}</Text>}
      initialValues={initialValues}
      submit={({ code, ...given }) => {
        const wanted = MODES.filter((mode) => given[mode].trim() !== "").map((mode) => `${mode}=${given[mode].trim()}`);
        const body = { modes: wanted.join(",") || "none", code: code.trim() };
        return api("PUT", `/payout-accounts/${account.account_id}/modes`, { body });
      }}
      changes={CHANGES}
      done={words.placesChanged}
      onClose={onClose}
    >
      {(sent) => (
        <>
          <SimpleGrid cols={{ base: 2, sm: 4 }}>
            {MODES.map((mode) => (
              <TextInput key={mode} {...sent.field(mode, mode)} inputMode="numeric" autoComplete="off" />
            ))}
          </SimpleGrid>
          <CodeField sent={sent} />
        </>
      )}
    </FormDialog>
  );
}

/** Lets nothing new leave over an account. */
export function DisconnectDialog({ account, onClose }: OfAccount) {
  return (
    <FormDialog
      title={words.disconnectTitle}
      label={words.disconnect}
      danger
      intro={<Text>{words.disconnectHint}</Text>}
      initialValues={{ code: "" }}
      submit={({ code }) =>
        api("POST", `/payout-accounts/${account.account_id}/disconnect`, { body: { code: code.trim() } })
      }
      changes={CHANGES}
      done={words.disconnected}
      onClose={onClose}
    >
      {(sent) => <CodeField sent={sent} />}
    </FormDialog>
  );
}

/** What becomes of payouts that were never sent while a provider is down. */
export function WhenDownDialog({ state, onClose }: Close & { readonly state: State }) {
  return (
    <FormDialog
      title={words.whenDown}
      label={words.whenDownChange}
      intro={<Text>{words.whenDownHint}</Text>}
      initialValues={{
        when_down: String(state.when_down),
        give_up_minutes: String(state.give_up_minutes ?? ""),
        code: "",
      }}
      submit={({ when_down, give_up_minutes, code }) => {
        const minutes = give_up_minutes.trim();
        const body = { when_down, give_up_minutes: minutes === "" ? null : minutes, code: code.trim() };
        return api("PUT", "/payout-accounts/when-down", { body });
      }}
      changes={CHANGES}
      done={words.whenDownChanged}
      onClose={onClose}
    >
      {(sent) => (
        <>
          <NativeSelect
            {...sent.field("when_down", words.whenDownChoice)}
            data={Object.entries(words.whenDownWords).map(([value, label]) => ({ value, label }))}
          />
          <TextInput
            {...sent.field("give_up_minutes", words.giveUpField, words.giveUpHint)}
            inputMode="numeric"
            autoComplete="off"
          />
          <CodeField sent={sent} />
        </>
      )}
    </FormDialog>
  );
}
