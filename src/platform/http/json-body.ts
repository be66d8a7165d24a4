// The JSON body: from bytes to an object, strictly, with nothing of the numbers' meaning lost.
// What belongs here: what makes a body readable. What its fields may hold is said in fields.ts.
import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import sjson from "secure-json-parse";
import { NodalError } from "../errors.ts";
import { NumberLiteral } from "./field.ts";

const MAX_DEPTH = 32;
const BYTE_ORDER_MARK = 0xfeff;
const POISON = { protoAction: "remove", constructorAction: "remove" } as const;

/** A number that its double might not print back as it was sent: -0, an exponent, 3 decimals, 16 digits. */
const UNUSUAL_NUMBER = /^(?:-0|-?[0-9]+(?:\.[0-9]+)?[eE]|-?[0-9]+\.[0-9]{3}|-?[0-9]{16})/;
/** The same inside a body, where a number follows one of `:,[`. A match inside a string only costs time. */
const HAS_UNUSUAL_NUMBER = /[:,[]\s*(?:-0|-?[0-9]+(?:\.[0-9]+)?[eE]|-?[0-9]+\.[0-9]{3}|-?[0-9]{16})/;

/**
 * Parses a JSON body. Members named `__proto__` and `constructor.prototype` are removed; numbers that a double would
 * change are handed over as `NumberLiteral`.
 * @throws NodalError `malformed_json` where the body is not one JSON object in UTF-8, nested at most 32 deep.
 */
export function parseJsonBody(body: Buffer): object {
  if (body.length === 0) throw malformed("The body is empty. Send a JSON object.");
  if (!isUtf8(body)) throw malformed("The body is not valid UTF-8. Send JSON encoded in UTF-8.");
  const decoded = body.toString("utf8");
  const text = decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded;
  const value = parseText(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed("The body is not a JSON object. Send one that begins with { and ends with }.");
  }
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw malformed(`The body is nested too deeply. Send JSON nested at most ${MAX_DEPTH} levels deep.`);
  }
  // Only now, because a reviver recurses: the depth is known to be safe.
  return HAS_UNUSUAL_NUMBER.test(text) ? (parseText(text, keepUnusualNumber) as object) : value;
}

/**
 * Fastify's parser for `application/json`. A charset other than UTF-8, or a compressed body, is
 * `unsupported_media_type`.
 */
export function parseJsonRequest(
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: object) => void,
): void {
  checkEncoding(request);
  done(null, parseJsonBody(body));
}

function checkEncoding(request: FastifyRequest): void {
  const { "content-type": contentType, "content-encoding": contentEncoding } = request.headers;
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== "identity") {
    throw new NodalError("unsupported_media_type", "Send the body as it is, without Content-Encoding.");
  }
  if (contentType === "application/json") return;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  if (!/^utf-?8$/i.test(charset)) {
    throw new NodalError("unsupported_media_type", "Send the body in UTF-8, with Content-Type: application/json.");
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

function parseText(text: string, reviver?: Reviver): unknown {
  try {
    return sjson.parse(text, reviver as (key: string, value: unknown) => unknown, POISON);
  } catch (error) {
    throw malformed("The body is not valid JSON. Correct its syntax and send it again.", error);
  }
}

function keepUnusualNumber(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context.source === undefined) return value;
  const isKept = UNUSUAL_NUMBER.test(context.source) && String(value) !== context.source;
  return isKept ? new NumberLiteral(context.source) : value;
}

function isDeeperThan(value: object, depth: number): boolean {
  if (depth === 0) return true;
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === "object" && child !== null && isDeeperThan(child, depth - 1)) return true;
  }
  return false;
}

function malformed(message: string, cause?: unknown): NodalError {
  return new NodalError("malformed_json", message, { cause });
}
