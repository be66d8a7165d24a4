// A notification is put into words, for the channel that carries it.
// What belongs here: which words and files a message has. The words themselves are in message-view.ts.
import { renderInvoicePdf, type InvoiceDocument, type PublicLinks } from "../documents/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { fileNameOf } from "../platform/file-name.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { Message, MessageAttachment } from "./channel.ts";
import { messageIdOf } from "./mail-channel.ts";
import type { ApprovalSubject } from "./approval-subject.ts";
import { approvalView } from "./approval-view.ts";
import { LOGO_CONTENT_ID, messageHtml, type MessageLooks } from "./message-html.ts";
import { messageText } from "./message-text.ts";
import { messageView, replyToOf, type MessageView } from "./message-view.ts";
import type { Notification } from "./notification.ts";
import { notificationNotFound } from "./retry-notification.ts";
import { readSubject, type InvoiceSubject, type Subject } from "./subject.ts";

export type ComposeOptions = { readonly renderer: PdfRenderer; readonly mailFrom: string };

/** The message as it is to be said now. Files are made only when they are asked for. */
export function composeMessage(
  notification: Notification,
  subject: Subject,
  { renderer, mailFrom }: ComposeOptions,
): Message {
  const { kind, channel } = notification;
  const isMail = channel === "mail";
  const { view, looks, recipientName, replyTo, attach } =
    subject.kind === "approval" ? partsForDecider(subject) : partsForCustomer(notification, subject, renderer);
  return {
    bucket: notification.bucket,
    merchantId: notification.merchantId,
    notificationId: notification.notificationId,
    kind,
    messageId: notification.messageId ?? messageIdOf(notification, mailFrom),
    recipient: subject.recipient,
    recipientName,
    senderName: view.senderName,
    replyTo,
    subject: view.subject,
    html: isMail ? messageHtml(view, looks) : null,
    body: isMail ? messageText(view) : view.short,
    attach,
  };
}

/** What a message to one kind of reader has beside its view. */
type Parts = Pick<Message, "recipientName" | "replyTo" | "attach"> & {
  readonly view: MessageView;
  readonly looks: MessageLooks;
};

function partsForCustomer(notification: Notification, subject: InvoiceSubject, renderer: PdfRenderer): Parts {
  const { document } = subject;
  return {
    view: messageView(subject),
    looks: { accentColour: document.accentColour, hasLogo: mailLogo(document) !== null },
    recipientName: subject.customer.customerName,
    replyTo: replyToOf(subject),
    attach: () => attachmentsOf(notification, document, renderer),
  };
}

function partsForDecider(subject: ApprovalSubject): Parts {
  return {
    view: approvalView(subject),
    looks: { accentColour: "", hasLogo: false },
    recipientName: subject.login.name,
    // An answer decides nothing, and nobody would read it.
    replyTo: "",
    attach: () => Promise.resolve([]),
  };
}

/**
 * A message in the words that were last used, or those that would be used now; its files are made anew.
 * @throws NodalError `not_found` where nothing is left of what it is about
 */
export async function readMessage(
  { pool, links, ...options }: ComposeOptions & { readonly pool: Pool; readonly links: PublicLinks },
  notification: Notification,
): Promise<Message> {
  const subject = await readSubject(pool, links, notification);
  if (!subject) throw notificationNotFound();
  return { ...composeMessage(notification, subject, options), ...notification.wording };
}

/**
 * A message's HTML with its picture in it, which a browser shows as it is.
 * @throws NodalError `not_found` where it has no HTML
 */
export async function standaloneHtml(message: Message): Promise<string> {
  const { html } = message;
  if (html === null) throw new NodalError("not_found", "Only mail has HTML: this message went to a phone.");
  const picture = (await message.attach()).find(({ contentId }) => contentId !== null);
  if (!picture) return html;
  const source = `data:${picture.mimeType};base64,${Buffer.from(picture.bytes).toString("base64")}`;
  return html.replaceAll(`cid:${LOGO_CONTENT_ID}`, source);
}

async function attachmentsOf(
  notification: Notification,
  document: InvoiceDocument,
  renderer: PdfRenderer,
): Promise<MessageAttachment[]> {
  const { kind, channel } = notification;
  if (channel !== "mail") return [];
  const logo = mailLogo(document);
  return [...(logo ? [logo] : []), ...(kind === "receipt" ? [] : [await pdfOf(notification, document, renderer)])];
}

async function pdfOf(
  owner: Notification,
  document: InvoiceDocument,
  renderer: PdfRenderer,
): Promise<MessageAttachment> {
  return {
    fileName: `${fileNameOf(document.number ?? "invoice")}.pdf`,
    mimeType: "application/pdf",
    bytes: await renderInvoicePdf(renderer, owner, document),
    contentId: null,
  };
}

/** The logo for a mail; `null` where there is none. */
function mailLogo({ logo }: InvoiceDocument): MessageAttachment | null {
  return logo && { fileName: "logo.png", ...logo, contentId: LOGO_CONTENT_ID };
}
