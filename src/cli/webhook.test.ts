// The options of `nodal webhook`: their meaning, and refused typos.
import { describe, expect, test } from "vitest";
import { sentenceOf, type NodalError } from "../platform/errors.ts";
import { INSTALLATION_EVENTS, MERCHANT_EVENTS, rangeOf } from "../webhooks/index.ts";
import type { GivenOptions } from "./command.ts";
import { createCommand, describeEventTypes, enableCommand, redeliverCommand } from "./webhook.ts";

const CREATE = { merchant: "1000001", url: "https://example.com/hook" };
const KEY = { merchant: "1000001", endpoint: "1000310" };

/** The messages for the refused flags, in order. */
function refusals(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    return (error as NodalError).errors.map(sentenceOf);
  }
}

describe("create", () => {
  test("takes every event, or types and kinds", () => {
    expect(createCommand.read(CREATE)).toMatchObject({ merchant: 1000001n, url: CREATE.url, events: null });
    const { events } = createCommand.read({ ...CREATE, events: " transfer.*, invoice.paid,invoice.paid" });
    expect(events).toEqual(["transfer.*", "invoice.paid"]);
  });

  test.each<[GivenOptions, RegExp]>([
    [
      { url: "http://example.com/hook" },
      /^--url must be a URL that begins with https:\/\/\..*WEBHOOK_ALLOW_PRIVATE=on/,
    ],
    [{ url: "https://0x7f000001/" }, /^--url must name a host on the public internet, and 127\.0\.0\.1 is not one\./],
    [{ url: "https://me:secret@example.com/" }, /^--url must not contain a user name or password/],
    [{ url: undefined }, /^--url is required/],
    [{ merchant: undefined }, /^Give --merchant <id> or --installation\.$/],
    // The URL parser would accept them, but they can't be stored as text.
    [{ url: "https://example.com/\u0000" }, /^--url must not contain control characters or broken Unicode/],
    [{ url: "https://exa\tmple.com/\ud800" }, /^--url must not contain control characters or broken Unicode/],
    [
      { events: "transfer.sent" },
      /^--events must .*; "transfer\.sent" is not one: docs\/webhooks\.md and `nodal webhook create --help` list them\.$/,
    ],
    [{ events: "*" }, /^--events/],
    [{ description: "a".repeat(201) }, /^--description/],
  ])("refuses %j", (changes, sentence) => {
    expect(refusals(() => createCommand.read({ ...CREATE, ...changes }))).toEqual([expect.stringMatching(sentence)]);
  });
});

test("enable skips nothing unless it is told to", () => {
  expect(enableCommand.read(KEY)).toMatchObject({ merchant: 1000001n, endpoint: 1000310n, skipMissed: null });
  expect(enableCommand.read({ ...KEY, skipMissed: true }).skipMissed).toBe(true);
});

test("the help of create names every kind with its types", () => {
  const help = describeEventTypes();
  expect(help).toContain("  balance.*: balance.funded\n");
  for (const { kinds, types } of [MERCHANT_EVENTS, INSTALLATION_EVENTS]) {
    for (const type of [...kinds, ...types]) expect(help).toContain(type);
  }
});

describe("redeliver", () => {
  test("takes one event, or a range", () => {
    expect(rangeOf(redeliverCommand.read({ ...KEY, event: "12" }))).toMatchObject({ from: 12n, to: 12n });
    expect(rangeOf(redeliverCommand.read({ ...KEY, from: "1", to: "10000" }))).toMatchObject({ from: 1n, to: 10_000n });
  });

  test.each<[GivenOptions, RegExp]>([
    [{}, /^Give --event, or --from and --to\.$/],
    [{ from: "5" }, /Give --event, or --from and --to\.$/],
    [{ endpoint: "hook", event: "5" }, /^--endpoint must be an endpoint's id, which `nodal webhook list` shows\.$/],
    [{ event: "5", to: "6" }, /^--event can't be combined with --from and --to/],
    [{ event: "0" }, /^--event must be a whole number from 1/],
    [{ from: "6", to: "5" }, /^--to must not be before --from/],
    [{ from: "1", to: "10001" }, /^--to must be at most 10000 events from --from/],
  ])("refuses %j", (options, sentence) => {
    expect(refusals(() => redeliverCommand.read({ ...KEY, ...options }))).toEqual([expect.stringMatching(sentence)]);
  });
});
