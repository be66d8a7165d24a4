// Forms: bodies in multipart and urlencoded form, for the few routes that take them beside JSON.
// What belongs here: the parsers and their limits. The fields are checked by the route's schema, as for JSON.
import formBody from "@fastify/formbody";
import multipart from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { NodalError } from "../errors.ts";
import { answerError } from "./error-answers.ts";
import type { HttpServer } from "./http-server.ts";

const MAX_FIELDS = 32;
const MAX_FORM_BYTES = 64 * 1024;

/** Lets the routes of this part of the server take forms of up to 32 text fields and 64 KiB. Files are refused. */
export async function acceptForms(app: HttpServer): Promise<void> {
  await app.register(formBody, { bodyLimit: MAX_FORM_BYTES });
  await app.register(multipart, {
    attachFieldsToBody: "keyValues",
    limits: { fields: MAX_FIELDS, parts: MAX_FIELDS, files: 0, fieldSize: MAX_FORM_BYTES, headerPairs: MAX_FIELDS },
  });
  // The multipart parser reads the stream by itself, past the server's body limit; without a length, its own limits hold.
  app.addHook("onRequest", (request, _reply, done) => {
    const isMultipart = request.headers["content-type"]?.toLowerCase().startsWith("multipart/") ?? false;
    const isBounded = Number(request.headers["content-length"] ?? 0) <= MAX_FORM_BYTES;
    const message = `Send a form of at most ${MAX_FORM_BYTES} bytes.`;
    done(isMultipart && !isBounded ? new NodalError("body_too_large", message) : undefined);
  });
  // Its errors have no code to know them by; until the body has been read, they can come from nowhere else.
  const read = new WeakSet<FastifyRequest>();
  app.addHook("preHandler", (request, _reply, done) => {
    read.add(request);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const isParsing = request.isMultipart() && !read.has(request);
    const shown = isParsing && !(error instanceof NodalError) ? malformedForm(error) : error;
    answerError(shown, request, reply, request.server.errorFormat);
  });
}

function malformedForm(cause: unknown): NodalError {
  const message = "The multipart form can't be read. Send text fields only, with the boundary in Content-Type.";
  return new NodalError("malformed_request", message, { cause });
}
