// Routes of messages to customers, and to people about approvals: settings, sent messages, and sending again.
import type { ApiCaller, Merchant } from "../merchants/index.ts";
import {
  changeSetting,
  CHANNELS,
  findNotification,
  findSetting,
  listNotifications,
  MAX_REMINDER_DAYS,
  MAX_REMINDERS,
  NOTIFICATION_STATES,
  notificationNotFound,
  retryNotification,
  reviveAddress,
  type Notification,
} from "../notifications/index.ts";
import { NodalError } from "../platform/errors.ts";
import { digitsOrNumber, email, list, oneOf, optional, text } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatInstant } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { cutPage, listRoute, numberIn } from "./list-routes.ts";

/** Days before the due date are negative, which `wholeNumber` does not accept. */
const reminderDay = () =>
  text({
    hint: `a whole number from -${MAX_REMINDER_DAYS} to ${MAX_REMINDER_DAYS}, as text`,
    maxLength: 4,
    pattern: /^-?([0-9]{1,2}|[12][0-9]{2}|3[0-5][0-9]|36[0-5])$/,
  });
const params = { message_id: digitsOrNumber(16) };

/** Adds the settings of messages. Whether mail, SMS and WhatsApp can be sent is the server's own configuration. */
export function registerNotificationSettingRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    dashboardRoute(scope, {
      route: "GET /notification-settings",
      summary: "Read the notification settings",
      permission: "notifications.view",
      handler: async ({ db, merchant }) => {
        const { reminderDays, channels } = await findSetting(db, merchant);
        return {
          reminder_days: reminderDays,
          channels,
          available: CHANNELS.map((name) => ({ channel: name, configured: parts.configuredChannels.includes(name) })),
        };
      },
    }),
    dashboardRoute(scope, {
      route: "PUT /notification-settings",
      summary: "Change the notification settings",
      permission: "notifications.manage",
      body: {
        reminder_days: list(reminderDay(), MAX_REMINDERS, 0),
        channels: list(oneOf(CHANNELS), CHANNELS.length),
      },
      handler: async ({ db, merchant, body }) => {
        const wanted = { reminderDays: body.reminder_days.map(Number), channels: body.channels };
        const setting = await changeSetting({ pool: db, merchant }, wanted);
        return { reminder_days: setting.reminderDays, channels: setting.channels };
      },
    }),
  ];
}

/** Adds the messages themselves. */
export function registerMessageRoutes(scope: DashboardScope) {
  return [
    listRoute(scope, {
      url: "/messages",
      summary: "List messages to customers",
      permission: "notifications.view",
      filters: { state: optional(oneOf(NOTIFICATION_STATES)), customer_id: optional(digitsOrNumber(16)) },
      rowsIn: "messages",
      read: async ({ db, merchant, caller, query: { state, customer_id } }, asked) => {
        const search = { state, customerId: numberIn(customer_id), before: numberIn(asked.after) };
        const found = await listNotifications(db, merchant, search, asked.limit + 1);
        const { rows, next } = cutPage(found, asked, ({ notificationId }) => notificationId);
        return { rows: rows.map((message) => describe(message, merchant, caller)), next };
      },
    }),
    dashboardRoute(scope, {
      route: "GET /messages/:message_id",
      summary: "Read a message to a customer",
      permission: "notifications.view",
      params,
      handler: async ({ db, merchant, caller, params: { message_id } }) => {
        const { bucket, merchantId } = merchant;
        const message = await findNotification(db, { bucket, merchantId, notificationId: BigInt(message_id) });
        if (!message) throw notificationNotFound();
        requireReader(message, caller);
        return { message: describe(message, merchant, caller), text: message.wording?.body ?? null };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /messages/:message_id/retry",
      summary: "Send a failed message again",
      permission: "notifications.manage",
      params,
      handler: async ({ db, merchant, caller, params: { message_id } }) => {
        const retried = await retryNotification({ pool: db, merchant }, BigInt(message_id));
        return { message: describe(retried, merchant, caller) };
      },
    }),
    dashboardRoute(scope, {
      route: "POST /messages/revive",
      summary: "Allow messages to an address that bounced",
      permission: "notifications.manage",
      body: { address: email() },
      handler: async ({ db, merchant, body }) => {
        await reviveAddress({ pool: db, merchant }, body.address);
        return { done: true };
      },
    }),
  ];
}

/**
 * Messages about approvals name payouts and payees.
 * @throws NodalError `access_denied`
 */
function requireReader({ kind }: Notification, { permissions }: ApiCaller): void {
  if (kind !== "approval" || permissions.has("payouts.view")) return;
  const message = "Your role can't read this message, because it names payouts.";
  throw new NodalError("access_denied", message);
}

function describe(message: Notification, { timeZone }: Merchant, { permissions }: ApiCaller) {
  const recipient = message.wording?.recipient ?? "";
  return {
    message_id: String(message.notificationId),
    kind: message.kind,
    channel: message.channel,
    reminder_days: message.reminderDays,
    state: message.state,
    reason: message.reason ?? "",
    attempts: message.attempts,
    // Callers who see payouts also see their approvers.
    recipient: permissions.has(message.kind === "approval" ? "payouts.view" : "customers.view")
      ? recipient
      : mask(recipient),
    subject: message.wording?.subject ?? "",
    created_at: formatInstant(message.createdAt, timeZone),
    next_attempt_at: formatInstant(message.dueAt, timeZone),
    sent_at: formatInstant(message.sentAt, timeZone),
  };
}
