// `nodal mail`: messages to customers, and to people about approvals.
import { writeFile } from "node:fs/promises";
import {
  findNotification,
  listNotifications,
  NOTIFICATION_STATES,
  notificationNotFound,
  readMessage,
  retryNotification,
  reviveAddress,
  standaloneHtml,
  toEml,
  type Notification,
} from "../notifications/index.ts";
import { email, oneOf, optional, optionalText } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { group, id, ifGiven, merchantCommand, option, type MerchantScope } from "./command.ts";
import { linksOf, withRenderer } from "./invoice-options.ts";
import { formatRecord, listAnswer, paragraphs, recordAnswer } from "./output.ts";

const LISTED = 100;
const MAIL = id("a message's id, which `nodal mail list` shows");
const COLUMNS = [
  "mail_id",
  "kind",
  "channel",
  "state",
  "recipient",
  "subject",
  "created_at",
  "sent_at",
  "reason",
] as const;

const list = merchantCommand({
  description: `list a merchant's messages to customers and approvers, newest first, ${LISTED} at a time`,
  example: "--state Failed",
  options: {
    state: option("<state>", `one of ${NOTIFICATION_STATES.join(", ")}`, optional(oneOf(NOTIFICATION_STATES))),
    before: ifGiven(MAIL, "only messages older than this one"),
  },
  async run(scope, search) {
    const found = await listNotifications(scope.pool, scope.merchant, { ...search, customerId: null }, LISTED);
    const records = found.map((notification) => describe(scope, notification));
    const more = found.length === LISTED ? `Older messages: --before ${records.at(-1)!.mail_id}` : "";
    return listAnswer(records, "No matching messages.", COLUMNS, more);
  },
});

const show = merchantCommand({
  description: "show a message, or write it to files",
  example: "--mail 1000312 --html mail.html",
  options: {
    mail: MAIL,
    html: option("<file>", "write its HTML to this file, to open in a browser", optionalText(4096)),
    eml: option(
      "<file>",
      "write the whole mail with attachments to this file, to open in a mail program",
      optionalText(4096),
    ),
  },
  async run(scope, { mail, html, eml }) {
    const notification = await find(scope, mail);
    if (html !== null || eml !== null) await writeMessage(scope, notification, html, eml);
    const record = describe(scope, notification);
    const { wording } = notification;
    return {
      json: { ...record, text: wording?.body ?? null, html: wording?.html ?? null },
      text: paragraphs(formatRecord(record), wording?.body.trimEnd() ?? "Not rendered yet."),
    };
  },
});

const retry = merchantCommand({
  description: "send a held, failed or suppressed message again",
  example: "--mail 1000312",
  options: { mail: MAIL },
  run: async (scope, { mail }) => recordAnswer(describe(scope, await retryNotification(scope, mail))),
});

const revive = merchantCommand({
  description: "resume mail to an address that a mail server refused permanently",
  example: "--address asha@example.com",
  options: { address: option("<address>", "the e-mail address", email()) },
  async run(scope, { address }) {
    await reviveAddress(scope, address);
    return {
      json: { merchant_id: String(scope.merchant.merchantId), address, revived: true },
      text: `Mail to ${address} is resumed. Suppressed messages stay suppressed: see \`nodal mail retry\`.`,
    };
  },
});

export const mailCommands = group("read messages to customers and approvers, and send them again", {
  list,
  show,
  retry,
  revive,
});

async function find({ pool, merchant }: MerchantScope, notificationId: bigint): Promise<Notification> {
  const { bucket, merchantId } = merchant;
  const notification = await findNotification(pool, { bucket, merchantId, notificationId });
  if (!notification) throw notificationNotFound();
  return notification;
}

/** Writes a message as HTML, and as sent to a mail server. Existing files are replaced. */
async function writeMessage(
  { pool, config }: MerchantScope,
  notification: Notification,
  htmlFile: string | null,
  emlFile: string | null,
): Promise<void> {
  const { MAIL_FROM: mailFrom } = config;
  await withRenderer(config, async (renderer) => {
    const message = await readMessage({ pool, links: linksOf(config), renderer, mailFrom }, notification);
    if (htmlFile !== null) await writeFile(htmlFile, await standaloneHtml(message));
    if (emlFile !== null) await writeFile(emlFile, await toEml(message, mailFrom));
  });
}

function describe({ merchant: { timeZone } }: MerchantScope, notification: Notification) {
  const { wording } = notification;
  return {
    mail_id: String(notification.notificationId),
    kind: notification.kind,
    channel: notification.channel,
    reminder_days: notification.reminderDays,
    state: notification.state,
    reason: notification.reason,
    attempts: notification.attempts,
    recipient: wording?.recipient ?? null,
    subject: wording?.subject ?? null,
    message_id: notification.messageId,
    created_at: formatTimestamp(notification.createdAt, timeZone),
    next_attempt_at: formatTimestamp(notification.dueAt, timeZone),
    sent_at: formatTimestamp(notification.sentAt, timeZone),
  };
}
