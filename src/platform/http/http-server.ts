// The type of the HTTP server, for modules that add routes. server.ts creates it.
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

/** Sends a page for people; the status is already set. */
export type MissingPage = (request: FastifyRequest, reply: FastifyReply) => unknown;

declare module "fastify" {
  interface FastifyRequest {
    /** The owner of the body, once known: large bodies of different owners take turns. */
    bodyOwner: string;
  }
  interface FastifyInstance {
    /** Makes the error bodies of this part of the server. */
    errorFormat: ErrorFormat;
    /** The error formats of paths without a route, by path. One list for the whole server. */
    errorAreas: { readonly covers: RegExp; readonly format: ErrorFormat }[];
    /** Answers a browser at an unknown address. One for the whole server; `null` if there is none. */
    missingPage: { readonly answer: MissingPage | null };
  }
}
