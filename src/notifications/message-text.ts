// A message as plain text: the same as the HTML says, for who reads without it.
import type { MessageView } from "./message-view.ts";

/** The text part of a mail. */
export function messageText(view: MessageView): string {
  const { headline, button } = view;
  const width = Math.max(...view.facts.map((fact) => fact.label.length)) + 2;
  const paragraphs = [
    view.title,
    view.greeting,
    ...view.paragraphs,
    `${headline.label}: ${headline.value}\n${headline.note}`,
    view.facts.map((fact) => `${`${fact.label}:`.padEnd(width)}${fact.value}`).join("\n"),
    `${button.label}:\n${button.url}`,
    ...view.closing,
    // Two hyphens and a space begin a signature.
    ["-- ", view.senderName, ...view.senderLines].join("\n"),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}
