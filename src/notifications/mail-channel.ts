// Mail over SMTP, and mail as a file.
import { createTransport, type NodemailerError, type SendMailOptions } from "nodemailer";
import type { MailMessage, Message, MessageChannel, SendResult } from "./channel.ts";

export type MailOptions = {
  /** `smtp:` or `smtps:`, with the user and password in it. */
  readonly smtpUrl: string;
  /** The sender's address. The name beside it is the merchant's. */
  readonly mailFrom: string;
  readonly maxConnections: number;
};

const CONNECT_TIMEOUT_MS = 15_000;
/** How long the server may be silent. */
const SILENCE_TIMEOUT_MS = 60_000;
const IDLE_MS = 10_000;
const MAX_REASON_LENGTH = 500;

/** Refusals of a recipient that say nothing against the address: full, too large, out of order, or against a policy. */
const NOT_THE_ADDRESS = /^5\d\d[ -]5\.(2\.[23]|[347]\.\d)/;

/** Signs in at a mail server and sends nothing. @throws NodemailerError with the error of the server or the network */
export async function tryMailServer(smtpUrl: string, timeoutMs: number): Promise<void> {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    requireTLS: new URL(smtpUrl).password !== "",
  });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** A channel for mail about anything. */
export type MailChannel = Omit<MessageChannel, "send"> & { send(message: MailMessage): Promise<SendResult> };

/** Sends mail through a server, over a few connections that are kept while there is something to send. */
export function smtpChannel({ smtpUrl, mailFrom, maxConnections }: MailOptions): MailChannel {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections,
    // The queue decides about retries; this one is immediate, for a stale connection.
    maxRequeues: 1,
    idleTimeout: IDLE_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // So that an attacker who hides the server's encryption doesn't get the password. The URL's options come first.
    requireTLS: new URL(smtpUrl).password !== "",
  });
  const send = async (message: MailMessage): Promise<SendResult> => {
    const mail = await toMail(message, mailFrom);
    try {
      await transport.sendMail(mail);
      return { outcome: "accepted" };
    } catch (error) {
      return judgeFailure(error as NodemailerError);
    }
  };
  return { name: "mail", send, close: () => transport.transporter.close?.({ force: true }) };
}

/** The mail as the file that a mail server would get. */
export async function toEml(message: Message, mailFrom: string): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message: bytes } = await transport.sendMail(await toMail(message, mailFrom));
  return bytes as Buffer;
}

/** The id of a message for all attempts, at the sender's domain. */
export function messageIdOf(
  { merchantId, notificationId }: Pick<Message, "merchantId" | "notificationId">,
  mailFrom: string,
): string {
  return `<${notificationId}.${merchantId}@${mailFrom.slice(mailFrom.lastIndexOf("@") + 1)}>`;
}

/** Addresses are given apart from names, and no value names a file or an address to read. */
async function toMail(message: MailMessage, mailFrom: string): Promise<SendMailOptions> {
  const files = await message.attach();
  return {
    from: { name: oneLine(message.senderName), address: mailFrom },
    ...(message.replyTo === "" ? {} : { replyTo: { name: oneLine(message.senderName), address: message.replyTo } }),
    to: { name: oneLine(message.recipientName), address: message.recipient },
    subject: oneLine(message.subject),
    messageId: message.messageId,
    // So that no out-of-office replies are sent to it.
    headers: { "Auto-Submitted": "auto-generated" },
    text: message.body,
    ...(message.html === null ? {} : { html: message.html }),
    attachments: files.map(({ fileName, mimeType, bytes, contentId }) => ({
      filename: fileName,
      contentType: mimeType,
      content: Buffer.from(bytes),
      ...(contentId === null ? {} : { cid: contentId, contentDisposition: "inline" }),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}

/**
 * Decides from an error whether to retry. Refusals of the recipient or the message are permanent; refusals of the sender or the password
 * are problems of the installation, which somebody may fix.
 */
function judgeFailure(error: NodemailerError): SendResult {
  const { responseCode = 0, response = "", command = "" } = error;
  const reason = (response || error.message).replaceAll(/\s+/g, " ").trim().slice(0, MAX_REASON_LENGTH);
  const isOfRecipient = command === "RCPT TO";
  const isOfMessage = error.code === "EMESSAGE" || command === "DATA";
  // Errors before the server was asked: an invalid address, or a message above the server's size limit.
  const isUnsendable =
    responseCode === 0 && (error.code === "EMESSAGE" || (error.code === "EENVELOPE" && command === "API"));
  if (isUnsendable) return { outcome: "refused", reason, isDeadAddress: false };
  if (responseCode < 500 || !(isOfRecipient || isOfMessage)) return { outcome: "delayed", reason };
  return { outcome: "refused", reason, isDeadAddress: isOfRecipient && !NOT_THE_ADDRESS.test(response) };
}
