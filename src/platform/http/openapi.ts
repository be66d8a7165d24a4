// The OpenAPI document: made from the same schemas that check the requests, served at /openapi.json.
import swagger from "@fastify/swagger";
import { Type } from "typebox";
import packageJson from "../../../package.json" with { type: "json" };
import { STATUS_OF_CODE, type ErrorCode } from "../errors.ts";
import { envelopeErrorSchema } from "./envelope.ts";
import type { HttpServer } from "./http-server.ts";

type Security = readonly { readonly [scheme: string]: readonly string[] }[];
/** The `security` of a route that requires a token. */
export const BEARER_SECURITY: Security = [{ bearerAuth: [] }];
/** The `security` of a route that takes access keys: in `Authorization: Basic`, or (the empty entry) in its body. */
export const KEYS_SECURITY: Security = [{ basicAuth: [] }, {}];

const errorSchema = Type.Object(
  {
    status: Type.Literal(0),
    error: Type.String({ description: "What went wrong and what to do, for people." }),
    code: Type.String({ description: "What went wrong, for programs.", enum: Object.keys(STATUS_OF_CODE) }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ description: "Path of the failing field, such as `amount` or `invoice[0].due_date`." }),
          code: Type.String({ enum: ["required", "invalid", "too_long", "not_allowed"] }),
          message: Type.String(),
        }),
      ),
    ),
    request_id: Type.Optional(Type.String({ description: "For server errors: the id to report." })),
  },
  { $id: "Error", additionalProperties: true },
);

/** Errors of a bearer token. */
const TOKEN_ERRORS = ["invalid_token", "expired_token", "token_ip_mismatch"] as const;
/** Errors of any route. */
const SERVER_ERRORS = ["malformed_request", "internal_error", "unavailable"] as const;
/** Errors of any body, before its route reads it. */
export const BODY_ERRORS = ["malformed_json", "validation_failed", "body_too_large", "unsupported_media_type"] as const;

/** The `response` entries of errors, by status, for a route's schema: `{ ...errorResponses("not_found"), 200: … }`. */
export function errorResponses(...named: ErrorCode[]): Record<number, object> {
  const codes = [...new Set([...named, ...(named.includes("missing_token") ? TOKEN_ERRORS : []), ...SERVER_ERRORS])];
  const responses: Record<number, object> = {};
  for (const status of new Set(codes.map((code) => STATUS_OF_CODE[code]))) {
    const names = codes.filter((code) => STATUS_OF_CODE[code] === status).map((code) => `\`${code}\``);
    responses[status] = { description: names.join(", "), $ref: "Error#" };
  }
  return responses;
}

/** Makes the served document from that of the routes, without modifying it. */
export type DescribeApi = (document: object) => object;

/** Adds the document to a server. Call it before adding routes, which it watches. */
export async function registerOpenApi(
  app: HttpServer,
  publicUrl: string | null,
  describeApi: DescribeApi = (made) => made,
): Promise<void> {
  // All are added here: adding a schema to an existing part of the server would give that part another validator.
  app.addSchema(errorSchema);
  app.addSchema(envelopeErrorSchema);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Nodal",
        description: packageJson.description,
        version: packageJson.version,
        license: { name: packageJson.license, identifier: packageJson.license },
      },
      servers: [{ url: publicUrl ?? "/" }],
      components: {
        securitySchemes: {
          bearerAuth: { type: "http", scheme: "bearer" },
          basicAuth: { type: "http", scheme: "basic" },
        },
      },
    },
    convertConstToEnum: false,
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json["$id"] === "string" ? json["$id"] : `Schema${index}`,
    },
  });
  let document: string | undefined;
  app.get("/openapi.json", { schema: { hide: true } }, (_request, reply) => {
    document ??= JSON.stringify(describeApi(app.swagger()));
    return reply.type("application/json; charset=utf-8").send(document);
  });
}
