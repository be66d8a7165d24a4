// Lists of events by number in the API: pages, types, and the same bodies as webhooks.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { fund, makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { makeDeliverer, makeEndpoint, Receiver, until } from "../../test/support/webhooks.ts";
import { PublicLinks } from "../documents/index.ts";
import { recordEvents } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { mask } from "../platform/secrets/index.ts";
import { INSTALLATION_OWNER, type EventOwner } from "./endpoint.ts";
import { describeEvent, readEvent, readEvents, type EventContext } from "./read-events.ts";

let db: LedgerDatabase;
let merchant: Merchant;
let receiver: Receiver;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());
afterAll(() => db.close());

function contextOf(owner: EventOwner, show: (text: string) => string = (text) => text): EventContext {
  return { pool: db.server, owner, messages: { links: new PublicLinks(() => "https://nodal.example") }, show };
}

/** Entries about the merchant's one beneficiary, whose id is 1. */
function happen(...types: readonly string[]): Promise<void> {
  return inTransaction(db.server, (connection) =>
    recordEvents(
      connection,
      merchant,
      types.map((type) => ({ type, subjectId: 1n })),
    ),
  );
}

const typesOf = (page: Awaited<ReturnType<typeof readEvents>>) => page.events.map(({ event }) => event.type);

test("come in order, a page at a time, without what is for the audit log only", async () => {
  await happen(
    "beneficiary.created",
    "login.created",
    "beneficiary.changed",
    "invoice.revised",
    "beneficiary.approved",
  );
  const search = { after: 0n, types: null, limit: 2 };
  const first = await readEvents(contextOf(merchant), search);
  expect(typesOf(first)).toEqual(["beneficiary.created", "beneficiary.changed"]);
  expect(first.next).toBe(first.events[1]!.event.eventNo);
  const second = await readEvents(contextOf(merchant), { ...search, after: first.next! });
  expect(typesOf(second)).toEqual(["beneficiary.approved"]);
  expect(second.next).toBeNull();
});

test("are narrowed down by types and kinds", async () => {
  await happen("beneficiary.created", "beneficiary.changed", "beneficiary.approved");
  await fund(db, merchant, 5000n, "opening");
  const only = async (...types: readonly string[]) =>
    typesOf(await readEvents(contextOf(merchant), { after: 0n, types, limit: 10 }));
  expect(await only("balance.*")).toEqual(["balance.funded"]);
  expect(await only("beneficiary.changed", "balance.funded")).toEqual(["beneficiary.changed", "balance.funded"]);
  expect(await only("merchant.created")).toEqual([]);
});

test("a page that finds too little in 200,000 entries says where to go on", async () => {
  await happen("beneficiary.created");
  await db.owner.query(
    `insert into journal (bucket, merchant_id, entry_no, type, subject_id, created_at, actor)
     select bucket, merchant_id, last_entry_no + no, 'customer.changed', 1, now(), 'job:test'
     from ledger_book, generate_series(1, 200000) as no where merchant_id = $1`,
    [merchant.merchantId],
  );
  await db.owner.query("update ledger_book set last_entry_no = last_entry_no + 200000 where merchant_id = $1", [
    merchant.merchantId,
  ]);
  await happen("beneficiary.approved");
  const search = { after: 0n, types: ["beneficiary.*"], limit: 10 };
  const first = await readEvents(contextOf(merchant), search);
  expect(typesOf(first)).toEqual(["beneficiary.created"]);
  expect(first.next).not.toBeNull();
  const second = await readEvents(contextOf(merchant), { ...search, after: first.next! });
  expect(typesOf(second)).toEqual(["beneficiary.approved"]);
  expect(second.next).toBeNull();
});

test("are what webhooks send; account numbers are masked for those who may not see them", async () => {
  await makeEndpoint(db, merchant, receiver.url());
  const deliverer = makeDeliverer(db.server);
  await deliverer.start(true);
  await happen("beneficiary.created");
  await until(() => receiver.received.length > 0);
  await deliverer.stop();
  const [{ headers, body }] = receiver.received as unknown as [{ headers: Record<string, string>; body: string }];
  const { events } = await readEvents(contextOf(merchant), { after: 0n, types: null, limit: 10 });
  const { id, ...message } = describeEvent(merchant, events[0]!);
  expect(id).toBe(headers["webhook-id"]);
  expect(JSON.stringify(message)).toBe(body);
  const masked = await readEvent(contextOf(merchant, mask), events[0]!.event.eventNo);
  expect(masked.message.data).toMatchObject({ bank_account_no: "XXXX1191" });
});

test("of another merchant, of the audit log, or of no number are not found", async () => {
  const [other] = (await makeMerchants(db, 1)) as [Merchant];
  await happen("customer.changed", "beneficiary.created", "beneficiary.changed", "beneficiary.changed");
  const [first] = (await readEvents(contextOf(merchant), { after: 0n, types: null, limit: 1 })).events;
  const eventNo = first!.event.eventNo;
  for (const [owner, number] of [
    [other, eventNo + 2n],
    [merchant, eventNo - 1n],
    [merchant, 10_000_000n],
    [INSTALLATION_OWNER, 10_000_000n],
  ] as const) {
    await expect(readEvent(contextOf(owner), number)).rejects.toMatchObject({ code: "not_found" });
  }
});
