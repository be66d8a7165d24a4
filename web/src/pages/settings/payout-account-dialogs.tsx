// Dialogs that change accounts at payout providers. Each asks for the second factor again, since payouts use these accounts.
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

type Provider = State["providers"][number];
type Credential = Provider["credentials"][number];
/** The typed values, by the names of credentials, which depend on the provider. */
type CredentialValues = Readonly<Record<string, string>>;

/** The label of a credential in the chosen language, or else the server's. */
export function wordsOf(provider: string, { name, label, help }: Credential): { label: string; hint: string } {
  const key = `${provider}.${name}`;
  return { label: words.credentialLabels[key] ?? label, hint: words.credentialHints[key] ?? `${help}.` };
}

/** An empty field means no value. */
function given(names: readonly string[], values: CredentialValues): Readonly<Record<string, string | null>> {
  return Object.fromEntries(names.map((name) => [name, (values[name] ?? "").trim() === "" ? null : values[name]!]));
}

/** Connects an account. */
export function ConnectDialog({ providers, onClose }: Close & Pick<State, "providers">) {
  const names = [...new Set(providers.flatMap(({ credentials }) => credentials.map(({ name }) => name)))];
  const initialValues: ConnectValues = {
    ...Object.fromEntries(names.map((name) => [name, ""])),
    provider: String(providers[0]?.provider),
    key_id: "",
    secret: "",
    code: "",
  };
  const find = (chosen: string) => providers.find(({ provider }) => provider === chosen);
  return (
    <FormDialog
      title={words.connectTitle}
      label={words.connect}
      size="lg"
      intro={<Text>{words.connectHint}</Text>}
      initialValues={initialValues}
      submit={({ provider, key_id, secret, code, ...values }) => {
        const asked = find(provider)?.credentials.map(({ name }) => name) ?? [];
        const body = { ...given(asked, values), provider, key_id, secret, code: code.trim() };
        return api("POST", "/payout-accounts", { body });
      }}
      changes={CHANGES}
      done={words.connected}
      onClose={onClose}
    >
      {(sent) => (
        <>
          <NativeSelect
            {...sent.field("provider", words.provider)}
            data={providers.map(({ provider, label }) => ({ value: provider, label }))}
            data-autofocus
          />
          <KeyFields sent={sent} />
          {find(sent.form.values.provider)?.credentials.map((credential) => (
            <CredentialField
              key={credential.name}
              sent={sent}
              name={credential.name}
              credential={credential}
              {...wordsOf(sent.form.values.provider, credential)}
              isRequired={credential.required}
            />
          ))}
          <CodeField sent={sent} />
        </>
      )}
    </FormDialog>
  );
}

type KeyValues = CredentialValues & { readonly key_id: string; readonly secret: string; readonly code: string };
type ConnectValues = KeyValues & { readonly provider: string };

type FieldProps<Values> = {
  readonly sent: ApiForm<Values>;
  readonly name: keyof Values & string;
  readonly credential: Credential;
  readonly label: string;
  readonly hint: string;
  readonly isRequired: boolean;
};

function CredentialField<Values extends CredentialValues>(props: FieldProps<Values>): ReactNode {
  const { sent, name, credential, label, hint, isRequired } = props;
  const field = { ...sent.field(name, label, hint), autoComplete: "off", required: isRequired };
  if (credential.kind === "text") return <TextInput {...field} />;
  return credential.kind === "key" ? <Textarea {...field} rows={3} /> : <PasswordInput {...field} />;
}

function KeyFields<Values extends KeyValues>({ sent }: { readonly sent: ApiForm<Values> }) {
  const field = (name: "key_id" | "secret", label: string, hint: string) => sent.field(name, label, hint);
  return (
    <>
      <TextInput {...field("key_id", words.keyId, words.keyIdHint)} autoComplete="off" required />
      <PasswordInput {...field("secret", words.secret, words.secretHint)} autoComplete="off" required />
    </>
  );
}

/** Changes the credentials that can be changed separately. */
export function OptionsDialog({ account, provider, onClose }: OfAccount) {
  const changing = provider.credentials.filter(({ changes }) => changes === "alone");
  const names = changing.map(({ change_name }) => change_name);
  const initialValues: CredentialValues & { readonly code: string } = {
    ...Object.fromEntries(
      changing.map(({ change_name, kind }) => [change_name, kind === "text" ? String(account[change_name] ?? "") : ""]),
    ),
    code: "",
  };
  return (
    <FormDialog
      title={words.options}
      intro={<Text>{words.optionsHint}</Text>}
      size="lg"
      initialValues={initialValues}
      submit={({ code, ...values }) => {
        const body = { ...given(names, values), code: code.trim() };
        return api("PUT", `/payout-accounts/${account.account_id}/options`, { body });
      }}
      changes={CHANGES}
      done={words.optionsChanged}
      onClose={onClose}
    >
      {(sent) => (
        <>
          {changing.map((credential) => {
            const { label, hint } = wordsOf(provider.provider, credential);
            const isRemovable = credential.kind === "key" || credential.kind === "secrets";
            return (
              <CredentialField
                key={credential.name}
                sent={sent}
                name={credential.change_name}
                credential={credential}
                label={label}
                hint={isRemovable ? `${hint} ${words.noneRemoves}` : hint}
                isRequired={false}
              />
            );
          })}
          <CodeField sent={sent} />
        </>
      )}
    </FormDialog>
  );
}

type OfAccount = Close & { readonly account: Account; readonly provider: Provider };

/** Other credentials of the same account. */
export function CredentialsDialog({ account, provider, onClose }: OfAccount) {
  const renewed = provider.credentials.filter(({ changes }) => changes === "with_keys");
  const names = renewed.map(({ name }) => name);
  const initialValues: KeyValues = {
    ...Object.fromEntries(names.map((name) => [name, ""])),
    key_id: account.key_id,
    secret: "",
    code: "",
  };
  return (
    <FormDialog
      title={words.credentials}
      intro={<Text>{words.credentialsHint}</Text>}
      initialValues={initialValues}
      submit={({ key_id, secret, code, ...values }) => {
        const body = { ...given(names, values), key_id, secret, code: code.trim() };
        return api("PUT", `/payout-accounts/${account.account_id}/credentials`, { body });
      }}
      changes={CHANGES}
      done={words.credentialsChanged}
      onClose={onClose}
    >
      {(sent) => (
        <>
          <KeyFields sent={sent} />
          {renewed.map((credential) => (
            <CredentialField
              key={credential.name}
              sent={sent}
              name={credential.name}
              credential={credential}
              label={wordsOf(provider.provider, credential).label}
              hint={words.staysIfEmpty}
              isRequired={false}
            />
          ))}
          <CodeField sent={sent} />
        </>
      )}
    </FormDialog>
  );
}

/** The modes of an account, and its places. */
export function PlacesDialog({ account, onClose }: Omit<OfAccount, "provider">) {
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

/** Disconnects an account. */
export function DisconnectDialog({ account, onClose }: Omit<OfAccount, "provider">) {
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

/** The settings for unsent payouts while a provider is down. */
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
