// Mail about other things than a merchant's invoices, such as a link to a new password.
// What belongs here: sending plain words to one address. They are kept nowhere: they may hold secrets.
import { randomUUID } from "node:crypto";
import type { Config } from "../platform/config.ts";
import type { MailMessage, SendResult } from "./channel.ts";
import { smtpChannel } from "./mail-channel.ts";

export type PlainMail = Pick<MailMessage, "recipient" | "recipientName" | "senderName" | "subject" | "body">;

export type Mailer = {
  /** Hands a mail over; `held` where no mail server is configured. */
  send(mail: PlainMail): Promise<SendResult>;
  close(): void;
};

/** The mail server of the configuration, or a mailer that says that there is none. */
export function openMailer({ SMTP_URL, MAIL_FROM }: Pick<Config, "SMTP_URL" | "MAIL_FROM">): Mailer {
  if (SMTP_URL === null) {
    const reason = "No mail server is configured (SMTP_URL): give a new password with `nodal user reset-password`.";
    return { send: () => Promise.resolve({ outcome: "held", reason }), close: () => {} };
  }
  const channel = smtpChannel({ smtpUrl: SMTP_URL, mailFrom: MAIL_FROM, maxConnections: 1 });
  const domain = MAIL_FROM.slice(MAIL_FROM.lastIndexOf("@") + 1);
  const send = (mail: PlainMail): Promise<SendResult> =>
    channel.send({
      ...mail,
      messageId: `<${randomUUID()}@${domain}>`,
      replyTo: "",
      html: null,
      attach: () => Promise.resolve([]),
    });
  return { send, close: () => channel.close() };
}
