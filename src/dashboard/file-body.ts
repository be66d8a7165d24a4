// Files as the body of a request: which routes take them, and as what.
// What belongs here: getting at the bytes. What is in them is for the domains to say.
import type { HttpServer } from "../platform/http/server.ts";
import { NodalError } from "../platform/errors.ts";
import type { DashboardScope } from "./guarded-routes.ts";

/** What browsers call a CSV file, depending on the programs that are installed. */
export const CSV_TYPES = ["text/csv", "text/plain", "application/vnd.ms-excel", "application/octet-stream"];

/** Adds routes whose bodies may be files of these types. All other routes go on to take JSON alone. */
export function withFileBodies(
  { app, parts }: DashboardScope,
  types: readonly string[],
  register: (scope: DashboardScope) => void,
): void {
  app.register((inner: HttpServer, _options, done) => {
    inner.addContentTypeParser([...types], { parseAs: "buffer" }, (_request, body, parsed) => parsed(null, body));
    register({ app: inner, parts });
    done();
  });
}

/** The bytes of the file that was sent. @throws NodalError `unsupported_media_type` for anything else */
export function fileOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  throw new NodalError("unsupported_media_type", "Send the file itself as the body, with its own Content-Type.");
}
