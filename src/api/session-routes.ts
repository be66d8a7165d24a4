// Routes of signing in and of the caller's sessions.
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
  type SecondFactor,
  type Session,
  type Visitor,
} from "../merchants/index.ts";
import { validationError } from "../platform/errors.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { digitsOrNumber, email, optional, optionalText } from "../platform/http/fields.ts";
import { formatInstant } from "../platform/time.ts";
import {
  needsSecondFactor,
  openRoute,
  readMerchantIfAny,
  sessionOfMerchantRoute,
  sessionRoute,
  type DashboardParts,
  type DashboardScope,
} from "./guarded-routes.ts";
import { cookieModeOf, readCookie, signCookie, writeCookie } from "./callers.ts";

const USER_AGENT_LENGTH = 300;
const CODE_LENGTH = 6;
const MERCHANT_LENGTH = 16;
const RECOVERY_LENGTH = 60;

/** The fields of a body with a second factor. */
export const FACTOR_FIELDS = {
  code: optional(digitsOrNumber(CODE_LENGTH)),
  recovery_code: optionalText(RECOVERY_LENGTH),
};

/** Adds the routes that sign in and out, and show and end sessions. */
export function registerSessionRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    openRoute(scope, {
      route: "POST /session/sign-in",
      body: { email: email(), password: givenPassword(), merchant: merchantNamed() },
      handler: async ({ body, request, reply }) => {
        const mode = cookieModeOf(request, parts.isProduction);
        const device = readCookie(request.headers.cookie, "nodal-device", [mode]);
        const credentials = { ...nameOfLogin(body), password: body.password, device };
        const signedIn = await signIn({ ...parts, visitor: visitorOf(request) }, credentials);
        reply.header("set-cookie", writeCookie(mode, "nodal-device", signedIn.device));
        return answerIssued(parts, request, reply, signedIn.session);
      },
    }),
    sessionRoute(scope, {
      route: "POST /session/sign-in/second-factor",
      states: ["second_factor"],
      body: FACTOR_FIELDS,
      handler: async ({ body, session, request, reply }) => {
        const context = { ...parts, session, visitor: visitorOf(request) };
        const issued = await signInFurther(context, readFactor(body));
        return answerIssued(parts, request, reply, issued);
      },
    }),
    sessionRoute(scope, {
      route: "POST /session/sign-out",
      states: ["signed_in", "second_factor", "change_password"],
      handler: async ({ session, request, reply }) => {
        await endSession(parts.tenants.of(session), session.login, session.sessionId);
        reply.header("set-cookie", writeCookie(cookieModeOf(request, parts.isProduction), "nodal", ""));
        return { done: true };
      },
    }),
    ...addSessionList(scope),
  ];
}

function addSessionList(scope: DashboardScope) {
  const { parts } = scope;
  const show = async ({ session, request }: { session: Session; request: FastifyRequest }) => {
    const isWhole = session.state === "signed_in";
    const merchant = isWhole ? await readMerchantIfAny(parts, request, session) : null;
    const codesLeft = await countRecoveryCodes(parts.tenants.of(session), session.login);
    return describeSession(parts, session, merchant, codesLeft);
  };
  return [
    sessionRoute(scope, {
      route: "GET /session",
      states: ["signed_in", "second_factor", "change_password"],
      handler: show,
    }),
    sessionOfMerchantRoute(scope, { route: "GET /session", handler: show }),
    sessionRoute(scope, {
      route: "GET /session/sessions",
      handler: async ({ session, request }) => {
        const timeZone = (await readMerchantIfAny(parts, request, session))?.timeZone ?? "UTC";
        const sessions = (await listSessions(parts.tenants.of(session), session.login)).map((listed) => ({
          session_id: String(listed.sessionId),
          created_at: formatInstant(listed.createdAt, timeZone),
          last_seen_at: formatInstant(listed.lastSeenAt, timeZone),
          address: listed.address,
          user_agent: listed.userAgent,
          current: listed.sessionId === session.sessionId,
        }));
        return { sessions };
      },
    }),
    sessionRoute(scope, {
      route: "DELETE /session/sessions/:session_id",
      params: { session_id: digitsOrNumber(16) },
      handler: async ({ session, params }) => {
        await endSession(parts.tenants.of(session), session.login, BigInt(params.session_id));
        return { done: true };
      },
    }),
    sessionRoute(scope, {
      route: "DELETE /session/sessions",
      handler: async ({ session }) => ({
        ended: await deleteSessions(parts.tenants.of(session), session.login, session.sessionId),
      }),
    }),
  ];
}

/** The merchant to sign in to; without it, the e-mail alone identifies the login. */
export function merchantNamed() {
  return optional(digitsOrNumber(MERCHANT_LENGTH));
}

/** The login that a body names by e-mail and optional merchant. */
export function nameOfLogin(body: { readonly email: string; readonly merchant: string | null }): LoginName {
  return { email: body.email, merchantId: body.merchant === null ? null : BigInt(body.merchant) };
}

/** The origin of a request, as shown for a session. */
export function visitorOf(request: FastifyRequest): Visitor {
  const userAgent = (request.headers["user-agent"] ?? "").slice(0, USER_AGENT_LENGTH);
  return { address: clientAddress(request), userAgent };
}

/** Answers with a new session's cookie, and the data that pages need. */
export function answerIssued(
  { isProduction, installationSecret }: DashboardParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { cookie, csrfToken, state }: IssuedSession,
): Pick<IssuedSession, "state"> & { csrf_token: string } {
  reply.header(
    "set-cookie",
    writeCookie(cookieModeOf(request, isProduction), "nodal", signCookie(installationSecret, cookie)),
  );
  return { state, csrf_token: csrfToken };
}

/**
 * The second factor in a body. @throws NodalError `validation_failed` if it has none
 */
export function readFactor(body: { code: string | null; recovery_code: string | null }): SecondFactor {
  if (body.code !== null) return { code: body.code };
  if (body.recovery_code !== null) return { recoveryCode: body.recovery_code };
  const problem = "is required: the six digits of the authenticator app, or a recovery_code.";
  throw validationError([{ field: "code", code: "required", problem }]);
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
      counterpart: describeCounterpart(parts, merchant),
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
    /** Whether the person gets mail about approvals; `null` for people who can't decide any. */
    approval_mail: session.permissions.has("approvals.decide") ? login.approvalMail : null,
    signed_in_at: formatInstant(session.createdAt, merchant?.timeZone ?? "UTC"),
  };
}

/** The merchant's counterpart (live or sandbox) and its sign-in page; `null` if there is none. */
export function describeCounterpart(parts: Pick<DashboardParts, "publicUrl">, { counterpartId }: Merchant) {
  if (counterpartId === null) return null;
  return { id: String(counterpartId), sign_in_url: signInLink(parts.publicUrl(), { merchantId: counterpartId }) };
}
