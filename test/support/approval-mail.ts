// Mail about approvals for tests: a merchant whose payouts wait, its people, and a channel that keeps what it is given.
// No assertion.
import { PublicLinks } from "../../src/documents/index.ts";
import type { Merchant } from "../../src/merchants/index.ts";
import { insertLogin } from "../../src/merchants/users/login-store.ts";
import { insertRole } from "../../src/merchants/users/role-store.ts";
import { notifyApprovers } from "../../src/notifications/index.ts";
import { holdingChannel, type Message, type SendResult } from "../../src/notifications/channel.ts";
import { claimNotifications, findDueNotifications } from "../../src/notifications/notification-store.ts";
import { sendNotification } from "../../src/notifications/send-notification.ts";
import { inTransaction } from "../../src/platform/database/pool.ts";
import { createLogger } from "../../src/platform/log.ts";
import { actorOf, type Actor } from "../../src/platform/origin.ts";
import type { PdfRenderer } from "../../src/platform/pdf/renderer.ts";
import { makeMerchants } from "./ledger.ts";
import { FUNDS_PAISE, PolicyStage } from "./policy-stage.ts";

/** Somebody who signs in. */
export type Person = { readonly loginId: bigint; readonly email: string; readonly actor: Actor };

export type MailRow = {
  readonly email: string;
  readonly state: string;
  readonly reason: string | null;
  readonly recipient: string | null;
};

const NO_PDFS = {
  render: () => Promise.reject(new Error("no mail about approvals has a PDF")),
  close: () => Promise.resolve(),
} as unknown as PdfRenderer;

export class ApprovalMailStage {
  readonly policy: PolicyStage;
  /** The mails handed to the mail server. */
  readonly sent: Message[] = [];
  limits = { all: 2000, toOne: 20 };
  /** The mail server's replies. */
  answer: SendResult = { outcome: "accepted" };

  private constructor(policy: PolicyStage) {
    this.policy = policy;
  }

  static async open(): Promise<ApprovalMailStage> {
    return new ApprovalMailStage(await PolicyStage.open());
  }

  get db() {
    return this.policy.db;
  }

  get merchant(): Merchant {
    return this.policy.merchant;
  }

  /** Goes on with a new merchant all of whose payouts wait, and with nothing sent. What others have left is told. */
  async renew(): Promise<void> {
    await this.db.owner.query("update approval set told_at = now() where told_at is null");
    await this.db.owner.query(
      "update notification set state = 'Suppressed', due_at = null where state in ('Queued', 'Sending')",
    );
    await this.policy.renew();
    await this.policy.set({ approveOverPaise: 0n });
    this.sent.length = 0;
    this.answer = { outcome: "accepted" };
    this.limits = { all: 2000, toOne: 20 };
  }

  /** Another merchant with funds; its payouts don't wait. */
  async another(): Promise<Merchant> {
    return (await makeMerchants(this.db, 1, FUNDS_PAISE))[0]!;
  }

  /** A user of a merchant, who has switched nothing. */
  async person(roleName = "Owner", { bucket, merchantId } = this.merchant): Promise<Person> {
    const loginId = await this.db.ids.next();
    const email = `person${loginId}@example.com`;
    const login = { bucket, merchantId, loginId, kind: "user" as const, email, name: "Ravi Iyer", roleName };
    await inTransaction(this.db.server, (connection) =>
      insertLogin(connection, { ...login, passwordHash: "none", mustChangePassword: false }),
    );
    return { loginId, email, actor: actorOf("user", String(loginId)) };
  }

  /** A role of the merchant's own. */
  async role(name: string, permissions: readonly string[]): Promise<void> {
    await inTransaction(this.db.server, (connection) => insertRole(connection, this.merchant, { name, permissions }));
  }

  /** Payouts that somebody has asked for, a minute ago. Returns their approvals' ids. */
  async ask(by: Actor, count = 1, amountPaise = 100n): Promise<bigint[]> {
    const origin = { actor: by, address: null, mayMoveMoney: true };
    const payoutRequests = [];
    for (let index = 0; index < count; index += 1)
      payoutRequests.push(await this.policy.payoutRequest({ amountPaise, origin }));
    await this.policy.accept(payoutRequests, Temporal.Now.instant().subtract({ minutes: 1 }));
    return payoutRequests.map(({ transferId }) => transferId);
  }

  tell(): Promise<number> {
    return notifyApprovers(this.db.server, this.db.ids);
  }

  /** Sends all that is due now, and what follows at once. */
  async send(): Promise<void> {
    for (;;) {
      const look = { limit: 100, ofOne: 100, leftOut: [], after: null };
      const { due } = await findDueNotifications(this.db.server, look);
      if (due.length === 0) return;
      for (const notification of await claimNotifications(this.db.server, due, 30_000)) {
        const mail = { ...holdingChannel("mail", ""), send: (message: Message) => this.#take(message) };
        const parts = {
          pool: this.db.server,
          links: new PublicLinks(() => "https://pay.example.com/"),
          limits: this.limits,
        };
        const channels = { mail, sms: holdingChannel("sms", ""), whatsapp: holdingChannel("whatsapp", "") };
        const options = {
          ...parts,
          channels,
          renderer: NO_PDFS,
          mailFrom: "pay@example.com",
          logger: createLogger("silent"),
        };
        await sendNotification(options, notification, () => false);
      }
    }
  }

  /** The merchant's mails about approvals, oldest first. */
  async mails(): Promise<MailRow[]> {
    const { rows } = await this.db.owner.query<MailRow>(
      `select email, state, reason, recipient from notification join login using (bucket, merchant_id, login_id)
       where merchant_id = $1 order by notification_id`,
      [this.merchant.merchantId],
    );
    return rows;
  }

  /** How many of the merchant's approvals were not notified. */
  untold(): Promise<number> {
    return this.policy.count("approval where told_at is null and decision is null");
  }

  /** Makes as if so much time had passed since all that is known of the merchant's mails. */
  async later(minutes: number): Promise<void> {
    await this.change(
      `update notification set created_at = created_at - make_interval(mins => $1),
         sent_at = sent_at - make_interval(mins => $1), due_at = due_at - make_interval(mins => $1)
       where merchant_id = $2`,
      minutes,
      this.merchant.merchantId,
    );
  }

  async change(sql: string, ...values: unknown[]): Promise<void> {
    await this.db.owner.query(sql, values);
  }

  #take(message: Message): Promise<SendResult> {
    if (this.answer.outcome === "accepted") this.sent.push(message);
    return Promise.resolve(this.answer);
  }
}
