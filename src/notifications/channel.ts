// The one interface to whatever carries messages to customers.
import type { ChannelName, NotificationKey, NotificationKind, Wording } from "./notification.ts";

export type MessageAttachment = {
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** By which the HTML shows it; `null` for a file beside the message. */
  readonly contentId: string | null;
};

/** A message in its final words. */
export type Message = NotificationKey &
  Wording & {
    readonly kind: NotificationKind;
    /** The same at every attempt, so that a receiver can tell a twin. */
    readonly messageId: string;
    readonly recipientName: string;
    readonly senderName: string;
    /** Where answers go; "" where nowhere. */
    readonly replyTo: string;
    /** Makes what goes with it. Rejects when that can't be made now. */
    attach(): Promise<MessageAttachment[]>;
  };

/** What a mail server is given of a message. */
export type MailMessage = Omit<Message, keyof NotificationKey | "kind">;

export type SendResult =
  | { readonly outcome: "accepted" }
  /** Nothing is configured that could send it. */
  | { readonly outcome: "held"; readonly reason: string }
  /** Another attempt may go better. */
  | { readonly outcome: "delayed"; readonly reason: string }
  /** No attempt will. `isDeadAddress`: because there is nobody at the address. */
  | { readonly outcome: "refused"; readonly reason: string; readonly isDeadAddress: boolean };

export type MessageChannel = {
  readonly name: ChannelName;
  /** Hands a message over. Rejects only for what is no answer at all, which counts as `delayed`. */
  send(message: Message): Promise<SendResult>;
  /** Cuts off what is still under way. */
  close(): void;
};

/** The channel of an installation that has none: it holds messages for people to read. */
export function holdingChannel(name: ChannelName, reason: string): MessageChannel {
  return { name, send: () => Promise.resolve({ outcome: "held", reason }), close: () => {} };
}
