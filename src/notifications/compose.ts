// One use case: a notification is put into words, for the channel that carries it.
// What belongs here: which words and files a message has. The words themselves are in message-view.ts.
import { renderInvoicePdf, type InvoiceDocument } from "../invoices/index.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { Message, MessageAttachment } from "./channel.ts";
import { messageIdOf } from "./mail-channel.ts";
import { LOGO_CONTENT_ID, messageHtml } from "./message-html.ts";
import { messageText } from "./message-text.ts";
import { messageView, replyToOf } from "./message-view.ts";
import type { Notification } from "./notification.ts";
import type { Subject } from "./subject.ts";

const LOGO_EXTENSIONS = { "image/png": "png", "image/jpeg": "jpg" } as const;

export type ComposeOptions = { readonly renderer: PdfRenderer; readonly mailFrom: string };

/** The message as it is to be said now. Files are made only when they are asked for. */
export function composeMessage(
  notification: Notification,
  subject: Subject,
  { renderer, mailFrom }: ComposeOptions,
): Message {
  const { kind, channel } = notification;
  const { document } = subject;
  const view = messageView(kind, subject);
  const isMail = channel === "mail";
  const looks = { accentColour: document.accentColour, hasLogo: mailLogo(document) !== null };
  return {
    bucket: notification.bucket,
    merchantId: notification.merchantId,
    notificationId: notification.notificationId,
    kind,
    messageId: notification.messageId ?? messageIdOf(notification, mailFrom),
    recipient: subject.recipient,
    recipientName: subject.customer.customerName,
    senderName: view.senderName,
    replyTo: replyToOf(subject),
    subject: view.subject,
    html: isMail ? messageHtml(view, looks) : null,
    body: isMail ? messageText(view) : view.short,
    attach: () => attachmentsOf(notification, document, renderer),
  };
}

async function attachmentsOf(
  { kind, channel }: Notification,
  document: InvoiceDocument,
  renderer: PdfRenderer,
): Promise<MessageAttachment[]> {
  if (channel !== "mail") return [];
  const logo = mailLogo(document);
  return [...(logo ? [logo] : []), ...(kind === "receipt" ? [] : [await pdfOf(document, renderer)])];
}

async function pdfOf(document: InvoiceDocument, renderer: PdfRenderer): Promise<MessageAttachment> {
  return {
    fileName: `${(document.number ?? "invoice").replaceAll(/[^A-Za-z0-9-]/g, "-")}.pdf`,
    mimeType: "application/pdf",
    bytes: await renderInvoicePdf(renderer, document),
    contentId: null,
  };
}

/** The logo for a mail; `null` where there is none. Hardly any mail client draws an SVG. */
function mailLogo({ logo }: InvoiceDocument): MessageAttachment | null {
  if (logo === null || logo.mimeType === "image/svg+xml") return null;
  const fileName = `logo.${LOGO_EXTENSIONS[logo.mimeType]}`;
  return { fileName, mimeType: logo.mimeType, bytes: logo.bytes, contentId: LOGO_CONTENT_ID };
}
