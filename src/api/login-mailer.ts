// Mail about logins: password resets, confirmations of new addresses, and notices of changed addresses. The links are
// made in merchants/users/.
import { setTimeout as sleep } from "node:timers/promises";
import {
  makeResetLinks,
  signInLink,
  type EmailLink,
  type Login,
  type LoginName,
  type ResetLink,
  type SignInParts,
} from "../merchants/index.ts";
import { takeMessage, type Mailer, type PlainMail } from "../notifications/index.ts";
import type { Logger } from "../platform/log.ts";

/** Greylisting mail servers ask unknown senders to retry. */
const RETRY_DELAYS_MS = [60_000, 300_000];
/** Daily limits of mail about a merchant's logins, in all and to one address, to prevent floods. */
const LIMITS = { all: 1000, toOne: 10 };

export type LoginMailerOptions = {
  readonly parts: SignInParts;
  readonly mailer: Mailer;
  readonly publicUrl: () => string;
  readonly logger: Logger;
};

export class LoginMailer {
  readonly #options: LoginMailerOptions;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: LoginMailerOptions) {
    this.#options = options;
  }

  /**
   * Sends a password reset link for each login of the address, or only for that at the given merchant. Returns at once,
   * like all of these methods.
   */
  sendResetLinks(name: LoginName): void {
    this.#start(async () => {
      const links = await makeResetLinks(this.#options.parts, name);
      await Promise.all(links.map((link) => this.#send(link.login, resetWords(link, this.#base))));
    });
  }

  /** Sends a link that confirms an address to that address. */
  sendEmailLink(link: EmailLink): void {
    this.#start(() => this.#send(link.login, emailWords(link, this.#base)));
  }

  /** Notifies the old address that it was replaced. */
  tellOfChange(earlier: Login): void {
    this.#start(() => this.#send(earlier, changedWords(earlier)));
  }

  /** Waits for mails being sent, and drops later retries. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay);
    this.#options.mailer.close();
  }

  get #base(): string {
    return this.#options.publicUrl();
  }

  /** Failures are logged. */
  #start(send: () => Promise<void>): void {
    const work = send()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#options.logger.error({ err: error }, "login mail not sent: no mail server");
      })
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #send({ bucket, merchantId, loginId }: Login, mail: PlainMail): Promise<void> {
    const { mailer, logger, parts } = this.#options;
    const count = { bucket, merchantId, day: Temporal.Now.plainDateISO("UTC"), recipient: mail.recipient };
    if ((await takeMessage(parts.pool, { ...count, purpose: "logins" }, LIMITS)) !== null) {
      logger.warn({ user: String(loginId) }, "login mail not sent: the address's daily limit is reached");
      return;
    }
    for (const delayMs of [...RETRY_DELAYS_MS, null]) {
      const result = await mailer.send(mail);
      if (result.outcome === "accepted") return;
      const what = { user: String(loginId), outcome: result.outcome, reason: result.reason };
      logger.warn(what, "login mail not sent");
      if (result.outcome !== "delayed" || delayMs === null) return;
      await sleep(delayMs, undefined, { signal: this.#stopping.signal });
    }
  }
}

function resetWords({ login, token, lifetimeMinutes }: ResetLink, base: string): PlainMail {
  return {
    recipient: login.email,
    recipientName: login.name,
    senderName: "Nodal",
    subject: "Reset your Nodal password",
    body: [
      `We received a request to reset the password for ${login.email}, which signs in at ${signInLink(base, login)}`,
      `Open this link within ${lifetimeMinutes} minutes to choose a new password. It works once:`,
      `${signInLink(base, login, "reset-password")}#${token}`,
      "If you didn't request this, ignore this e-mail. Your password stays the same.",
    ].join("\n\n"),
  };
}

function emailWords({ login, email, token, lifetimeMinutes }: EmailLink, base: string): PlainMail {
  return {
    recipient: email,
    recipientName: login.name,
    senderName: "Nodal",
    subject: "Confirm your new e-mail for Nodal",
    body: [
      `${login.name} asked to sign in to Nodal with ${email} instead of ${login.email}.`,
      `To confirm, open this link within ${lifetimeMinutes} minutes. It works once:`,
      `${signInLink(base, login, "confirm-email")}#${token}`,
      `After that, sign in at ${signInLink(base, login)}`,
      "If this wasn't you, ignore this e-mail. Nothing changes.",
    ].join("\n\n"),
  };
}

function changedWords({ email, name }: Login): PlainMail {
  return {
    recipient: email,
    recipientName: name,
    senderName: "Nodal",
    subject: "Your Nodal e-mail was changed",
    body: [
      `${name} now signs in to Nodal with another e-mail, and no longer with ${email}.`,
      "If you didn't make this change, contact your administrator at once.",
    ].join("\n\n"),
  };
}
