// A mail about approvals in words, for somebody who may decide them: docs/rules/access.md#mail-about-approvals.
// What belongs here: which parts it has and their wording. Layout is in message-html.ts and message-text.ts.
import type { Fact } from "../documents/index.ts";
import type { ApprovalKind } from "../merchants/index.ts";
import { formatIndianDate, formatRupees } from "../platform/indian-format.ts";
import { MOST_COUNTED, type ApprovalSubject, type WaitingRequest } from "./approval-subject.ts";
import type { MessageView } from "./message-view.ts";

/** The words of the dashboard's page of approvals. */
const KINDS: Readonly<Record<ApprovalKind, string>> = {
  transfer: "Transfer",
  withdrawal: "Withdrawal",
  commission: "Commission payout",
  beneficiary: "New beneficiary",
  franchise_account: "Franchise bank account",
  franchise_account_change: "New franchise account",
  transfer_resolution: "Stuck transfer",
  bank_account: "New bank account",
  policy: "Relaxed payout rules",
  payout_batch: "Bulk payout",
};

/** What is said to somebody who may decide, as things stand now. */
export function approvalView(subject: ApprovalSubject): MessageView {
  const { merchant, login, count, named, approvalsUrl, signInUrl } = subject;
  const company = merchant.live ? merchant.name : `${merchant.name} (sandbox)`;
  const requests = inWords(count);
  const waits = count === 1 ? "waits" : "wait";
  const sentence = `${requests} at ${company} ${waits} for the decision of a second person, who may be you.`;
  const more = count - named.length;
  return {
    subject: `${requests} ${waits} for your approval: ${company}`,
    preview: sentence,
    title: "Waiting for your approval",
    greeting: `Dear ${login.name},`,
    paragraphs: [sentence],
    headline: { label: "Waiting for you", value: requests, note: firstExpiry(subject), isBad: false },
    facts: [
      ...named.map((request) => factOf(request, merchant.timeZone)),
      ...(more > 0 ? [{ label: "Not listed here", value: count < MOST_COUNTED ? `${more} more` : "all others" }] : []),
    ],
    button: { label: "Open approvals", url: approvalsUrl },
    closing: [
      `You sign in at ${signInUrl}`,
      "To get no such e-mails, switch them off on the page Security of your account.",
    ],
    senderName: company,
    senderLines: ["Sent by Nodal to people who may decide approvals"],
    short: `${sentence} ${approvalsUrl}`,
  };
}

function inWords(count: number): string {
  if (count >= MOST_COUNTED) return `${MOST_COUNTED} or more requests`;
  return `${count} ${count === 1 ? "request" : "requests"}`;
}

function firstExpiry({ count, named, merchant: { timeZone } }: ApprovalSubject): string {
  const first = named[0]?.expiresAt ?? null;
  if (first === null) return count === 0 ? "Nothing is left to decide" : "Waiting until somebody decides";
  return `${count === 1 ? "Expires on" : "The first expires on"} ${formatMoment(first, timeZone)}`;
}

function factOf({ kind, what, amountPaise, by, requestedAt, expiresAt }: WaitingRequest, timeZone: string): Fact {
  const parts = [
    amountPaise === null ? "" : formatRupees(amountPaise),
    what,
    `requested by ${by} on ${formatMoment(requestedAt, timeZone)}`,
    expiresAt === null ? "" : `expires on ${formatMoment(expiresAt, timeZone)}`,
  ];
  return { label: KINDS[kind], value: parts.filter((part) => part !== "").join("; ") };
}

/** `26 Nov 2026, 16:13`, on the merchant's clock. */
function formatMoment(instant: Temporal.Instant, timeZone: string): string {
  const local = instant.toZonedDateTimeISO(timeZone);
  return `${formatIndianDate(local.toPlainDate())}, ${local.toPlainTime().toString({ smallestUnit: "minute" })}`;
}
