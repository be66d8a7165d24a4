// Every setting: its group, its page, and its search words. The page of all settings and the global search show this list.
import { useContext } from "react";
import { type Session, useSession } from "../api/session.ts";
import type { Anchor } from "../components/page.tsx";
import { settings as words } from "../strings/settings.ts";
import { shell } from "../strings/shell.ts";
import { titles } from "../strings/titles.ts";
import { type AreaPage, maySee, PagesContext } from "./area.ts";
import { hasWords } from "./has-words.ts";

type SettingName = keyof typeof words.hints;
type SettingGroup = keyof typeof words.groups;

export type Setting = {
  readonly name: SettingName;
  readonly group: SettingGroup;
  readonly to: AreaPage["path"];
  /** Its panel, where the page has others. */
  readonly hash: Anchor | "";
  readonly label: string;
};

type Row = readonly [SettingName, AreaPage["path"], string, Anchor?];

const { names } = words;

/** In the order of the page. */
const BY_GROUP: Readonly<Record<SettingGroup, readonly Row[]>> = {
  business: [
    ["company", "/settings/company", titles.profile],
    ["bankAccount", "/settings/company", names.bankAccount, "bank-account"],
    ["goLive", "/settings/go-live", titles.goLive],
  ],
  books: [
    ["templates", "/templates", titles.templates],
    ["books", "/settings/company", names.books, "books"],
    ["reminders", "/settings/messages", names.reminders, "reminders"],
    ["items", "/items", titles.items],
    ["customFields", "/customers/columns", titles.customerColumns],
    ["customerGroups", "/customers/groups", titles.customerGroups],
  ],
  payouts: [
    ["policy", "/approvals/policy", titles.policy],
    ["payoutAccounts", "/settings/payout-accounts", titles.payoutAccounts],
  ],
  people: [
    ["users", "/settings/users", titles.users],
    ["roles", "/settings/roles", titles.roles],
    ["audit", "/settings/audit", titles.audit],
  ],
  developers: [
    ["keys", "/settings/keys", titles.keys],
    ["webhooks", "/settings/webhooks", titles.webhooks],
    ["reference", "/reference", titles.reference],
  ],
  own: [
    ["profile", "/settings/profile", shell.profile],
    ["appearance", "/settings/profile", names.appearance, "appearance"],
    ["security", "/security", titles.security],
    ["password", "/security", names.password, "password"],
  ],
};

const SETTING_GROUPS = Object.keys(BY_GROUP) as SettingGroup[];

const SETTINGS: readonly Setting[] = SETTING_GROUPS.flatMap((group) =>
  BY_GROUP[group].map(([name, to, label, hash]): Setting => ({ name, group, to, hash: hash ?? "", label })),
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
