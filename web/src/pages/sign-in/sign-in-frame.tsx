// The frame of the pages before signing in: one card in the middle.
import { Anchor, Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { LinkTo } from "../../components/actions.tsx";
import { Mark } from "../../components/mark.tsx";
import { FreeToLeave } from "../../forms/leave-guard.tsx";
import { chooseLanguage, LANGUAGES, readLanguage, type Language } from "../../strings/language.ts";
import { shell } from "../../strings/shell.ts";
import { WEIGHT } from "../../app/tokens.ts";

type Props = { readonly title: string; readonly hint?: string; readonly children: ReactNode };

/** A card with a heading. */
export function SignInFrame({ title, hint, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${shell.product}`;
  }, [title]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Group gap="sm" justify="center">
          <Mark size={32} />
          <Text fw={WEIGHT.strong} size="xl">
            {shell.product}
          </Text>
        </Group>
        <Paper withBorder p={{ base: "lg", sm: "xl" }}>
          <Stack gap="md">
            <div>
              <Title order={1}>{title}</Title>
              {hint !== undefined && <Text c="dimmed">{hint}</Text>}
            </div>
            <FreeToLeave value={true}>{children}</FreeToLeave>
          </Stack>
        </Paper>
        <OtherLanguages />
      </Stack>
    </Center>
  );
}

function OtherLanguages() {
  const others = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== readLanguage());
  return (
    <Group justify="center">
      {others.map((language) => (
        <Anchor key={language} component="button" size="sm" lang={language} onClick={() => chooseLanguage(language)}>
          {LANGUAGES[language]}
        </Anchor>
      ))}
    </Group>
  );
}

/** The merchant's number in the address; `null` if there is none, or it is not a number. */
export function useSignInMerchant(): string | null {
  const { merchant = "" }: { merchant?: string } = useSearch({ strict: false });
  return /^[0-9]{1,16}$/.test(merchant) ? merchant : null;
}

/** The merchant in a request about a login. */
export function merchantPart(merchant: string | null): { readonly merchant?: string } {
  return merchant === null ? {} : { merchant };
}

type SignInLinkProps = { readonly to: "/sign-in" | "/forgot-password"; readonly label: string };

/** A link to another page before signing in, for the same merchant. */
export function SignInLink({ to, label }: SignInLinkProps) {
  return <LinkTo label={label} to={to} search={merchantPart(useSignInMerchant())} size="sm" />;
}
