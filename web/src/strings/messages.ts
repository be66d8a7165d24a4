// What the pages of messages to customers say.

export const messages = {
  hint: "Invoices, receipts, reminders and statements to customers, and approval e-mails to your team",
  settings: "Reminders and channels",
  days: "Reminder days",
  daysHint: "Days from the due date, such as -3, 0, 7. Leave empty for no reminders.",
  day: (day: number) =>
    day === 0
      ? "On the due date"
      : `${Math.abs(day)} ${Math.abs(day) === 1 ? "day" : "days"} ${day < 0 ? "before" : "after"}`,
  daysWrong: "Enter whole numbers from -365 to 365, separated by commas.",
  channels: "Channels",
  channelNames: { mail: "E-mail", sms: "SMS", whatsapp: "WhatsApp" },
  notConfigured: "Not set up on this server; messages stay on hold until it is",
  configured: "Set up on this server",
  save: "Save",
  saved: "Settings saved.",
  state: "Status",
  all: "Any status",
  subject: "Message",
  recipient: "To",
  created: "Created on",
  kinds: {
    invoice: "Invoice",
    receipt: "Receipt",
    reminder: "Reminder",
    statement: "Statement of account",
    approval: "Approval",
  },
  retry: "Send again",
  retryOf: (subject: string) => `Send again: ${subject}`,
  retried: "Message queued again.",
  empty: "No messages yet",
  emptyHint: "Messages to customers and approval e-mails appear here.",
  read: "View",
  readOf: (subject: string) => `View: ${subject}`,
  reason: "Reason",
  noText: "The text isn't ready yet.",
  revive: "Unblock address",
  reviveHint:
    "A mail server rejected this address permanently, so we don't send to it. Unblock it once it works again.",
  address: "E-mail address",
  revived: "Address unblocked.",
} as const;
