// Routes of signing in and of one's own session.
// What belongs here: wire shapes and cookies, no logic.
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  countRecoveryCodes,
  deleteSessions,
  endSession,
  givenPassword,
  listSessions,
  signIn,
  signInFurther,
  signInLink,
  todayOf,
  type IssuedSession,
  type LoginName,
  type Merchant,
  type Visitor,
  type SecondFactor,
  type Session,
} from "../merchants/index.ts";
import { validationError } from "../platform/errors.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { digitsOrNumber, email, optional, optionalText } from "../platform/http/fields.ts";
import { formatTimestamp } from "../platform/time.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import {
  needsSecondFactor,
  openRoute,
  readMerchantIfAny,
  sessionOfMerchantRoute,
  sessionRoute,
  type DashboardParts,
  type DashboardScope,
} from "./guarded-routes.ts";
import { cookieModeOf } from "./same-origin.ts";

const USER_AGENT_LENGTH = 300;
const CODE_LENGTH = 6;
const MERCHANT_LENGTH = 16;
const RECOVERY_LENGTH = 60;

/** Adds what signs in and out, and shows and ends sessions. */
export function registerSessionRoutes(scope: DashboardScope): void {
  const { parts } = scope;
  openRoute(scope, {
    method: "POST",
    url: "/sign-in",
    body: { email: email(), password: givenPassword(), merchant: merchantNamed() },
    handler: async ({ body, request, reply }) => {
      const credentials = { ...nameOfLogin(body), password: body.password };
      const mode = cookieModeOf(request, parts.isProduction);
      const device = readCookie(request.headers.cookie, "nodal-device", [mode]);
      const signedIn = await signIn(parts, credentials, { ...visitorOf(request), device });
      reply.header("set-cookie", writeCookie(mode, "nodal-device", signedIn.device));
      return answerIssued(parts, request, reply, signedIn.session);
    },
  });

  sessionRoute(scope, {
    method: "POST",
    url: "/sign-in/second-factor",
    states: ["second_factor"],
    body: { code: optional(digitsOrNumber(CODE_LENGTH)), recovery_code: optionalText(RECOVERY_LENGTH) },
    handler: async ({ body, session, request, reply }) => {
      const issued = await signInFurther(parts, session, readFactor(body), visitorOf(request));
      return answerIssued(parts, request, reply, issued);
    },
  });

  sessionRoute(scope, {
    method: "POST",
    url: "/sign-out",
    states: ["signed_in", "second_factor", "change_password"],
    handler: async ({ session, request, reply }) => {
      await endSession(parts.tenants.of(session), session.login, session.sessionId);
      reply.header("set-cookie", writeCookie(cookieModeOf(request, parts.isProduction), "nodal", ""));
      return { done: true };
    },
  });

  addSessionList(scope);
}

function addSessionList(scope: DashboardScope): void {
  const { parts } = scope;
  const show = async ({ session, request }: { session: Session; request: FastifyRequest }): Promise<object> => {
    const isWhole = session.state === "signed_in";
    const merchant = isWhole ? await readMerchantIfAny(parts, request, session) : null;
    const codesLeft = await countRecoveryCodes(parts.tenants.of(session), session.login);
    return describeSession(parts, session, merchant, codesLeft);
  };
  sessionRoute(scope, {
    method: "GET",
    url: "/session",
    states: ["signed_in", "second_factor", "change_password"],
    handler: show,
  });
  sessionOfMerchantRoute(scope, { method: "GET", url: "/session", handler: show });

  sessionRoute(scope, {
    method: "GET",
    url: "/sessions",
    handler: async ({ session, request }) => {
      const timeZone = (await readMerchantIfAny(parts, request, session))?.timeZone ?? "UTC";
      const sessions = (await listSessions(parts.tenants.of(session), session.login)).map((listed) => ({
        session_id: String(listed.sessionId),
        created_at: formatTimestamp(listed.createdAt, timeZone),
        last_seen_at: formatTimestamp(listed.lastSeenAt, timeZone),
        address: listed.address,
        user_agent: listed.userAgent,
        current: listed.sessionId === session.sessionId,
      }));
      return { sessions };
    },
  });

  sessionRoute(scope, {
    method: "DELETE",
    url: "/sessions/:session_id",
    params: { session_id: digitsOrNumber(16) },
    handler: async ({ session, params }) => {
      await endSession(parts.tenants.of(session), session.login, BigInt(params.session_id));
      return { done: true };
    },
  });

  sessionRoute(scope, {
    method: "DELETE",
    url: "/sessions",
    handler: async ({ session }) => ({
      ended: await deleteSessions(parts.tenants.of(session), session.login, session.sessionId),
    }),
  });
}

/** The merchant to which somebody wants to sign in; without it, the e-mail alone says whom it means. */
export function merchantNamed() {
  return optional(digitsOrNumber(MERCHANT_LENGTH));
}

/** Which login a body with an e-mail, and perhaps a merchant, is about. */
export function nameOfLogin(body: { readonly email: string; readonly merchant: string | null }): LoginName {
  return { email: body.email, merchantId: body.merchant === null ? null : BigInt(body.merchant) };
}

/** From where a request comes, as a session shows it. */
export function visitorOf(request: FastifyRequest): Visitor {
  const userAgent = (request.headers["user-agent"] ?? "").slice(0, USER_AGENT_LENGTH);
  return { address: clientAddress(request), userAgent };
}

/** Gives the browser a new session's cookie, and its pages what goes with it. */
export function answerIssued(
  { isProduction }: DashboardParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { cookie, csrfToken, state }: IssuedSession,
): object {
  reply.header("set-cookie", writeCookie(cookieModeOf(request, isProduction), "nodal", cookie));
  return { state, csrf_token: csrfToken };
}

function readFactor(body: { code: string | null; recovery_code: string | null }): SecondFactor {
  if (body.code !== null) return { code: body.code };
  if (body.recovery_code !== null) return { recoveryCode: body.recovery_code };
  const message = "code is required: the six digits of the authenticator app, or a recovery_code.";
  throw validationError([{ field: "code", code: "required", message }]);
}

function describeSession(parts: DashboardParts, session: Session, merchant: Merchant | null, codesLeft: number) {
  const { login } = session;
  const isWhole = session.state === "signed_in";
  return {
    state: session.state,
    kind: login.kind,
    id: String(login.loginId),
    name: login.name,
    email: login.email,
    role: login.roleName,
    permissions: [...session.permissions],
    merchant: merchant && {
      id: String(merchant.merchantId),
      name: merchant.name,
      live: merchant.live,
      time_zone: merchant.timeZone,
      today: todayOf(merchant).toString(),
      sign_in_url: signInLink(parts.publicUrl(), merchant),
    },
    franchise_id: login.kind === "franchise" && isWhole ? String(login.loginId) : null,
    csrf_token: session.csrfToken,
    second_factor: login.hasSecondFactor,
    recovery_codes_left: codesLeft,
    must_enrol: needsSecondFactor(parts, session, merchant),
    must_change_password: login.mustChangePassword,
    signed_in_at: formatTimestamp(session.createdAt, merchant?.timeZone ?? "UTC"),
  };
}
