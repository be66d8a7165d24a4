// The conventions of all routes of this API: docs/api.md. Added before any route.
import type { RateState } from "../platform/errors.ts";
import { apiErrorFormat, API_PATHS } from "../platform/http/api-errors.ts";
import { addRateHeaders } from "../platform/http/error-answers.ts";
import { setErrorFormat, type HttpServer } from "../platform/http/server.ts";
import { warnOfUnknownMembers } from "../platform/http/unknown-members.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The caller's rate limit state, once the caller is known. */
    rate: RateState | null;
  }
}

/** Gives every route that is added from now on the shape of errors, warnings of unknown members, and the headers `RateLimit-*`. */
export function addConventions(app: HttpServer): void {
  setErrorFormat(app, apiErrorFormat, API_PATHS);
  warnOfUnknownMembers(app, "every");
  app.decorateRequest("rate", null);
  app.addHook("onSend", (request, reply, _payload, done) => {
    // An error may have set the headers of the limit that was reached.
    if (request.rate && !reply.hasHeader("ratelimit-limit")) addRateHeaders(reply, request.rate);
    done();
  });
}
