// The interface of channels that deliver messages to customers.
import type { ChannelName, NotificationKey, NotificationKind, Wording } from "./notification.ts";

export type MessageAttachment = {
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** The id that the HTML shows it by; `null` for an attached file. */
  readonly contentId: string | null;
};

/** A message in its final words. */
export type Message = NotificationKey &
  Wording & {
    readonly kind: NotificationKind;
    /** The same for every attempt, so that a receiver can recognize a duplicate. */
    readonly messageId: string;
    readonly recipientName: string;
    readonly senderName: string;
    /** The reply address; "" for none. */
    readonly replyTo: string;
    /** Makes the attachments. Rejects if they can't be made now. */
    attach(): Promise<MessageAttachment[]>;
  };

/** The parts of a message that a mail server gets. */
export type MailMessage = Omit<Message, keyof NotificationKey | "kind">;

export type SendResult =
  | { readonly outcome: "accepted" }
  /** No configured channel could send it. */
  | { readonly outcome: "held"; readonly reason: string }
  /** Another attempt may succeed. */
  | { readonly outcome: "delayed"; readonly reason: string }
  /** No attempt will succeed. `isDeadAddress`: because the address does not exist. */
  | { readonly outcome: "refused"; readonly reason: string; readonly isDeadAddress: boolean };

export type MessageChannel = {
  readonly name: ChannelName;
  /** Hands a message over. Rejects only without an answer, which counts as `delayed`. */
  send(message: Message): Promise<SendResult>;
  /** Aborts what is still in progress. */
  close(): void;
};

/** The channel of an installation without one: it holds messages for people to read. */
export function holdingChannel(name: ChannelName, reason: string): MessageChannel {
  return { name, send: () => Promise.resolve({ outcome: "held", reason }), close: () => {} };
}
