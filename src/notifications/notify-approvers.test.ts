// Mail about approvals: who gets it, how often, and that none is lost or duplicated by concurrency or crashes.
// test/wire/approval-mail.test.ts uses a mail server.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ApprovalMailStage, type Person } from "../../test/support/approval-mail.ts";
import { approve, withdraw } from "../approvals/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { createPool } from "../platform/database/pool.ts";
import { actorOf } from "../platform/origin.ts";
import { verify } from "../payouts/verify/verify.ts";
import { queueHeld } from "./held-store.ts";
import { claimNotifications, findDueNotifications } from "./notification-store.ts";
import { notifyApprovers } from "./notify-approvers.ts";
import { NOTIFICATION_CHECKS } from "./verify-store.ts";

const KEY = actorOf("key", "nk_1");

let stage: ApprovalMailStage;
let maker: Person;
let checker: Person;

beforeAll(async () => {
  stage = await ApprovalMailStage.open();
});
beforeEach(async () => {
  await stage.renew();
  maker = await stage.person();
  checker = await stage.person("Manager");
});
afterAll(() => stage.db.close());

const recipients = (): string[] => stage.sent.map(({ recipient }) => recipient).toSorted();
const everybody = (...people: Person[]): string[] => people.map(({ email }) => email).toSorted();
const reasons = async (): Promise<(string | null)[]> => (await stage.mails()).map(({ reason }) => reason);

describe("who is told", () => {
  test("those who may decide and have not asked for it; nobody else, and nobody of another merchant", async () => {
    await stage.person("Viewer");
    await stage.person("Owner", await stage.another());
    await stage.role("Checkers", ["payouts.view", "approvals.decide"]);
    const own = await stage.person("Checkers");
    const disabled = await stage.person();
    await stage.change("update login set disabled_at = now() where login_id = $1", disabled.loginId);
    const off = await stage.person();
    await stage.change("update login set approval_mail = false where login_id = $1", off.loginId);
    await stage.ask(maker.actor);
    expect(await stage.tell()).toBe(2);
    await stage.send();
    expect(recipients()).toEqual(everybody(checker, own));
    expect(await stage.untold()).toBe(0);
  });

  test("what a program or a command has asked for is for all who may decide; of one's own nothing is said", async () => {
    await stage.ask(KEY, 2);
    await stage.ask(actorOf("command", "nodal"));
    await stage.ask(maker.actor, 3);
    await stage.tell();
    await stage.send();
    expect(recipients()).toEqual(everybody(maker, checker));
    const subjects = new Map(stage.sent.map(({ recipient, subject }) => [recipient, subject]));
    expect(subjects.get(maker.email)).toBe("3 requests need your approval: Merchant 1 (sandbox)");
    expect(subjects.get(checker.email)).toBe("6 requests need your approval: Merchant 1 (sandbox)");
  });

  test("nobody, where the only one who may decide has asked for all of it; it is not looked at again", async () => {
    await stage.change("update login set role_name = 'Viewer' where login_id = $1", checker.loginId);
    await stage.ask(maker.actor);
    expect(await stage.tell()).toBe(0);
    expect([await stage.untold(), await stage.mails()]).toEqual([0, []]);
  });

  test("nobody of what was asked for just now, which may be decided before a mail is read", async () => {
    const [id] = await stage.ask(maker.actor);
    await stage.change("update approval set requested_at = now() where approval_id = $1", id);
    expect(await stage.tell()).toBe(0);
    expect(await stage.untold()).toBe(1);
  });
});

test("the words: how much, to whom without the account, who has asked, until when, and where to decide", async () => {
  const [id] = await stage.ask(maker.actor, 1, 2_352n);
  await stage.change("update approval set expires_at = '2030-01-26T10:43:00Z' where approval_id = $1", id);
  await stage.tell();
  await stage.send();
  const [mail] = stage.sent;
  expect(mail).toMatchObject({
    recipient: checker.email,
    recipientName: "Ravi Iyer",
    senderName: "Merchant 1 (sandbox)",
    subject: "1 request needs your approval: Merchant 1 (sandbox)",
    replyTo: "",
  });
  expect(mail!.body).toContain(`₹23.52; Asha Rao, XXXX1191; requested by ${maker.email} on `);
  for (const cell of ["Asha Rao, XXXX1191", "Transfer", "₹23.52", maker.email]) {
    expect(mail!.html).toMatch(new RegExp(`<(td|p)[^>]*>${cell}\\s*<`));
  }
  for (const words of [
    "expires on 26 Jan 2030, 16:13",
    "https://pay.example.com/approvals",
    `https://pay.example.com/sign-in?merchant=${stage.merchant.merchantId}`,
  ]) {
    expect(mail!.body).toContain(words);
    expect(mail!.html).toContain(words.replaceAll("&", "&amp;"));
  }
  // It shows only the end of the account.
  expect(mail!.body).not.toMatch(/[0-9]{8}/);
  expect(await mail!.attach()).toEqual([]);
});

describe("when it is sent, it looks again", () => {
  let asked: bigint;
  test.each([
    [
      "decided",
      "No requests left to decide: all were decided, withdrawn or have expired.",
      async () => {
        const third = await stage.person();
        await approve(
          { pool: stage.policy.as(third.actor), merchant: stage.merchant },
          { approvalId: asked, note: "" },
        );
      },
    ],
    [
      "withdrawn",
      "No requests left to decide: all were decided, withdrawn or have expired.",
      () => withdraw({ pool: stage.policy.as(maker.actor), merchant: stage.merchant }, { approvalId: asked, note: "" }),
    ],
    [
      "expired",
      "No requests left to decide: all were decided, withdrawn or have expired.",
      () => stage.change("update approval set expires_at = now() where approval_id = $1", asked),
    ],
    [
      "the person was disabled",
      "The person's login is disabled.",
      () => stage.change("update login set disabled_at = now() where login_id = $1", checker.loginId),
    ],
    [
      "the permission was taken away",
      "The person's role can't decide approvals.",
      () => stage.change("update login set role_name = 'Viewer' where login_id = $1", checker.loginId),
    ],
    [
      "it was switched off",
      "The person has turned off approval mail.",
      () => stage.change("update login set approval_mail = false where login_id = $1", checker.loginId),
    ],
    [
      "the merchant was suspended",
      "The merchant is suspended.",
      () => stage.change("update merchant set status = 'suspended' where merchant_id = $1", stage.merchant.merchantId),
    ],
    [
      "the login is gone",
      "The invoice, payment or customer no longer exists.",
      () => stage.change("delete from login where login_id = $1", checker.loginId),
    ],
  ] as const)("%s: it is suppressed, and says why", async (_what, reason, meanwhile) => {
    [asked] = (await stage.ask(maker.actor)) as [bigint];
    expect(await stage.tell()).toBe(1);
    await meanwhile();
    await stage.send();
    expect(stage.sent).toEqual([]);
    const { rows } = await stage.db.owner.query("select state, reason from notification where merchant_id = $1", [
      stage.merchant.merchantId,
    ]);
    expect(rows).toEqual([{ state: "Suppressed", reason }]);
  });

  test("it tells of what waits then, at most ten by name, those that expire first", async () => {
    const ids = await stage.ask(maker.actor, 12);
    await stage.change("update approval set expires_at = now() + interval '1 hour' where approval_id = $1", ids.at(-1));
    await stage.tell();
    await stage.send();
    const [mail] = stage.sent;
    expect(mail!.subject).toBe("12 requests need your approval: Merchant 1 (sandbox)");
    expect(mail!.body.match(/requested by/g)).toHaveLength(10);
    expect(mail!.body).toMatch(/More: +2 not listed/);
  });

  test("of thousands it says that there are many; they are one mail", async () => {
    const [id] = await stage.ask(KEY);
    await stage.change(
      `insert into approval (bucket, merchant_id, approval_id, kind, subject_id, requested_by, requested_at, expires_at)
       select bucket, merchant_id, 5000000000 + n, kind, subject_id, requested_by, requested_at, expires_at
       from approval, generate_series(1, 6000) as n where approval_id = $1`,
      id,
    );
    // One page each time; the mail of the first lists all.
    expect([await stage.tell(), await stage.tell(), await stage.tell()]).toEqual([2, 0, 0]);
    expect(await stage.untold()).toBe(0);
    await stage.send();
    expect(stage.sent.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 2 }, () => "100 or more requests need your approval: Merchant 1 (sandbox)"),
    );
    expect(stage.sent[0]!.body).toMatch(/More: +others not listed/);
    await stage.change("delete from approval where approval_id > 5000000000");
  });
});

describe("how often", () => {
  test("one mail for many requests; more of them within ten minutes are one more, when these are over", async () => {
    await stage.ask(maker.actor, 3);
    expect([await stage.tell(), await stage.tell()]).toEqual([1, 0]);
    await stage.send();
    expect(stage.sent).toHaveLength(1);
    await stage.ask(maker.actor);
    expect(await stage.tell()).toBe(1);
    await stage.ask(maker.actor);
    expect(await stage.tell()).toBe(0);
    await stage.send();
    expect(stage.sent).toHaveLength(1);
    await stage.later(10);
    await stage.send();
    expect(stage.sent.map(({ subject }) => subject.split(" ")[0])).toEqual(["3", "5"]);
  });

  test("without a mail server one is held for each person, and tells of all once there is one", async () => {
    stage.answer = { outcome: "held", reason: "No mail server" };
    for (let round = 0; round < 3; round += 1) {
      await stage.ask(maker.actor);
      await stage.tell();
      await stage.send();
    }
    const held = { email: checker.email, state: "Held", recipient: checker.email, reason: "No mail server" };
    expect(await stage.mails()).toEqual([held]);
    // A held mail that is too old to be released doesn't prevent a new one.
    await stage.later(8 * 24 * 60);
    await stage.ask(maker.actor);
    expect(await stage.tell()).toBe(1);
    await stage.send();
    expect(await stage.mails()).toEqual([held, held]);
    stage.answer = { outcome: "accepted" };
    expect(await queueHeld(stage.db.server, stage.merchant, ["mail"])).toBe(1);
    await stage.send();
    expect(stage.sent.map(({ subject }) => subject.split(" ")[0])).toEqual(["4"]);
  });

  test("after a failure more requests bring it forward, and make no second one", async () => {
    stage.answer = { outcome: "delayed", reason: "Busy" };
    await stage.ask(maker.actor);
    await stage.tell();
    await stage.send();
    await stage.change(
      "update notification set due_at = now() + interval '12 hours' where merchant_id = $1",
      stage.merchant.merchantId,
    );
    await stage.ask(maker.actor);
    expect(await stage.tell()).toBe(0);
    stage.answer = { outcome: "accepted" };
    await stage.later(60);
    await stage.send();
    expect(stage.sent).toHaveLength(1);
  });

  test("the day's limits hold, apart from those of messages to customers", async () => {
    stage.limits = { all: 1, toOne: 1 };
    await stage.change(
      "insert into message_day values ($1, $2, (now() at time zone 'Asia/Kolkata')::date, 'customers', '', 1)",
      stage.merchant.bucket,
      stage.merchant.merchantId,
    );
    await stage.ask(KEY);
    await stage.tell();
    await stage.send();
    expect(stage.sent).toHaveLength(1);
    expect(await reasons()).toContain(
      "The merchant has reached its limit of 1 messages a day about approvals: this message waits until tomorrow.",
    );
  });
});

describe("nothing is lost or doubled", () => {
  test("of several runs at once one tells", async () => {
    await stage.ask(KEY, 50);
    const told = await Promise.all(Array.from({ length: 6 }, () => stage.tell()));
    expect(told.toSorted((one, other) => one - other)).toEqual([0, 0, 0, 0, 0, 2]);
    await stage.send();
    expect(recipients()).toEqual(everybody(maker, checker));
  });

  test("while requests come in and others run, each person has one mail that waits, and each request is told of", async () => {
    const runs: Promise<unknown>[] = [];
    for (let round = 0; round < 8; round += 1) {
      runs.push(stage.ask(KEY, 5).then(() => Promise.all([stage.tell(), stage.tell()])));
    }
    await Promise.all(runs);
    await stage.tell();
    expect(await stage.untold()).toBe(0);
    await stage.send();
    expect(recipients()).toEqual(everybody(maker, checker));
    expect(stage.sent.map(({ subject }) => subject.split(" ")[0])).toEqual(["40", "40"]);
  });

  test("a process that dies between marking and queueing has done neither", async () => {
    await stage.ask(maker.actor);
    const dying = createPool({ url: stage.db.url, size: 1, role: "nodal_server", onError: () => {} });
    const ids = {
      next: async () => {
        await stage.db.owner.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and state = 'idle in transaction'`,
        );
        return 1n;
      },
    } as unknown as IdSource;
    await expect(notifyApprovers(dying, ids)).rejects.toThrow();
    await dying.end();
    expect([await stage.untold(), await stage.mails()]).toEqual([1, []]);
    expect(await stage.tell()).toBe(1);
    await stage.send();
    expect(recipients()).toEqual([checker.email]);
  });

  test("a process that dies while it sends has not told: another sends it, as the same message", async () => {
    await stage.ask(maker.actor);
    await stage.tell();
    const look = { limit: 10, ofOne: 10, leftOut: [], after: null };
    const { due } = await findDueNotifications(stage.db.server, look);
    expect(await claimNotifications(stage.db.server, due, 30_000)).toHaveLength(1);
    await stage.send();
    expect(stage.sent).toEqual([]);
    // New requests meanwhile make another mail ten minutes later, because the first may have been rendered.
    await stage.ask(maker.actor);
    expect(await stage.tell()).toBe(1);
    await stage.change("update notification set due_at = now() where state = 'Sending'");
    await stage.send();
    expect(recipients()).toEqual([checker.email]);
    expect((await stage.mails()).map(({ state }) => state)).toEqual(["Sent", "Queued"]);
  });

  test("what a suspended merchant has is told of when it is active again, and holds up nobody", async () => {
    await stage.ask(maker.actor);
    await stage.change("update merchant set status = 'suspended' where merchant_id = $1", stage.merchant.merchantId);
    expect([await stage.tell(), await stage.untold()]).toEqual([0, 1]);
    await stage.change("update merchant set status = 'active' where merchant_id = $1", stage.merchant.merchantId);
    expect(await stage.tell()).toBe(1);
  });

  test("verify finds a mail about an approval that there is not", async () => {
    await stage.ask(maker.actor);
    await stage.tell();
    const [check] = NOTIFICATION_CHECKS;
    expect(check!.name).toBe("notification_subject");
    const found = async (): Promise<number> => {
      const { violations } = await verify(stage.db.owner, stage.merchant, [check!]);
      return violations.filter((each) => each.check === check!.name).length;
    };
    expect(await found()).toBe(0);
    await stage.change("update notification set subject_id = 1 where merchant_id = $1", stage.merchant.merchantId);
    expect(await found()).toBe(1);
    await stage.change("delete from notification where merchant_id = $1", stage.merchant.merchantId);
  });
});
