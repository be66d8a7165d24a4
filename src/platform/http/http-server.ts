// The type of the HTTP server, for those who add routes to it. How the server is made is in server.ts.
import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyTypeProvider,
  RawServerDefault,
} from "fastify";
import type { Static, TSchema } from "typebox";
import type { ErrorFormat } from "./error-answers.ts";

/** Gives handlers the decoded types of their route's schemas. */
export interface FieldTypeProvider extends FastifyTypeProvider {
  readonly validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  readonly serializer: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
}

/** A server, or a part of one, whose handlers get the decoded values of their route's fields. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  FieldTypeProvider
>;

/** Sends a page for people; the status is set. */
export type MissingPage = (request: FastifyRequest, reply: FastifyReply) => unknown;

declare module "fastify" {
  interface FastifyRequest {
    /** Whose body it is, once that is known: large bodies of different owners take turns. */
    bodyOwner: string;
  }
  interface FastifyInstance {
    /** Makes the error bodies of this part of the server. */
    errorFormat: ErrorFormat;
    /** Makes the error bodies of paths that no route has, by path. One list for the whole server. */
    errorAreas: { readonly covers: RegExp; readonly format: ErrorFormat }[];
    /** Answers somebody with a browser whose address leads nowhere. One for the whole server; `null` while there is none. */
    missingPage: { readonly answer: MissingPage | null };
  }
}
