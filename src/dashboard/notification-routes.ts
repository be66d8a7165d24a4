// Routes of messages to customers: on which days and channels, which were sent, and sending them again.
// What belongs here: wire shapes, no logic.
import type { Merchant, Session } from "../merchants/index.ts";
import {
  changeSetting,
  CHANNELS,
  findNotification,
  findSetting,
  listNotifications,
  MOST_REMINDER_DAYS,
  MOST_REMINDERS,
  NOTIFICATION_STATES,
  notificationNotFound,
  retryNotification,
  reviveAddress,
  type Notification,
} from "../notifications/index.ts";
import { digitsOrNumber, email, list, oneOf, optional, text } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { limitOf, pageLimit } from "./paging.ts";

/** Days before the due date are below 0, which `wholeNumber` does not take. */
const reminderDay = () =>
  text({
    hint: `a whole number from -${MOST_REMINDER_DAYS} to ${MOST_REMINDER_DAYS}, as text`,
    maxLength: 4,
    pattern: /^-?([0-9]{1,2}|[12][0-9]{2}|3[0-5][0-9]|36[0-5])$/,
  });
const params = { message_id: digitsOrNumber(16) };

/** Adds the settings of messages. Whether mail, SMS and WhatsApp can be sent is the server's own configuration. */
export function registerNotificationSettingRoutes(scope: DashboardScope): void {
  const { parts } = scope;
  dashboardRoute(scope, {
    method: "GET",
    url: "/notification-settings",
    permission: "notifications.view",
    handler: async ({ db, merchant }) => {
      const { reminderDays, channels } = await findSetting(db, merchant);
      return {
        reminder_days: reminderDays,
        channels,
        available: CHANNELS.map((name) => ({ channel: name, configured: parts.configuredChannels.includes(name) })),
      };
    },
  });

  dashboardRoute(scope, {
    method: "PUT",
    url: "/notification-settings",
    permission: "notifications.manage",
    body: {
      reminder_days: list(reminderDay(), MOST_REMINDERS, 0),
      channels: list(oneOf(CHANNELS), CHANNELS.length),
    },
    handler: async ({ db, merchant, body }) => {
      const reminderDays = [...new Set(body.reminder_days.map((day) => Number(day) + 0))].toSorted((a, b) => a - b);
      const channels = CHANNELS.filter((name) => body.channels.includes(name));
      const setting = await changeSetting(db, merchant, { reminderDays, channels });
      return { reminder_days: setting.reminderDays, channels: setting.channels };
    },
  });
}

/** Adds the messages themselves. */
export function registerMessageRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/messages",
    permission: "notifications.view",
    query: {
      state: optional(oneOf(NOTIFICATION_STATES)),
      after: optional(digitsOrNumber(16)),
      limit: pageLimit(),
    },
    handler: async ({ db, merchant, session, query }) => {
      const limit = limitOf(query);
      const before = query.after === null ? null : BigInt(query.after);
      const found = await listNotifications(db, merchant, { state: query.state, before }, limit);
      const next = found.length === limit ? String(found.at(-1)!.notificationId) : null;
      return { messages: found.map((message) => describe(message, merchant, session)), next };
    },
  });

  dashboardRoute(scope, {
    method: "GET",
    url: "/messages/:message_id",
    permission: "notifications.view",
    params,
    handler: async ({ db, merchant, session, params: { message_id } }) => {
      const { bucket, merchantId } = merchant;
      const message = await findNotification(db, { bucket, merchantId, notificationId: BigInt(message_id) });
      if (!message) throw notificationNotFound();
      return { message: describe(message, merchant, session), text: message.wording?.body ?? null };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/messages/:message_id/retry",
    permission: "notifications.manage",
    params,
    handler: async ({ db, merchant, session, params: { message_id } }) => {
      const { bucket, merchantId } = merchant;
      const retried = await retryNotification(db, { bucket, merchantId, notificationId: BigInt(message_id) });
      return { message: describe(retried, merchant, session) };
    },
  });

  dashboardRoute(scope, {
    method: "POST",
    url: "/messages/revive",
    permission: "notifications.manage",
    body: { address: email() },
    handler: async ({ db, merchant, body }) => {
      await reviveAddress(db, merchant, body.address);
      return { done: true };
    },
  });
}

function describe(message: Notification, { timeZone }: Merchant, { permissions }: Session) {
  const time = (at: Temporal.Instant | null) => at && formatTimestamp(at, timeZone);
  const recipient = message.wording?.recipient ?? "";
  return {
    message_id: String(message.notificationId),
    kind: message.kind,
    channel: message.channel,
    reminder_days: message.reminderDays,
    state: message.state,
    reason: message.reason ?? "",
    attempts: message.attempts,
    recipient: permissions.has("customers.view") ? recipient : mask(recipient),
    subject: message.wording?.subject ?? "",
    created_at: time(message.createdAt),
    next_attempt_at: time(message.dueAt),
    sent_at: time(message.sentAt),
  };
}
