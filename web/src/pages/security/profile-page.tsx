// One's own profile: name, e-mail and role, a summary of security, and how the dashboard looks in this browser.
import { Radio, SimpleGrid, Skeleton, Stack, Text, useMantineColorScheme } from "@mantine/core";
import { useGet } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { Facts, StatusBadge } from "../../components/values.tsx";
import { roles } from "../../strings/access.ts";
import { chooseLanguage, LANGUAGES, readLanguage } from "../../strings/language.ts";
import { ownProfile as words } from "../../strings/settings.ts";
import { shell } from "../../strings/shell.ts";
import { security } from "../../strings/sign-in.ts";

/** The profile of the signed-in user. */
export function Page() {
  const { name, email, role, kind, merchant, second_factor: isOn } = useSession();
  const { data } = useGet("/session/sessions");
  return (
    <Outline title={shell.profile} {...(merchant ? { hint: words.hint(merchant.name) } : {})}>
      <Panel title={words.details}>
        <Stack gap="sm">
          <Facts
            facts={[
              { label: words.name, value: name },
              { label: words.email, value: email },
              { label: words.role, value: roles.names[role] ?? role },
            ]}
          />
          {kind !== "operator" && (
            <Text size="sm" c="dimmed">
              {words.nameHint}
            </Text>
          )}
        </Stack>
      </Panel>
      <Panel title={words.security} actions={<Action label={words.open} to="/security" />}>
        <Facts
          facts={[
            {
              label: words.factor,
              value: (
                <StatusBadge
                  status={isOn ? security.factorOn : security.factorOff}
                  tone={isOn ? "success" : "warning"}
                />
              ),
            },
            {
              label: words.sessions,
              value: data ? String(data.sessions.length) : <Skeleton height="1lh" width="2rem" />,
            },
          ]}
        />
      </Panel>
      <Appearance />
    </Outline>
  );
}

/** Colours and language, which the browser keeps. */
function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Panel title={words.appearance} anchor="appearance">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Radio.Group label={shell.colours} value={colorScheme} onChange={(mode) => setColorScheme(mode)}>
          <Stack gap="xs" mt="xs">
            {Object.entries(shell.colourModes).map(([mode, label]) => (
              <Radio key={mode} value={mode} label={label} />
            ))}
          </Stack>
        </Radio.Group>
        <Radio.Group label={shell.language} value={readLanguage()} onChange={(language) => chooseLanguage(language)}>
          <Stack gap="xs" mt="xs">
            {Object.entries(LANGUAGES).map(([language, label]) => (
              <Radio key={language} value={language} label={<span lang={language}>{label}</span>} />
            ))}
          </Stack>
        </Radio.Group>
      </SimpleGrid>
    </Panel>
  );
}
