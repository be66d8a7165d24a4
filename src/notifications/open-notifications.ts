// The sending of notifications, as the server starts it: channels by configuration, and the worker.
// What belongs here: which setting leads to which channel.
import type { PublicLinks } from "../documents/index.ts";
import type { Config } from "../platform/config.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { holdingChannel, type MessageChannel } from "./channel.ts";
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
      ? holdingChannel("mail", "No mail server is configured (SMTP_URL): it is held until there is one.")
      : smtpChannel({ smtpUrl: SMTP_URL, mailFrom: MAIL_FROM, maxConnections: SEND_CONCURRENCY });
  const overHttp = (name: ChannelName, setting: string, url: string | null): MessageChannel =>
    url === null
      ? holdingChannel(name, `No connector is configured (${setting}): it is held until there is one.`)
      : httpChannel(name, url);
  return {
    mail,
    sms: overHttp("sms", "SMS_HTTP_URL", SMS_HTTP_URL),
    whatsapp: overHttp("whatsapp", "WHATSAPP_HTTP_URL", WHATSAPP_HTTP_URL),
  };
}
