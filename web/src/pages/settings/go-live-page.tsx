// Going live: the checklist, what is copied and what stays, and the step itself.
import { Checkbox, Group, List, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { useCounterpart } from "../../components/counterpart-link.tsx";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import { goLive } from "../../strings/go-live.ts";
import { signIn } from "../../strings/sign-in.ts";
import { titles } from "../../strings/titles.ts";
import { WEIGHT } from "../../app/tokens.ts";

type State = Answer<"GET", "/go-live">;
type Step = {
  readonly name: string;
  readonly hint: string;
  /** `null` for what is not known here. */
  readonly isDone: boolean | null;
  readonly link?: { readonly label: string; readonly to: string };
};

const CHANGES = ["/go-live", "/session"];

/** Going live, or what a live merchant still needs. */
export function Page() {
  const { data, error, refetch } = useGet("/go-live");
  const [isOpen, setOpen] = useState(false);
  const counterpart = useCounterpart();
  const isLive = data?.mode === "live";
  const toSandbox = isLive && counterpart && (
    <Action label={goLive.signInSandbox} href={counterpart.href} onClick={counterpart.onClick} />
  );
  const button = data?.is_owner && !isLive && data.counterpart === null && (
    <Action label={goLive.open} primary disabled={!mayOpen(data)} onClick={() => setOpen(true)} />
  );
  return (
    <Outline title={titles.goLive} hint={isLive ? goLive.hintLive : goLive.hint} actions={toSandbox || button}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && !isLive && !counterpart && !data.is_owner && <Notice>{goLive.ownersOnly}</Notice>}
      {!isLive && counterpart && (
        <Notice color="blue">
          <Group justify="space-between" gap="sm">
            <Text size="sm">{goLive.goneLive(counterpart.id)}</Text>
            <Action label={goLive.signIn} primary href={counterpart.href} onClick={counterpart.onClick} />
          </Group>
        </Notice>
      )}
      {data && (
        <Panel title={goLive.steps}>
          <Steps steps={isLive ? stepsOfLive(data) : stepsOfSandbox(data)} />
        </Panel>
      )}
      {data && !isLive && (
        <Panel>
          <Lists {...data} />
        </Panel>
      )}
      {isOpen && data && <OpenDialog state={data} onClose={() => setOpen(false)} />}
    </Outline>
  );
}

function mayOpen({ needs_kyc, kyc, has_bank_account, has_second_factor }: State): boolean {
  return (!needs_kyc || kyc.status === "approved") && has_bank_account && has_second_factor;
}

/** Only where the installation asks for it. */
function kycSteps({ needs_kyc, kyc }: State): Step[] {
  if (!needs_kyc) return [];
  const hint = kyc.status === "rejected" ? goLive.kycRejected(kyc.reasons.join(" · ")) : goLive.kycHint;
  return [{ name: goLive.kyc, hint, isDone: kyc.status === "approved" }];
}

function bankStep({ mode, has_bank_account: isDone }: State): Step {
  const link = { label: goLive.toCompany, to: "/settings/company" };
  const hint = mode === "live" ? goLive.bankAccountHintLive : goLive.bankAccountHint;
  return { name: goLive.bankAccount, hint, isDone, link };
}

function stepsOfSandbox(state: State): Step[] {
  return [
    ...kycSteps(state),
    bankStep(state),
    {
      name: goLive.factor,
      hint: goLive.factorHint,
      isDone: state.has_second_factor,
      link: { label: goLive.toSecurity, to: "/security" },
    },
    { name: goLive.live, hint: goLive.liveHint, isDone: state.counterpart !== null },
    { name: goLive.provider, hint: goLive.providerLater, isDone: null },
  ];
}

function stepsOfLive(state: State): Step[] {
  return [
    bankStep(state),
    {
      name: goLive.provider,
      hint: goLive.providerHint,
      isDone: state.has_provider,
      link: { label: goLive.toProvider, to: "/settings/payout-accounts" },
    },
    {
      name: goLive.keys,
      hint: goLive.keysHint,
      isDone: null,
      link: { label: goLive.toKeys, to: "/settings/keys" },
    },
  ];
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
      {steps.map(({ name, hint, isDone, link }) => (
        <li key={name}>
          <Group gap="xs">
            <Text fw={WEIGHT.strong}>{name}</Text>
            {isDone !== null && (
              <StatusBadge status={isDone ? goLive.done : goLive.missing} tone={isDone ? "success" : "warning"} />
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {hint} {link && isDone !== true && <LinkTo {...link} size="sm" underline="always" />}
          </Text>
        </li>
      ))}
    </Stack>
  );
}

/** What is copied, and what stays in the sandbox. */
function Lists({ takes_over, leaves_behind }: Pick<State, "takes_over" | "leaves_behind">) {
  const lists = [
    [goLive.takesOver, takes_over],
    [goLive.leavesBehind, leaves_behind],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      {lists.map(([title, lines]) => (
        <div key={title}>
          <Title order={3} size="h5" mb="xs">
            {title}
          </Title>
          <List size="sm" spacing={4}>
            {lines.map((line) => (
              <List.Item key={line}>{goLive.things[line] ?? line}</List.Item>
            ))}
          </List>
        </div>
      ))}
    </SimpleGrid>
  );
}

/** Says once more what stays, and asks who signs in there and for the second factor. */
function OpenDialog({ state, onClose }: { readonly state: State; readonly onClose: () => void }) {
  const { id } = useSession();
  const others = state.owners.filter((owner) => owner.id !== id);
  return (
    <FormDialog
      title={goLive.openTitle}
      label={goLive.open}
      size="lg"
      danger
      intro={
        <>
          <Text>{goLive.openHint}</Text>
          <Lists {...state} />
        </>
      }
      initialValues={{ logins: [] as string[], code: "" }}
      submit={({ logins, code }) => api("POST", "/go-live", { body: { logins, code: code.trim() } })}
      changes={CHANGES}
      done={goLive.opened}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          {others.length > 0 && (
            <Checkbox.Group {...field("logins", goLive.owners, goLive.ownersHint)}>
              <Stack gap="xs" mt="xs">
                {others.map((owner) => (
                  <Checkbox
                    key={owner.id}
                    value={owner.id}
                    label={owner.second_factor ? owner.name : goLive.withoutFactor(owner.name)}
                    description={owner.email}
                  />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          <TextInput
            {...field("code", signIn.code)}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            data-autofocus
          />
        </>
      )}
    </FormDialog>
  );
}
