// Events of the installation: changes of merchants are sent to its endpoints like merchants' events to theirs.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { makeDeliverer, makeEndpoint, Receiver, until, verifySignature } from "../../test/support/webhooks.ts";
import { sampleProfile } from "../installation/index.ts";
import { runChecks } from "../ledger/index.ts";
import { changeKyc, changeMerchant, createMerchants, type Merchant, type NewMerchant } from "../merchants/index.ts";
import { createEndpoint, redeliver } from "./change-endpoint.ts";
import type { Deliverer } from "./deliverer.ts";
import { INSTALLATION_OWNER } from "./endpoint.ts";
import { PublicLinks } from "../documents/index.ts";
import { readEvent, readEvents } from "./read-events.ts";
import { WEBHOOK_CHECKS } from "./verify-store.ts";

let db: LedgerDatabase;
let receiver: Receiver;
let deliverer: Deliverer;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  receiver = await Receiver.start();
  deliverer = makeDeliverer(db.server);
  await deliverer.start(true);
});
afterEach(async () => {
  await deliverer.stop();
  await db.owner.query("update webhook_endpoint set status = 'Disabled'");
  await receiver.stop();
});
afterAll(() => db.close());

/** The types of events that arrived about a merchant, in order. */
const typesAbout = ({ merchantId }: Merchant): string[] =>
  receiver.received
    .filter(({ body }) => (JSON.parse(body) as { merchant_id: string }).merchant_id === String(merchantId))
    .map(({ type }) => type);

describe("an endpoint of the installation", () => {
  test("gets what happens to merchants, in order and signed, and nothing of what they do", async () => {
    const { secret } = await makeEndpoint(db, INSTALLATION_OWNER, receiver.url());
    const [sandbox] = (await makeMerchants(db, 1, 100_000n)) as [Merchant];
    const profile = { ...sampleProfile("Live Traders", "live@example.com"), live: true };
    const [{ merchant: live }] = (await createMerchants(db.server, db.ids, [profile])) as [NewMerchant];
    const context = { pool: db.server, ids: db.ids, merchant: sandbox };
    await changeMerchant(context, { bankAccount: "00011020001772", ifsc: "HDFC0000001" });
    await changeKyc(context, { status: "rejected", reasons: ["PAN card not readable"], documents: ["dms:4711"] });
    await changeMerchant(context, { status: "suspended" });
    await changeMerchant(context, { status: "active" });
    const expected = [
      "merchant.created",
      "merchant.profile_changed",
      "merchant.kyc_changed",
      "merchant.suspended",
      "merchant.resumed",
    ];
    await until(() => typesAbout(sandbox).length >= expected.length && typesAbout(live).length >= 2);
    expect(typesAbout(sandbox)).toEqual(expected);
    expect(typesAbout(live)).toEqual(["merchant.created", "merchant.live"]);
    for (const each of receiver.received) verifySignature(secret, each);
    expect(receiver.received.at(-1)!.headers["webhook-id"]).toBe(`evt_0_${receiver.received.at(-1)!.sequence}`);
    const kyc = receiver.received.find(({ type }) => type === "merchant.kyc_changed")!;
    expect(kyc.data).toMatchObject({ merchant_id: String(sandbox.merchantId), mode: "sandbox", status: "active" });
    expect(kyc.data["kyc"]).toEqual({
      status: "rejected",
      reasons: ["PAN card not readable"],
      documents: ["dms:4711"],
    });
    for (const { body } of receiver.received) expect(body).not.toMatch(/00011020001772|ns_sandbox|ns_live|whsec/);
    expect((await runChecks(db.owner, WEBHOOK_CHECKS, null, 100)).violations).toEqual([]);
  });

  test("takes only the types that it asks for, and gets an event again", async () => {
    const types = ["merchant.suspended"];
    const { key } = await makeEndpoint(db, INSTALLATION_OWNER, receiver.url(), types);
    const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
    const context = { pool: db.server, ids: db.ids, merchant };
    await changeMerchant(context, { status: "suspended" });
    await receiver.waitFor(1);
    const { sequence } = receiver.received[0]!;
    const range = { endpointId: key.endpointId, from: BigInt(sequence), to: BigInt(sequence) };
    // It counts as sent once that is written.
    await until(async () => {
      const again = redeliver({ pool: db.server, merchant: INSTALLATION_OWNER }, range);
      return again.then(
        () => true,
        () => false,
      );
    });
    await receiver.waitFor(2);
    expect(receiver.received.map(({ type }) => type)).toEqual(["merchant.suspended", "merchant.suspended"]);
    expect(receiver.sequences).toEqual([sequence, sequence]);
  });
});

test("each entry names who changed the merchant", async () => {
  const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  await changeKyc({ pool: db.server, ids: db.ids, merchant }, { status: "pending" });
  const entries = async () => {
    const { rows } = await db.owner.query<{ type: string; actor: string }>(
      "select type, actor from journal where merchant_id = 0 and subject_id = $1 order by entry_no",
      [merchant.merchantId],
    );
    return rows;
  };
  await until(async () => (await entries()).length >= 2);
  const { rows } = await db.owner.query<{ actor: string }>(
    "select actor from journal where merchant_id = $1 and type = 'merchant.changed'",
    [merchant.merchantId],
  );
  expect(await entries()).toEqual([
    { type: "merchant.created", actor: expect.any(String) },
    { type: "merchant.kyc_changed", actor: rows[0]!.actor },
  ]);
});

test("its events are read by number; a merchant's number is none of its", async () => {
  const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  const links = new PublicLinks(() => "https://nodal.example");
  const context = { pool: db.server, owner: INSTALLATION_OWNER, messages: { links }, show: (text: string) => text };
  const about = async () => {
    const { events } = await readEvents(context, { after: 0n, types: ["merchant.created"], limit: 1000 });
    return events.filter(({ message }) => message.merchant_id === String(merchant.merchantId));
  };
  await until(async () => (await about()).length > 0);
  const [listed] = await about();
  expect(await readEvent(context, listed!.event.eventNo)).toEqual(listed);
  await expect(readEvent(context, 1_000_000_000n)).rejects.toMatchObject({ code: "not_found" });
});

test("a merchant can't ask for the installation's events, nor the installation for a merchant's", async () => {
  const [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  for (const [owner, type] of [
    [merchant, "merchant.live"],
    [INSTALLATION_OWNER, "transfer.*"],
  ] as const) {
    const draft = { url: receiver.url(), description: "", eventTypes: [type] };
    const refused = createEndpoint({ pool: db.server, ids: db.ids, merchant: owner }, draft);
    await expect(refused).rejects.toMatchObject({ code: "validation_failed", errors: [{ field: "events" }] });
  }
});
