// Parses a JSON body strictly, without loss of number precision. The fields are checked by fields.ts.
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import sjson from "secure-json-parse";
import { NodalError } from "../errors.ts";
import { describeMember, parseExactly, RepeatedMemberError } from "../json.ts";
import { scanJson, type JsonScan } from "../json-scan.ts";
import { capacityOf, MOST } from "./body-capacity.ts";
import { LARGE_BYTES, parseInTurn } from "./large-bodies.ts";

const MAX_DEPTH = 32;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");
const POISON = { protoAction: "remove", constructorAction: "remove" } as const;

/**
 * Parses a JSON body. Members named `__proto__` and `constructor.prototype` are removed; numbers that a double would
 * change become `NumberLiteral`s.
 * @throws NodalError `malformed_json` if the body is not one JSON object in UTF-8, nested at most 32 deep, or repeats a
 * member; `body_too_large` if it exceeds its `capacity`
 */
export function parseJsonBody(body: Buffer, capacity = MOST): object {
  if (body.length === 0) throw malformed("The body is empty. Send a JSON object.");
  if (!isUtf8(body)) throw malformed("The body is not valid UTF-8. Send JSON encoded in UTF-8.");
  const bytes = body.indexOf(BYTE_ORDER_MARK) === 0 ? body.subarray(BYTE_ORDER_MARK.length) : body;
  const scan = scanJson(bytes, { depth: MAX_DEPTH, ...capacity });
  const { exceeds } = scan;
  if (exceeds === "depth") {
    throw malformed(`The body is nested too deeply. Send JSON nested at most ${MAX_DEPTH} levels deep.`);
  }
  if (exceeds === "values") {
    const message = `The body holds more than ${capacity.values} values. Send only members of this request, or send it in parts.`;
    throw new NodalError("body_too_large", message);
  }
  if (exceeds === "unusualNumbers") {
    const message = `The body holds more than ${capacity.unusualNumbers} numbers with an exponent, 3 decimals or 16 digits. Write them plainly.`;
    throw new NodalError("body_too_large", message);
  }
  const value = parseBytes(bytes, scan);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed("The body is not a JSON object. Send one that begins with { and ends with }.");
  }
  return value;
}

/**
 * Fastify's parser for `application/json`. The body's limits follow from its route's schema. A charset other than
 * UTF-8, or a compressed body, is `unsupported_media_type`.
 */
export async function parseJsonRequest(request: FastifyRequest, body: Buffer): Promise<object> {
  checkEncoding(request.headers);
  const capacity = capacityOf(request.routeOptions.schema?.body);
  const parse = (): object => parseJsonBody(body, capacity);
  return body.length > LARGE_BYTES ? parseInTurn(request.bodyOwner, parse) : parse();
}

/** @throws NodalError `unsupported_media_type` for another charset than UTF-8, and for a compressed body */
export function checkEncoding(headers: IncomingHttpHeaders): void {
  const { "content-type": contentType, "content-encoding": contentEncoding } = headers;
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== "identity") {
    throw new NodalError("unsupported_media_type", "Send the body as it is, without Content-Encoding.");
  }
  if (contentType === "application/json") return;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) {
    throw new NodalError("unsupported_media_type", "Send the body in UTF-8, with Content-Type: application/json.");
  }
}

function parseBytes(bytes: Buffer, scan: JsonScan): unknown {
  try {
    return parseExactly(bytes, scan, parseText);
  } catch (error) {
    if (!(error instanceof RepeatedMemberError)) throw error;
    throw malformed(
      `The body has ${describeMember(error.member)} more than once in one object. Send each member once.`,
      error,
    );
  }
}

function parseText(text: string): unknown {
  try {
    return sjson.parse(text, null, POISON);
  } catch (error) {
    throw malformed("The body is not valid JSON. Correct its syntax and send it again.", error);
  }
}

function malformed(message: string, cause?: unknown): NodalError {
  return new NodalError("malformed_json", message, { cause });
}
