// The protocol of Cashfree Payouts V2 and of what belongs to it: keys and balance (V1), account verification (Secure ID).
// Its facts are in docs/providers/cashfree.md. Where public sources disagree, both forms are accepted.
import { constants, createHmac, privateDecrypt } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { formatPaise } from "../src/platform/money.ts";
import { toJson } from "../src/platform/json.ts";
import { problemV1, REFUSALS } from "./cashfree-answers.ts";
import { addGatewayRoutes } from "./cashfree-gateway.ts";
import { addBeneficiaryRoutes } from "./cashfree-payees.ts";
import { addTransferRoutes, bodyOf, timeOf } from "./cashfree-transfers.ts";
import { addVerificationRoutes } from "./cashfree-verification.ts";
import type { Desk } from "./desk.ts";
import type { Credentials } from "./notices.ts";
import type { BookState } from "./payout-book.ts";
import { give, isKeyOf, type Protocol } from "./stand-in.ts";

const VERSION = "2024-01-01";
/** How long a token of V1 is valid. */
const TOKEN_MS = 6 * 60_000;
const SIGNATURE_MS = 10 * 60_000;

/** No event tells of a transfer that was received or waits. */
const EVENTS: Readonly<Record<BookState, string | null>> = {
  QUEUED: null,
  PENDING: null,
  PAID: "TRANSFER_SUCCESS",
  FAILED: "TRANSFER_FAILED",
  REJECTED: "TRANSFER_REJECTED",
  REVERSED: "TRANSFER_REVERSED",
};

export const cashfree: Protocol = {
  name: "cashfree",
  returnsFees: false,
  addRoutes(app, desk) {
    addAccountRoutes(app, desk);
    addBeneficiaryRoutes(app, desk);
    addTransferRoutes(app, desk);
    addVerificationRoutes(app, desk);
    addGatewayRoutes(app, desk);
  },
  isAuthentic(request, credentials) {
    // V1 checks what it is about itself. The checkout pays with a session of its own, and has no keys.
    if (isV1(request) || request.routeOptions.url === "/pg/orders/sessions") return true;
    const { id, secret } = isVerification(request) ? verificationKeys(credentials) : credentials;
    return hasKeys(request, id, secret) && hasVersion(request);
  },
  isSigned: ({ headers }, desk) => isSignature(headers["x-cf-signature"], desk),
  refusal: (problem) => REFUSALS[problem],
  noticeOf: (payment) => {
    const type = EVENTS[payment.state];
    return type && toJson({ data: bodyOf(payment), event_time: timeOf(payment.updatedMs), type });
  },
  signNotice(body, { secret }, nowMs) {
    const timestamp = String(nowMs);
    return {
      "x-webhook-timestamp": timestamp,
      "x-webhook-signature": createHmac("sha256", secret).update(timestamp).update(body).digest("base64"),
    };
  },
};

/** The keys of Secure ID at the stand-in. Those of payouts are refused there. */
export function verificationKeys({ id, secret }: Credentials): { readonly id: string; readonly secret: string } {
  return { id: `${id}-secure-id`, secret: `${secret}-secure-id` };
}

/** Keys are checked, and the balance is told, by V1. */
function addAccountRoutes(app: FastifyInstance, desk: Desk): void {
  const config = { operation: "balance" } as const;
  app.post("/payout/v1/authorize", { config }, (request, reply) => {
    const { id, secret } = desk.credentials;
    if (!hasKeys(request, id, secret))
      return give(reply, problemV1(401, "Invalid clientId and clientSecret combination"));
    const expiresMs = desk.clock.nowMs() + TOKEN_MS;
    const data = { token: tokenOf(desk.credentials, expiresMs), expiry: BigInt(Math.floor(expiresMs / 1000)) };
    return give(reply, { status: 200, body: { status: "SUCCESS", subCode: "200", message: "Token generated", data } });
  });
  for (const path of ["/payout/v1/getBalance", "/payout/v1.2/getBalance"])
    app.get(path, { config }, (request, reply) => {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
      const expiresMs = Number(token.split(".")[0]);
      const isGood = token === tokenOf(desk.credentials, expiresMs) && expiresMs > desk.clock.nowMs();
      if (!isGood) return give(reply, problemV1(403, "Token is not valid"));
      const balance = formatPaise(desk.book.balancePaise());
      const body = { status: "SUCCESS", subCode: "200", message: "Ledger balance for the account" };
      return give(reply, { status: 200, body: { ...body, data: { balance, availableBalance: balance } } });
    });
}

function tokenOf({ secret }: Credentials, expiresMs: number): string {
  return `${expiresMs}.${createHmac("sha256", secret).update(String(expiresMs)).digest("base64url")}`;
}

/** A signature is client id, dot and seconds since 1970, encrypted with the public key: good for ten minutes. */
function isSignature(given: string | string[] | undefined, desk: Desk): boolean {
  if (typeof given !== "string") return false;
  const key = { key: desk.signingKeys.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING };
  try {
    const [id, seconds] = privateDecrypt(key, Buffer.from(given, "base64"))
      .toString()
      .split(/\.(?=[0-9]+$)/);
    const ageMs = desk.clock.nowMs() - Number(seconds) * 1000;
    return id !== undefined && isClient(id, desk.credentials) && Math.abs(ageMs) <= SIGNATURE_MS;
  } catch {
    return false;
  }
}

function isClient(id: string, credentials: Credentials): boolean {
  return [credentials.id, verificationKeys(credentials).id].some((own) => isKeyOf(own, id));
}

function hasKeys({ headers }: FastifyRequest, id: string, secret: string): boolean {
  return isKeyOf(id, headers["x-client-id"]) && headers["x-client-secret"] === secret;
}

/** The gateway's versions are dates of its own. */
function hasVersion({ headers, routeOptions }: FastifyRequest): boolean {
  const version = String(headers["x-api-version"]);
  return routeOptions.config.operation === "gateway"
    ? /^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/.test(version)
    : version === VERSION;
}

function isV1({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.operation === "balance";
}

function isVerification({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.operation === "verify";
}
