// Routes of the dashboard whose bodies may be files, and how many of these are in memory at once.
import { DATE_ORDERS } from "../platform/as-typed.ts";
import { fieldRefusal } from "../platform/errors.ts";
import { Gate } from "../platform/gate.ts";
import { oneOf, optional } from "../platform/http/fields.ts";
import type { HttpServer } from "../platform/http/server.ts";

/** Files that are being read or worked on: each is in memory as a whole. What waits stays with its sender. */
const openFiles = new Gate({
  atOnce: 12,
  atOncePerKey: 2,
  maxWaiting: 64,
  maxWaitingPerKey: 6,
  waitMs: 20_000,
  refusal: "Too many uploads at once. Wait for one to finish, then try again.",
});

/**
 * Adds routes whose bodies are files, whatever the browser says of their type: what a file is, its reader finds out, and can say
 * what to do about another one. All other routes go on to take JSON alone.
 */
export function withFileBodies(app: HttpServer, add: (inner: HttpServer) => void): void {
  app.register((inner: HttpServer, _options, done) => {
    inner.addHook("preParsing", async ({ dashboard: { merchant }, raw }, reply) => {
      // Something listens to the body already: without a pause it would be over before its parser begins.
      raw.pause();
      const leave = await openFiles.enter(String(merchant?.merchantId)).catch((error: unknown) => {
        raw.resume();
        throw error;
      });
      if (reply.raw.closed) leave();
      else reply.raw.once("close", leave);
    });
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, parsed) => parsed(null, body));
    add(inner);
    done();
  });
}

/** The bytes of the file that was sent. @throws NodalError `validation_failed` for an empty one */
export function fileOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body) && body.length > 0) return body;
  throw fieldRefusal("validation_failed", "file", "This file is empty. Choose another one.");
}

/** What the sender of a file says of its dates, where they could be read with the day or with the month first. */
export const dateOrderQuery = { date_order: optional(oneOf(DATE_ORDERS)) };
