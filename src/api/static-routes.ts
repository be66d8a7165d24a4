// Serves the dashboard's built page and files. They are the same for everybody and contain no data. They are not read
// from disk here.
import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { notFound } from "../platform/http/error-answers.ts";
import { setMissingPage, type HttpServer } from "../platform/http/server.ts";
import type { BuiltDashboard, BuiltFile } from "./built-files.ts";
import { MERCHANT_PREFIX, SECTIONS } from "./sections.ts";

const HIDDEN = { schema: { hide: true } };
const A_YEAR_SECONDS = 365 * 24 * 60 * 60;
/** The placeholder in the built page for each answer's nonce. */
const NONCE_PLACE = "__NONCE__";
const NOT_BUILT =
  "<!doctype html><html lang=en><meta charset=utf-8><title>Nodal</title><h1>The dashboard is not built</h1>" +
  "<p>Run <code>npm ci &amp;&amp; npm run build</code> in Nodal's folder, then start the server again. " +
  "The API works without it.</p></html>";

/**
 * Adds `/`, the sections of the dashboard and its assets, and `/docs`, the API's reference. Paths below a section also
 * give the page, which does its own routing. People also get the page at unknown addresses, where it shows an error.
 */
export function registerDashboardPages(app: HttpServer, dashboard: BuiltDashboard | null): void {
  const answerPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // The router treats the target `*` of OPTIONS like the root.
    if (!request.url.startsWith("/")) throw notFound();
    return sendPage(reply, dashboard?.page);
  };
  if (dashboard) setMissingPage(app, (_request, reply) => sendPage(reply, dashboard.page));
  app.get("/docs", HIDDEN, (_request, reply) => sendPage(reply, dashboard?.reference));
  for (const section of ["", ...SECTIONS, `${MERCHANT_PREFIX}/:merchant`]) {
    app.get(`/${section}`, HIDDEN, answerPage);
    if (section !== "") app.get(`/${section}/*`, HIDDEN, answerPage);
  }
  app.get<{ Params: { name: string } }>("/assets/:name", HIDDEN, (request, reply) => {
    const file = dashboard?.assets.get(request.params.name);
    if (!file) throw notFound();
    return sendAsset(request, reply, file);
  });
}

function sendPage(reply: FastifyReply, page: string | undefined): FastifyReply {
  const nonce = randomBytes(16).toString("base64");
  protect(reply)
    .type("text/html; charset=utf-8")
    .header("cache-control", "no-cache")
    .header("content-security-policy", contentSecurityPolicy(nonce))
    .header("cross-origin-opener-policy", "same-origin")
    .header("x-frame-options", "DENY");
  if (page === undefined) return reply.code(503).send(NOT_BUILT);
  return reply.send(page.replaceAll(NONCE_PLACE, nonce));
}

/**
 * Scripts come from this server only, none inline. Components put theme-dependent sizes into style elements with the
 * nonce; injected styles without it have no effect.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  const encoding = [...file.encoded.keys()].find((name) => accepts(request.headers["accept-encoding"], name));
  protect(reply)
    .type(file.type)
    .header("cache-control", `public, max-age=${A_YEAR_SECONDS}, immutable`)
    .header("vary", "accept-encoding");
  if (encoding === undefined) return reply.send(file.plain);
  return reply.header("content-encoding", encoding).send(file.encoded.get(encoding));
}

function protect(reply: FastifyReply): FastifyReply {
  return reply.header("referrer-policy", "same-origin").header("cross-origin-resource-policy", "same-origin");
}

/** Does an Accept-Encoding accept the encoding? `q=0` refuses it. */
function accepts(header: string | string[] | undefined, encoding: string): boolean {
  const offers = [header ?? ""].flat().join(",").toLowerCase().split(",");
  return offers.some((offer) => {
    const [name = "", ...parameters] = offer.split(";").map((part) => part.trim());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
