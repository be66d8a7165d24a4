// The public interface of notifications, for the server and the commands.
export { toEml } from "./mail-channel.ts";
export { readMessage, standaloneHtml } from "./compose.ts";
export { CHANNELS, NOTIFICATION_STATES, type ChannelName, type Notification } from "./notification.ts";
export { countMailQueue, findNotification, listNotifications, listNotificationsAbout } from "./notification-store.ts";
export { forgetMessageDays, takeMessage } from "./message-day-store.ts";
export { tryMailServer } from "./mail-channel.ts";
export {
  openMailer,
  configuredChannels,
  openNotifications,
  type Mailer,
  type PlainMail,
} from "./open-notifications.ts";
export { notificationNotFound, retryNotification, reviveAddress } from "./retry-notification.ts";
export { sendStatement } from "./send-statement.ts";
export { remindCustomer } from "./remind-customer.ts";
export { approverMailSchedule, notifyApprovers } from "./notify-approvers.ts";
export { advanceClockAndRemind, reminderSchedule } from "./run-reminders.ts";
export { changeSetting, copySetting } from "./change-setting.ts";
export { findSetting, MAX_REMINDER_DAYS, MAX_REMINDERS, type NotificationSetting } from "./setting-store.ts";
export { NOTIFICATION_CHECKS } from "./verify-store.ts";
