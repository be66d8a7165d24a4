// Routes of the dashboard that take files, and a limit of files in memory at once.
import { DATE_ORDERS } from "../platform/as-typed.ts";
import { fieldRefusal } from "../platform/errors.ts";
import { Gate } from "../platform/gate.ts";
import { oneOf, optional } from "../platform/http/fields.ts";
import type { HttpServer } from "../platform/http/server.ts";

/** Files being read or processed: each is completely in memory. Waiting ones stay with their sender. */
const openFiles = new Gate({
  atOnce: 12,
  atOncePerKey: 2,
  maxWaiting: 64,
  maxWaitingPerKey: 6,
  waitMs: 20_000,
  refusal: "Too many uploads at once. Wait for one to finish, then try again.",
});

/**
 * Adds routes that take files of any declared type: the file's reader detects the type, and has a helpful error for
 * wrong ones. All other routes still only take JSON.
 */
export function withFileBodies(app: HttpServer, add: (inner: HttpServer) => void): void {
  app.register((inner: HttpServer, _options, done) => {
    inner.addHook("preParsing", async ({ dashboard: { merchant }, raw }, reply) => {
      // The body already has a listener: without a pause it would end before its parser starts.
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

/** The order of day and month in a file's dates, if the sender gives it. */
export const dateOrderQuery = { date_order: optional(oneOf(DATE_ORDERS)) };
