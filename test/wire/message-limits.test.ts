// Messages of one merchant beside those of others: turns, and how many a day, in all and to one recipient. How a
// message stands is in notifications.test.ts.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { takeMessage, giveMessageBack } from "../../src/notifications/message-day-store.ts";
import { settledToday } from "../support/days.ts";
import { Installation } from "../support/installation.ts";
import { MailServer } from "../support/mail.ts";
import { Messages, NOTIFY } from "../support/notifications.ts";
import { nodalJson } from "../support/nodal.ts";
import { SERVERS } from "../support/proxied-servers.ts";

const OF_MERCHANT = 6;
const OF_RECIPIENT = 4;
const PATIENCE = { timeout: 180_000 };

let installation: Installation;
let mail: MailServer;

beforeAll(async () => {
  mail = await MailServer.start();
  installation = await Installation.start({
    SMTP_URL: mail.url,
    MAIL_FROM: "billing@pay.example",
    MESSAGES_PER_DAY: String(OF_MERCHANT),
    MESSAGES_PER_RECIPIENT_PER_DAY: String(OF_RECIPIENT),
  });
});
beforeEach(() => {
  mail.refuseMail = () => null;
});
afterAll(async () => {
  await installation.stop();
  await mail.stop();
});

test("a stranger gets no more than the day's messages; what is beyond waits, and says why", async () => {
  await settledToday();
  const messages = await Messages.ofNewMerchant(installation, "stranger@example.com");
  for (let count = 0; count < OF_RECIPIENT + 2; count += 1) await messages.invoices.add(NOTIFY);
  await expect
    .poll(async () => (await messages.read()).filter(({ state }) => state === "Sent").length, PATIENCE)
    .toBe(OF_RECIPIENT);
  const isPostponed = ({ reason }: { reason: string | null }): boolean => reason?.includes("waits until") ?? false;
  await expect.poll(async () => (await messages.read()).filter(isPostponed).length, PATIENCE).toBe(2);
  expect(mail.to("stranger@example.com")).toHaveLength(OF_RECIPIENT);
  const postponed = (await messages.read()).filter(isPostponed);
  // It is no attempt, of which there are only so many.
  expect(postponed.map(({ state, attempts }) => [state, attempts])).toEqual([
    ["Queued", 0],
    ["Queued", 0],
  ]);
  const list = ["mail", "list", "--merchant", messages.merchantId, "--state", "Queued"];
  const listed = await nodalJson<{ reason: string; recipient: string }[]>(installation.environment, ...list);
  expect(listed[0]).toMatchObject({
    recipient: "stranger@example.com",
    reason: `The recipient has reached the limit of ${OF_RECIPIENT} messages a day from one merchant: this message waits until tomorrow.`,
  });
  // On the next day it is sent.
  await installation.pool.query("update message_day set day = day - 1 where merchant_id = $1", [messages.merchantId]);
  await installation.pool.query(
    "update notification set due_at = now() where due_at is not null and merchant_id = $1",
    [messages.merchantId],
  );
  await expect.poll(() => mail.to("stranger@example.com").length, PATIENCE).toBe(OF_RECIPIENT + 2);
});

test("a merchant with many messages has two places at a server, and those of others are sent in their turn", async () => {
  const hostile = await Messages.ofNewMerchant(installation, "slow@example.com");
  const good = await Messages.ofNewMerchant(installation, "good@example.com");
  let underWay = 0;
  let most = 0;
  const release = Promise.withResolvers<void>();
  mail.refuseMail = async ({ to }) => {
    if (!to.includes("slow@example.com")) return null;
    most = Math.max(most, (underWay += 1));
    await release.promise;
    underWay -= 1;
    return null;
  };
  for (let count = 0; count < 6 + 2 * SERVERS; count += 1) await hostile.invoices.add(NOTIFY);
  await expect.poll(() => underWay, PATIENCE).toBeGreaterThanOrEqual(2);
  for (let count = 0; count < 3; count += 1) await good.invoices.add(NOTIFY);
  await good.until("Sent", "Sent", "Sent");
  expect(mail.to("slow@example.com")).toEqual([]);
  release.resolve();
  await expect.poll(() => mail.to("slow@example.com").length, PATIENCE).toBe(OF_RECIPIENT);
  expect(most).toBeLessThanOrEqual(2 * SERVERS);
});

test("however many are sent at once, no more than the limit is counted; what was not handed over is given back", async () => {
  const { merchantId } = await Messages.ofNewMerchant(installation, "many@example.com");
  const count = { bucket: 1, merchantId: BigInt(merchantId), day: Temporal.PlainDate.from("2026-11-22") };
  const to = (recipient: string) => ({ ...count, purpose: "customers" as const, recipient });
  const limits = { all: 10, toOne: 4 };
  const { pool } = installation;
  const toOne = await Promise.all(Array.from({ length: 12 }, () => takeMessage(pool, to("A@example.com"), limits)));
  expect(toOne.filter((reached) => reached === null)).toHaveLength(4);
  expect(toOne.filter((reached) => reached === "toOne")).toHaveLength(8);
  const toMany = await Promise.all(
    Array.from({ length: 12 }, (_, index) => takeMessage(pool, to(`b${index}@example.com`), limits)),
  );
  expect(toMany.filter((reached) => reached === null)).toHaveLength(6);
  expect(toMany.filter((reached) => reached === "all")).toHaveLength(6);
  await giveMessageBack(pool, to("a@example.com"));
  expect(await takeMessage(pool, to("a@EXAMPLE.com"), limits)).toBeNull();
  expect(await takeMessage(pool, to("c@example.com"), limits)).toBe("all");
});
