// More requests at once than the server can hold are refused at the door, so that those inside are finished.
// What belongs here: the count. A request that is refused has cost a line of headers and nothing else.
import type { FastifyInstance } from "fastify";
import { NodalError } from "../errors.ts";

/** What operators look at while the server is busy. */
const ALWAYS_LET_IN = new Set(["/healthz", "/readyz", "/metrics"]);

/** Refuses requests with `unavailable` (503 and Retry-After) while `maxInFlight` others are under way. */
export function shedLoad(app: FastifyInstance, maxInFlight: number): void {
  let inFlight = 0;
  app.addHook("onRequest", (request, reply, done) => {
    if (inFlight >= maxInFlight && !ALWAYS_LET_IN.has(request.routeOptions.url ?? "")) {
      done(
        new NodalError("unavailable", "The service has too much to do. Send the same request again in a few seconds."),
      );
      return;
    }
    inFlight += 1;
    // Whether it was answered or broken off.
    reply.raw.once("close", () => {
      inFlight -= 1;
    });
    done();
  });
}
