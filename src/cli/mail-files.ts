// Messages to customers as files: the HTML for a browser, and the whole mail for a mail program.
// What belongs here: files that stand by themselves. What was said stays as it was said; attachments are made anew.
import { writeFile } from "node:fs/promises";
import {
  composeMessage,
  LOGO_CONTENT_ID,
  notificationNotFound,
  readSubject,
  toEml,
  type Notification,
} from "../notifications/index.ts";
import type { Config } from "../platform/config.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { createPdfRenderer, type PdfRenderer } from "../platform/pdf/renderer.ts";
import { createCommandLogger } from "./command.ts";
import { linksOf } from "./invoice-options.ts";

/**
 * Writes a message's HTML with its picture in it. A file that exists is replaced.
 * @throws NodalError `not_found` where it has no HTML, or nothing is left of what it is about
 */
export async function writeHtml(pool: Pool, config: Config, notification: Notification, path: string): Promise<void> {
  await withMessage(pool, config, notification, async (message) => {
    if (message.html === null) {
      throw new NodalError("not_found", "Only mail has HTML: this message went to a phone.");
    }
    const picture = (await message.attach()).find(({ contentId }) => contentId !== null);
    const source = picture && `data:${picture.mimeType};base64,${Buffer.from(picture.bytes).toString("base64")}`;
    await writeFile(path, source ? message.html.replaceAll(`cid:${LOGO_CONTENT_ID}`, source) : message.html);
  });
}

/**
 * Writes a message as a mail server would be given it. A file that exists is replaced.
 * @throws NodalError `not_found` where nothing is left of what it is about
 */
export async function writeEml(pool: Pool, config: Config, notification: Notification, path: string): Promise<void> {
  await withMessage(pool, config, notification, async (message) => {
    await writeFile(path, await toEml(message, config.MAIL_FROM));
  });
}

/** Runs `use` on the message in the words that were last used, or those that would be used now. */
async function withMessage(
  pool: Pool,
  config: Config,
  notification: Notification,
  use: (message: ReturnType<typeof composeMessage>) => Promise<void>,
): Promise<void> {
  const subject = await readSubject(pool, linksOf(config), notification);
  if (!subject) throw notificationNotFound();
  const renderer: PdfRenderer = createPdfRenderer({ logger: createCommandLogger(config) });
  try {
    const message = composeMessage(notification, subject, { renderer, mailFrom: config.MAIL_FROM });
    await use({ ...message, ...notification.wording });
  } finally {
    await renderer.close();
  }
}
