// What all routes of this API have in common: docs/api.md. One place, before any route is added.
import type { RateState } from "../platform/errors.ts";
import { apiErrorFormat, API_PATHS } from "../platform/http/api-errors.ts";
import { addRateHeaders } from "../platform/http/error-answers.ts";
import { setErrorFormat, type HttpServer } from "../platform/http/server.ts";
import { warnOfUnknownMembers } from "../platform/http/unknown-members.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What is left to the caller, once it is known who calls. */
    rate: RateState | null;
  }
}

/** Gives every route that is added from now on the shape of errors, warnings of unknown members, and the headers `RateLimit-*`. */
export function addConventions(app: HttpServer): void {
  setErrorFormat(app, apiErrorFormat, API_PATHS);
  warnOfUnknownMembers(app, "every");
  app.decorateRequest("rate", null);
  app.addHook("onSend", (request, reply, _payload, done) => {
    // An error may have its own: of the limit that was reached.
    if (request.rate && !reply.hasHeader("ratelimit-limit")) addRateHeaders(reply, request.rate);
    done();
  });
}
