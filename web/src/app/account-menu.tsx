// The menu of the signed-in user: security, colour scheme, sign-out.
import { Menu, Text, UnstyledButton, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link } from "@tanstack/react-router";
import { api } from "../api/client.ts";
import { useMerchant, useSession } from "../api/session.ts";
import { useCounterpart } from "../components/counterpart-link.tsx";
import { UserIcon } from "../components/icons.tsx";
import { forgetDrafts } from "../forms/draft.ts";
import { goLive } from "../strings/go-live.ts";
import { chooseLanguage, LANGUAGES, readLanguage, type Language } from "../strings/language.ts";
import { roles } from "../strings/access.ts";
import { shell } from "../strings/shell.ts";
import { merchantInAddress, signInAddress } from "./place.ts";
import classes from "./shell.module.css";

const MODES: readonly MantineColorScheme[] = ["light", "dark", "auto"];

/** The user's name, with the menu. */
export function AccountMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const { name, email, role, merchant } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton className={classes["account"]} aria-label={shell.accountMenu(name)}>
          <UserIcon />
          <Text size="sm" truncate visibleFrom="sm">
            {name}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {email}
          <br />
          {roles.names[role] ?? role}
        </Menu.Label>
        <Menu.Item component={Link} to="/settings/profile">
          {shell.profile}
        </Menu.Item>
        <Menu.Item component={Link} to="/security">
          {shell.security}
        </Menu.Item>
        <Menu.Item onClick={onShortcuts}>{shell.shortcuts}</Menu.Item>
        {merchant && <CounterpartItem />}
        {merchantInAddress() !== null && (
          <Menu.Item component="a" href="/">
            {shell.backToOperator}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>{shell.colours}</Menu.Label>
        {MODES.map((mode) => (
          <Menu.RadioItem
            key={mode}
            value={mode}
            checked={colorScheme === mode}
            closeMenuOnClick={false}
            onClick={() => setColorScheme(mode)}
          >
            {shell.colourModes[mode]}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.Label>{shell.language}</Menu.Label>
        {(Object.keys(LANGUAGES) as Language[]).map((language) => (
          <Menu.RadioItem
            key={language}
            value={language}
            lang={language}
            checked={language === readLanguage()}
            onClick={() => chooseLanguage(language)}
          >
            {LANGUAGES[language]}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{shell.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Leads to the live merchant of this sandbox, or back. */
function CounterpartItem() {
  const { live } = useMerchant();
  const link = useCounterpart();
  return (
    link && (
      <Menu.Item component="a" href={link.href} onClick={link.onClick}>
        {live ? goLive.toSandbox : goLive.toLive}
      </Menu.Item>
    )
  );
}

/** Reloads the page, so that nothing of this session stays in memory. */
async function signOut(): Promise<void> {
  try {
    await api("POST", "/session/sign-out", { body: {} });
    forgetDrafts();
    location.assign(signInAddress("/"));
  } catch (error) {
    notifications.show({ color: "red", message: (error as Error).message });
  }
}
