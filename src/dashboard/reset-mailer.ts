// Mail with a link to a new password.
// What belongs here: its words, and sending it while nobody waits. Which link it is, is made in merchants/users/.
import { setTimeout as sleep } from "node:timers/promises";
import { makeResetLink, type ResetLink, type SignInParts } from "../merchants/index.ts";
import type { Mailer } from "../notifications/index.ts";
import type { Logger } from "../platform/log.ts";

/** Mail servers that have not seen a sender before ask it to come again. */
const RETRY_DELAYS_MS = [60_000, 300_000];

export type ResetMailerOptions = {
  readonly parts: SignInParts;
  readonly mailer: Mailer;
  readonly publicUrl: () => string;
  readonly logger: Logger;
};

export class ResetMailer {
  readonly #options: ResetMailerOptions;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: ResetMailerOptions) {
    this.#options = options;
  }

  /** Sends a link to whoever has the address, if anybody has. Answers at once; what fails is in the log. */
  sendLink(email: string): void {
    const work = this.#send(email)
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#options.logger.error({ err: error }, "no link to a new password sent");
      })
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Waits for what is being sent, and gives up what would be tried again later. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay);
    this.#options.mailer.close();
  }

  async #send(email: string): Promise<void> {
    const { parts, mailer, publicUrl, logger } = this.#options;
    const link = await makeResetLink(parts, email);
    if (!link) return;
    for (const delayMs of [...RETRY_DELAYS_MS, null]) {
      const result = await mailer.send(wordsOf(link, publicUrl()));
      if (result.outcome === "accepted") return;
      const user = String(link.login.loginId);
      logger.warn({ user, outcome: result.outcome, reason: result.reason }, "a link to a new password was not sent");
      if (result.outcome !== "delayed" || delayMs === null) return;
      await sleep(delayMs, undefined, { signal: this.#stopping.signal });
    }
  }
}

function wordsOf({ login, token, lifetimeMinutes }: ResetLink, publicUrl: string) {
  const address = `${publicUrl.replace(/\/$/, "")}/reset-password#${token}`;
  return {
    recipient: login.email,
    recipientName: login.name,
    senderName: "Nodal",
    subject: "A new password for Nodal",
    body: [
      `Somebody asked for a new password for ${login.email}.`,
      `If it was you, choose one within ${lifetimeMinutes} minutes at this address, which works once:`,
      address,
      "If it was not you, do nothing: your password stays as it is.",
    ].join("\n\n"),
  };
}
