// The dashboard's words in Hindi, compared with the English ones.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LEFT_BEHIND, TAKEN_OVER } from "../src/installation/index.ts";
import { credentialsOf, PROVIDERS } from "../src/payouts/index.ts";
import { CHART } from "../src/ledger/chart.ts";
import { POSTING_RULES } from "../src/ledger/posting-rules.ts";
import { MERCHANT_EVENTS } from "../src/webhooks/endpoint.ts";
import { eventInWords, historyInWords, payoutEventInWords } from "../web/src/format/event.ts";
import { audit } from "../web/src/strings/audit.ts";
import { goLive } from "../web/src/strings/go-live.ts";
import { audit as hindiAudit } from "../web/src/strings/hi/audit.ts";
import { eventNames as hindiEventNames } from "../web/src/strings/hi/history.ts";
import { FILES } from "../web/src/strings/hi/index.ts";
import { transferDetail as hindiTransferDetail } from "../web/src/strings/hi/payouts.ts";
import { eventNames } from "../web/src/strings/history.ts";
import { payoutAccounts } from "../web/src/strings/payout-accounts.ts";
import { transferDetail } from "../web/src/strings/payouts.ts";
import { putInPlace } from "../web/src/strings/put-in-place.ts";

type Place = { readonly where: string; readonly english: unknown; readonly hindi: unknown };

/** Names and abbreviations that are the same in both languages. */
const THE_SAME =
  /^(Nodal|Cashfree|Cashfree Payouts|RazorpayX|Ctrl K|GST %|UPI ID|dd\/mm\/yyyy|English|GSTIN|GST|[CIS]GST(?: \(₹\))?|B2[BC]|HSN|HSN\/SAC|IFSC|UTR|UPI|PAN|PIN|KYC|CSV|PDF|IMPS|NEFT|RTGS|SMS|WhatsApp|API|IP|URL|MT940|CAMT\.053|[^A-Za-z]*)$/;

/** Every text and function of a file, with its twin; helper functions of a module are nobody's words. */
function* places(where: string, english: object, hindi: object): Generator<Place> {
  for (const [name, value] of Object.entries(english)) {
    const twin = (hindi as Record<string, unknown>)[name];
    const here = `${where}.${name}`;
    if (typeof value === "object" && value !== null) yield* places(here, value as object, twin ?? {});
    else if (typeof value === "string" || typeof value === "function")
      yield { where: here, english: value, hindi: twin };
  }
}

/** The words of what providers ask for, which the connectors have in English, in the place of none. */
const CREDENTIALS = PROVIDERS.flatMap((provider) =>
  credentialsOf(provider).map(({ name, label, help }) => [`${provider}.${name}`, label, help] as const),
);
const CREDENTIAL_WORDS = {
  payoutAccounts: {
    ...payoutAccounts,
    credentialLabels: Object.fromEntries(CREDENTIALS.map(([key, label]) => [key, label])),
    credentialHints: Object.fromEntries(CREDENTIALS.map(([key, , help]) => [key, help])),
  },
};
const PAIRS = FILES.map(([english, hindi]) =>
  "payoutAccounts" in english ? ([CREDENTIAL_WORDS, hindi] as const) : ([english, hindi] as const),
);

const ALL = PAIRS.flatMap(([english, hindi]) =>
  Object.entries(english)
    .filter(([, value]) => typeof value === "object")
    .flatMap(([name, value]) => [...places(name, value as object, (hindi as Record<string, unknown>)[name] ?? {})]),
);

/** Arguments that can be seen in what a function answers. */
const GIVEN: readonly (readonly unknown[])[] = [
  ["Kestrel", "Osprey", "Merlin", "Harrier", "Goshawk"],
  [1, 1, 1, 1, 1],
  [7, 83, 649, 5021, 96],
  [83, 7, 5021, 649, 96],
];

/** What a function says of some arguments; null where it takes others. */
function say(words: unknown, given: readonly unknown[]): string | null {
  try {
    const said: unknown = (words as (...given: readonly unknown[]) => unknown)(...given);
    return typeof said === "string" ? said : null;
  } catch {
    return null;
  }
}

test("every text has its Hindi, in the Devanagari script, and no text beside them", () => {
  const missing = ALL.filter(({ english, hindi }) => typeof hindi !== typeof english).map(({ where }) => where);
  expect(missing).toEqual([]);
  const latin = ALL.filter(({ where, english, hindi }) => {
    const isKey = where.endsWith(".tone");
    return typeof hindi === "string" && !isKey && !/[\u0900-\u097f]/.test(hindi) && !THE_SAME.test(String(english));
  });
  expect(latin.map(({ where, hindi }) => `${where}: ${String(hindi)}`)).toEqual([]);
  const surplus = PAIRS.flatMap(([english, hindi]) =>
    [...places("", hindi, english)].filter((each) => each.hindi === undefined),
  );
  expect(surplus.map(({ where }) => where)).toEqual([]);
});

test("what a sentence says of its values, it says in Hindi too", () => {
  const silent: string[] = [];
  for (const { where, english, hindi } of ALL) {
    if (typeof english !== "function") continue;
    for (const given of GIVEN) {
      const [said, saidInHindi] = [say(english, given), say(hindi, given)];
      if (said === null) continue;
      const shown = given.map(String).filter((value) => said.includes(value));
      const lost = shown.filter((value) => value !== "1" && !(saidInHindi ?? "").includes(value));
      if (lost.length > 0) silent.push(`${where}: ${lost.join(", ")} not in ${saidInHindi}`);
      if (/\bundefined\b|\bNaN\b/.test(saidInHindi ?? "") && !/\bundefined\b|\bNaN\b/.test(said)) silent.push(where);
    }
  }
  expect(silent).toEqual([]);
  expect(ALL.filter(({ english }) => typeof english === "function").length).toBeGreaterThan(150);
});

test("one language's texts take the place of the other's at every depth, and what is not translated stays", () => {
  const english = {
    title: "Save",
    of: (name: string) => `Of ${name}`,
    names: ["one", "two"],
    deep: { kept: "stays", word: "go" },
  };
  putInPlace(english, { title: "सहेजें", of: (name: string) => `${name} का`, names: ["एक", "दो"], deep: { word: "जाएँ" } });
  expect({ ...english, of: english.of("A") }).toEqual({
    title: "सहेजें",
    of: "A का",
    names: ["एक", "दो"],
    deep: { kept: "stays", word: "जाएँ" },
  });
});

const STATES_OF_PAYOUTS = new Set(["awaiting_approval", "accepted", "success", "failed", "rejected", "reversed"]);

/** Types of entries as code writes them, and those that are put together from a kind and one of several words. */
const ENTRY_TYPE = /\btype: "([a-z_]+\.[a-z_]+)"/g;
const LOGIN_WORDS = /type LoginEvent =([^;]+);/;

test("every kind of entry in the audit log has its words", () => {
  const files = globSync("src/**/*.ts").filter((file) => !/\.test\.ts$|testing\.ts$/.test(file));
  const types = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(ENTRY_TYPE)].map(([, type]) => type!));
  const ofLogins = LOGIN_WORDS.exec(readFileSync("src/merchants/users/login-events.ts", "utf8"))![1]!;
  types.push(...[...ofLogins.matchAll(/"([a-z_]+)"/g)].map(([, what]) => `login.${what!}`));
  expect(types.length).toBeGreaterThan(60);
  const silent = types.filter((type) => {
    const [kind, deed] = type.split(".") as [string, string];
    return audit.kinds[kind] === undefined || audit.deeds[deed] === undefined;
  });
  expect([...new Set(silent)]).toEqual([]);
});

test("every event of webhooks and every entry of the ledger has its words, in histories too", () => {
  const payouts = new Set(["transfer", "withdrawal", "commission"]);
  const histories = new Set(["invoice", "settlement", "credit_note", "debit_note", "subscription"]);
  const silent: string[] = [];
  for (const [words, names, detail] of [
    [audit, eventNames, transferDetail],
    [hindiAudit, hindiEventNames, hindiTransferDetail],
  ] as const) {
    for (const type of MERCHANT_EVENTS.types) {
      const [kind, deed] = type.split(".") as [string, string];
      const isWorded =
        words.kinds[kind] !== undefined &&
        words.deeds[deed] !== undefined &&
        (!histories.has(kind) || names[type] !== undefined) &&
        (!payouts.has(kind) || !STATES_OF_PAYOUTS.has(deed) || detail.eventWords[deed] !== undefined);
      if (!isWorded) silent.push(type);
    }
    silent.push(...Object.keys(POSTING_RULES).filter((kind) => detail.kinds[kind] === undefined));
    silent.push(...CHART.map(({ name }) => name).filter((name) => detail.accounts[name] === undefined));
  }
  expect(silent).toEqual([]);
});

test("a type of event is never shown by itself", () => {
  const types = [
    ...MERCHANT_EVENTS.types,
    ...MERCHANT_EVENTS.kinds,
    ...Object.keys(POSTING_RULES).map((kind) => `posting.${kind}`),
  ];
  for (const say of [eventInWords, historyInWords, payoutEventInWords]) {
    expect(types.map(say).filter((words) => /[a-z]_[a-z]|[a-z]\.[a-z*]/.test(words))).toEqual([]);
  }
  expect([eventInWords("transfer.*"), historyInWords("invoice.partially_paid")]).toEqual([
    "All transfer events",
    "Partially paid",
  ]);
  expect(payoutEventInWords("posting.late_fee")).toBe("Provider fee, from a statement");
  expect(payoutEventInWords("approval.requested")).toBe("Approval requested");
});

test("what going live takes over and leaves behind is said in the dashboard's words", () => {
  expect(Object.keys(goLive.things).toSorted()).toEqual([...TAKEN_OVER, ...LEFT_BEHIND].toSorted());
});
