// `nodal mail`: list, show, retry, revive.
// What belongs here: options and what is printed. The work is done in notifications/; files are written by mail-files.ts.
import type { Command } from "commander";
import { requireMerchant, type Merchant } from "../merchants/index.ts";
import {
  findNotification,
  listNotifications,
  NOTIFICATION_STATES,
  notificationNotFound,
  retryNotification,
  reviveAddress,
  type Notification,
} from "../notifications/index.ts";
import { email, oneOf, optional, optionalText, text } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { writeEml, writeHtml } from "./mail-files.ts";
import { merchantId, optionsOf, type Values } from "./options.ts";
import { example, formatRecord, formatTable } from "./output.ts";

const LISTED = 100;
const MERCHANT_OPTION = ["--merchant <id>", "the merchant's id"] as const;
const MAIL_OPTION = ["--mail <id>", "the message's id, which `nodal mail list` shows"] as const;

const MAIL_ID = text({ hint: "a message's id, which `nodal mail list` shows", maxLength: 16, pattern: /^[0-9]+$/ });
const LIST_FIELDS = {
  merchant: merchantId(),
  state: optional(oneOf(NOTIFICATION_STATES)),
  before: optional(MAIL_ID),
};
const MAIL_FIELDS = { merchant: merchantId(), mail: MAIL_ID };
const SHOW_FIELDS = { ...MAIL_FIELDS, html: optionalText(4096), eml: optionalText(4096) };
const REVIVE_FIELDS = { merchant: merchantId(), address: email() };

/** Adds `mail` and its subcommands. */
export function registerMail(program: Command): void {
  const mail = program.command("mail").description("messages to customers: read them, and send them again");

  mail
    .command("list")
    .description(`list a merchant's messages to its customers, newest first, ${LISTED} at once`)
    .option(...MERCHANT_OPTION)
    .option("--state <state>", `one of ${NOTIFICATION_STATES.join(", ")}`)
    .option("--before <id>", "only messages older than this one")
    .addHelpText("after", example("nodal mail list --merchant 1000001 --state Failed"))
    .action(onInstallation(optionsOf(LIST_FIELDS), list));

  mail
    .command("show")
    .description("show a message, and write it to files")
    .option(...MERCHANT_OPTION)
    .option(...MAIL_OPTION)
    .option("--html <file>", "write its HTML to this file, to open it in a browser")
    .option("--eml <file>", "write the whole mail with its attachments to this file, to open it in a mail program")
    .addHelpText("after", example("nodal mail show --merchant 1000001 --mail 1000312 --html mail.html"))
    .action(onInstallation(optionsOf(SHOW_FIELDS), show));

  mail
    .command("retry")
    .description("send a message again that is held, failed or suppressed")
    .option(...MERCHANT_OPTION)
    .option(...MAIL_OPTION)
    .addHelpText("after", example("nodal mail retry --merchant 1000001 --mail 1000312"))
    .action(onInstallation(optionsOf(MAIL_FIELDS), retry));

  mail
    .command("revive")
    .description("send to an address again that a mail server had refused for good")
    .option(...MERCHANT_OPTION)
    .option("--address <address>", "the e-mail address")
    .addHelpText("after", example("nodal mail revive --merchant 1000001 --address asha@example.com"))
    .action(onInstallation(optionsOf(REVIVE_FIELDS), revive));
}

async function list({ pool }: Installation, options: Values<typeof LIST_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  const before = options.before === null ? null : BigInt(options.before);
  const found = await listNotifications(pool, merchant, { state: options.state, before }, LISTED);
  const json = found.map((notification) => describe(merchant, notification));
  const rows = json.map(({ mail_id, kind, channel, state, recipient, subject, created_at, sent_at, reason }) => {
    return { mail_id, kind, channel, state, recipient, subject, created_at, sent_at, reason };
  });
  const more = found.length === LISTED ? `\n\nOlder ones: --before ${json.at(-1)!.mail_id}` : "";
  return { json, text: `${formatTable(rows, "There is no such message.")}${more}` };
}

async function show(installation: Installation, options: Values<typeof SHOW_FIELDS>): Promise<Answer> {
  const { pool } = installation;
  const { merchant, notification } = await find(installation, options);
  if (options.html !== null) await writeHtml(pool, installation.config, notification, options.html);
  if (options.eml !== null) await writeEml(pool, installation.config, notification, options.eml);
  const record = describe(merchant, notification);
  const { wording } = notification;
  return {
    json: { ...record, text: wording?.body ?? null, html: wording?.html ?? null },
    text: `${formatRecord(record)}\n\n${wording?.body.trimEnd() ?? "It has not been put into words yet."}`,
  };
}

async function retry(installation: Installation, options: Values<typeof MAIL_FIELDS>): Promise<Answer> {
  const { merchant, notification } = await find(installation, options);
  const json = describe(merchant, await retryNotification(installation.pool, notification));
  return { json, text: formatRecord(json) };
}

async function revive({ pool }: Installation, options: Values<typeof REVIVE_FIELDS>): Promise<Answer> {
  const merchant = await requireMerchant(pool, options.merchant);
  await reviveAddress(pool, merchant, options.address);
  const json = { merchant_id: String(merchant.merchantId), address: options.address, revived: true };
  return {
    json,
    text: `${options.address} is written to again. What was suppressed stays so: see \`nodal mail retry\`.`,
  };
}

async function find(
  { pool }: Installation,
  options: Values<typeof MAIL_FIELDS>,
): Promise<{ merchant: Merchant; notification: Notification }> {
  const merchant = await requireMerchant(pool, options.merchant);
  const { bucket, merchantId: owner } = merchant;
  const key = { bucket, merchantId: owner, notificationId: BigInt(options.mail) };
  const notification = await findNotification(pool, key);
  if (!notification) throw notificationNotFound();
  return { merchant, notification };
}

function describe({ timeZone }: Merchant, notification: Notification) {
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
    next_attempt_at: notification.dueAt && formatTimestamp(notification.dueAt, timeZone),
    sent_at: notification.sentAt && formatTimestamp(notification.sentAt, timeZone),
  };
}
