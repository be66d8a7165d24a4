// Opens the configured channels: the worker that sends notifications, and a mailer for other mail, such as a link to a new
// password. Such mail is not stored, since it may contain secrets.
import { randomUUID } from "node:crypto";
import type { PublicLinks } from "../documents/index.ts";
import type { Config } from "../platform/config.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { holdingChannel, type MessageChannel, type MailMessage, type SendResult } from "./channel.ts";
import { httpChannel } from "./http-channel.ts";
import { smtpChannel } from "./mail-channel.ts";
import { CHANNELS, type ChannelName } from "./notification.ts";
import type { Channels } from "./send-notification.ts";
import { NotificationSender, SEND_CONCURRENCY } from "./sender.ts";

type NotificationConfig = Pick<Config, "SMTP_URL" | "MAIL_FROM" | "SMS_HTTP_URL" | "WHATSAPP_HTTP_URL">;
type LimitConfig = Pick<Config, "MESSAGES_PER_DAY" | "MESSAGES_PER_RECIPIENT_PER_DAY">;

export type NotificationOptions = {
  readonly config: NotificationConfig & LimitConfig;
  readonly pool: Pool;
  readonly links: PublicLinks;
  readonly renderer: PdfRenderer;
  readonly logger: Logger;
};

/** The worker that sends notifications as configured. It does nothing before it is started. */
export function openNotifications({ config, ...parts }: NotificationOptions): NotificationSender {
  const limits = { all: config.MESSAGES_PER_DAY, toOne: config.MESSAGES_PER_RECIPIENT_PER_DAY };
  return new NotificationSender({
    ...parts,
    limits,
    mailFrom: config.MAIL_FROM,
    channels: openChannels(config),
    configured: configuredChannels(config),
  });
}

/** The channels that are configured; messages on the others are held. */
export function configuredChannels({ SMTP_URL, SMS_HTTP_URL, WHATSAPP_HTTP_URL }: NotificationConfig): ChannelName[] {
  const urls = { mail: SMTP_URL, sms: SMS_HTTP_URL, whatsapp: WHATSAPP_HTTP_URL };
  return CHANNELS.filter((name) => urls[name] !== null);
}

function openChannels({ SMTP_URL, MAIL_FROM, SMS_HTTP_URL, WHATSAPP_HTTP_URL }: NotificationConfig): Channels {
  const mail =
    SMTP_URL === null
      ? holdingChannel("mail", "No mail server is configured (SMTP_URL): mail is held until there is one.")
      : smtpChannel({ smtpUrl: SMTP_URL, mailFrom: MAIL_FROM, maxConnections: SEND_CONCURRENCY });
  const overHttp = (name: ChannelName, setting: string, url: string | null): MessageChannel =>
    url === null
      ? holdingChannel(name, `No connector is configured (${setting}): messages are held until there is one.`)
      : httpChannel(name, url);
  return {
    mail,
    sms: overHttp("sms", "SMS_HTTP_URL", SMS_HTTP_URL),
    whatsapp: overHttp("whatsapp", "WHATSAPP_HTTP_URL", WHATSAPP_HTTP_URL),
  };
}

export type PlainMail = Pick<MailMessage, "recipient" | "recipientName" | "senderName" | "subject" | "body">;

export type Mailer = {
  /** Hands a mail over; `held` if no mail server is configured. */
  send(mail: PlainMail): Promise<SendResult>;
  close(): void;
};

/** A mailer for the configured mail server, or one that reports that there is none. */
export function openMailer({ SMTP_URL, MAIL_FROM }: Pick<Config, "SMTP_URL" | "MAIL_FROM">): Mailer {
  if (SMTP_URL === null) {
    const reason = "No mail server is configured (SMTP_URL): set a new password with `nodal user reset-password`.";
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
