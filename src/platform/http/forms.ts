// Forms: multipart and urlencoded bodies, for the few routes that accept them besides JSON.
import formBody from "@fastify/formbody";
import type { FastifyRequest } from "fastify";
import { NodalError } from "../errors.ts";
import type { HttpServer } from "./http-server.ts";

const MAX_FIELDS = 32;
const MAX_FORM_BYTES = 64 * 1024;

/**
 * Makes the routes of this part of the server accept forms of up to 32 text fields and 64 KiB. Files are refused. A
 * form is read completely before parsing, so that the server's limits of size and time apply as to any body.
 */
export async function acceptForms(app: HttpServer): Promise<void> {
  await app.register(formBody, { bodyLimit: MAX_FORM_BYTES });
  const options = { parseAs: "buffer", bodyLimit: MAX_FORM_BYTES } as const;
  app.addContentTypeParser("multipart/form-data", options, (request: FastifyRequest, body: Buffer) =>
    readMultipart(request.headers["content-type"]!, body),
  );
}

async function readMultipart(contentType: string, body: Buffer): Promise<object> {
  const form = await parseForm(contentType, body);
  const fields = [...form];
  if (fields.length > MAX_FIELDS) throw malformedForm();
  // Without a prototype, so that no field name can clash with its members.
  const values = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of fields) {
    if (typeof value !== "string") throw malformedForm();
    // A repeated field becomes a list, which text fields refuse.
    values[name] = name in values ? form.getAll(name) : value;
  }
  return values;
}

async function parseForm(contentType: string, body: Buffer): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  } catch (error) {
    throw malformedForm(error);
  }
}

function malformedForm(cause?: unknown): NodalError {
  const message =
    `The multipart form can't be read. Send text fields only, at most ${MAX_FIELDS}, ` +
    "with the boundary in Content-Type.";
  return new NodalError("malformed_request", message, { cause });
}
