// The envelope around answers, successes and failures, to requests with keys in the body; and its schemas.
// docs/rules/values-and-errors.md#envelope
import type { FastifyReply } from "fastify";
import { Type, type TSchema } from "typebox";
import { sentenceOf, STATUS_OF_CODE, type ErrorCode, type FieldError, type NodalError } from "../errors.ts";
import { formatTimestamp } from "../time.ts";
import { warn, warningsSchema, type Warning } from "./warning.ts";

/** Writes and reads have different `errcode`s for success. */
export type RequestKind = "write" | "read";

export type Success<T> = {
  readonly srvrsp: T;
  readonly totalRecords?: number;
  readonly warnings?: readonly Warning[];
};

const ERROR_SCHEMA_ID = "EnvelopeError";
const timestamp = (description: string) => Type.String({ description: `${description}: YYYY-MM-DD HH:MM:SS.` });
const times = {
  reqtime: timestamp("When the request arrived, in the merchant's time zone"),
  resptime: timestamp("When it was answered"),
};

/** Referenced by `envelopeResponses`. */
export const envelopeErrorSchema = Type.Object(
  {
    ...times,
    srvrsp: Type.Null(),
    errcode: Type.String({ description: "What went wrong, for programs.", enum: Object.keys(STATUS_OF_CODE) }),
    errmsg: Type.String({ description: "What went wrong and what to do, for people." }),
    errlist: Type.Array(
      Type.Object({
        code: Type.String({ description: "What is wrong with this field, for programs." }),
        msg: Type.String(),
        keyname: Type.String({ description: "Name of the failing field, such as `due_date`." }),
        keypath: Type.String({ description: "Where it is in the request, such as `invoice[0].due_date`." }),
      }),
    ),
    request_id: Type.Optional(Type.String({ description: "For server errors: the id to report." })),
  },
  { $id: ERROR_SCHEMA_ID, additionalProperties: true },
);

/** The `response` entries of a route: its success around `srvrsp`, and its errors by status. */
export function envelopeResponses(kind: RequestKind, srvrsp: TSchema, codes: readonly ErrorCode[]): object {
  const responses: Record<number, object> = {};
  for (const status of new Set(codes.map((code) => STATUS_OF_CODE[code]))) {
    const names = codes.filter((code) => STATUS_OF_CODE[code] === status).map((code) => `\`${code}\``);
    responses[status] = { description: names.join(", "), $ref: `${ERROR_SCHEMA_ID}#` };
  }
  return {
    ...responses,
    200: Type.Object({
      ...times,
      srvrsp,
      errcode: kind === "write" ? Type.Literal(0) : Type.Null(),
      errmsg: Type.Literal(""),
      errlist: Type.Null(),
      total_records: Type.Optional(Type.Integer({ description: "For lists: total number of records." })),
      ...(kind === "write" ? { warnings: warningsSchema } : {}),
    }),
  };
}

/** A success in the envelope. */
export function wrapSuccess<T>(kind: RequestKind, success: Success<T>, reply: FastifyReply, timeZone: string): object {
  return {
    ...timesOf(reply, timeZone),
    srvrsp: success.srvrsp,
    errcode: kind === "write" ? 0 : null,
    errmsg: "",
    errlist: null,
    ...(success.totalRecords === undefined ? {} : { total_records: success.totalRecords }),
    ...warn(success.warnings),
  };
}

/** A failure in the envelope; a server error also has the request's id, to find it in the log. */
export function wrapError(error: NodalError, reply: FastifyReply, timeZone: string): object {
  return {
    ...error.details,
    ...timesOf(reply, timeZone),
    srvrsp: null,
    errcode: error.code,
    errmsg: error.message,
    errlist: error.errors.map(toListed),
    ...(error.status >= 500 ? { request_id: reply.request.id } : {}),
  };
}

function toListed(error: FieldError): object {
  const { field, code } = error;
  const keyname = field.slice(field.lastIndexOf(".") + 1).replace(/(\[[0-9]+\])+$/, "");
  return { code, msg: sentenceOf(error), keyname, keypath: field };
}

function timesOf(reply: FastifyReply, timeZone: string): { reqtime: string; resptime: string } {
  const now = Temporal.Now.instant();
  const arrived = now.subtract({ milliseconds: Math.round(reply.elapsedTime) });
  return { reqtime: formatTimestamp(arrived, timeZone), resptime: formatTimestamp(now, timeZone) };
}
