// Every setting: its group, its page, and the words it is found by. The page of all settings and the global search show this list.
import { useContext } from "react";
import { type Session, useSession } from "../api/session.ts";
import { keys, roles, users } from "../strings/access.ts";
import { policy } from "../strings/payouts.ts";
import { audit } from "../strings/audit.ts";
import { customerColumns, customerGroups } from "../strings/customers.ts";
import { goLive } from "../strings/go-live.ts";
import { items } from "../strings/items.ts";
import { payoutAccounts } from "../strings/payout-accounts.ts";
import { profile } from "../strings/profile.ts";
import { reference } from "../strings/reference.ts";
import { settings as words } from "../strings/settings.ts";
import { shell } from "../strings/shell.ts";
import { security } from "../strings/sign-in.ts";
import { templates } from "../strings/templates.ts";
import { webhooks } from "../strings/webhooks.ts";
import { type AreaPage, maySee, PagesContext } from "./area.ts";
import { hasWords } from "./has-words.ts";

type SettingName = keyof typeof words.hints;
type SettingGroup = keyof typeof words.groups;

export type Setting = {
  readonly name: SettingName;
  readonly group: SettingGroup;
  readonly to: AreaPage["path"];
  readonly label: string;
};

type Row = readonly [SettingName, AreaPage["path"], string];

const { names } = words;

/** In the order of the page. */
const BY_GROUP: Readonly<Record<SettingGroup, readonly Row[]>> = {
  business: [
    ["company", "/settings/company", profile.title],
    ["bankAccount", "/settings/company", names.bankAccount],
    ["goLive", "/settings/go-live", goLive.title],
  ],
  books: [
    ["templates", "/templates", templates.title],
    ["books", "/settings/company", names.books],
    ["reminders", "/settings/messages", names.reminders],
    ["items", "/items", items.title],
    ["customFields", "/customers/columns", customerColumns.title],
    ["customerGroups", "/customers/groups", customerGroups.title],
  ],
  payouts: [
    ["policy", "/approvals/policy", policy.title],
    ["payoutAccounts", "/settings/payout-accounts", payoutAccounts.title],
  ],
  people: [
    ["users", "/settings/users", users.title],
    ["roles", "/settings/roles", roles.title],
    ["audit", "/settings/audit", audit.title],
  ],
  developers: [
    ["keys", "/settings/keys", keys.title],
    ["webhooks", "/settings/webhooks", webhooks.title],
    ["reference", "/reference", reference.title],
  ],
  own: [
    ["profile", "/settings/profile", shell.profile],
    ["appearance", "/settings/profile", names.appearance],
    ["security", "/security", security.title],
    ["password", "/security", names.password],
  ],
};

const SETTING_GROUPS = Object.keys(BY_GROUP) as SettingGroup[];

const SETTINGS: readonly Setting[] = SETTING_GROUPS.flatMap((group) =>
  BY_GROUP[group].map(([name, to, label]) => ({ name, group, to, label })),
);

/**
 * The settings that the session may see and that have all words of a text, in this language or in English. Those that have them in their
 * names come first.
 */
export function findSettings(session: Session, pages: readonly AreaPage[], text: string): Setting[] {
  const seen = new Set(pages.filter((page) => maySee(session, page)).map(({ path }) => path));
  const found = SETTINGS.filter(({ name, group, to, label }) => {
    const texts = [label, words.groups[group], words.hints[name], words.words[name]];
    return seen.has(to) && hasWords(texts, text);
  });
  const named = found.filter(({ label }) => hasWords([label], text));
  return [...named, ...found.filter((setting) => !named.includes(setting))];
}

/** The same for the signed-in user. */
export function useSettings(text: string): readonly Setting[] {
  return findSettings(useSession(), useContext(PagesContext), text);
}
