// Routes of one's own password, address and second factor.
// What belongs here: wire shapes, no logic.
import {
  askForEmail,
  changeOwnEmail,
  changePassword,
  chosenPassword,
  confirmEmail,
  confirmSecondFactor,
  disableSecondFactor,
  enrolSecondFactor,
  givenPassword,
  mayAskForLinks,
  otpauthUri,
  renewRecoveryCodes,
  resetPassword,
} from "../merchants/index.ts";
import { digitsOrNumber, email, requiredText } from "../platform/http/fields.ts";
import { qrSvg } from "../platform/qr.ts";
import { openRoute, sessionRoute, type DashboardScope } from "./guarded-routes.ts";
import type { LoginMailer } from "./login-mailer.ts";
import { answerIssued, merchantNamed, nameOfLogin, visitorOf } from "./session-routes.ts";

const TOKEN_LENGTH = 100;
const ISSUER = "Nodal";
const ALWAYS = "If this e-mail signs somebody in, a link to a new password is on its way to it.";

const code = () => digitsOrNumber(6);

/** Adds what changes and resets one's own password. */
export function registerPasswordRoutes(scope: DashboardScope, mailer: LoginMailer): void {
  const { parts } = scope;
  sessionRoute(scope, {
    method: "POST",
    url: "/password/change",
    states: ["signed_in", "change_password"],
    body: { old_password: givenPassword(), new_password: chosenPassword() },
    handler: async ({ body, session, request, reply }) => {
      const passwords = { old: body.old_password, chosen: body.new_password };
      const issued = await changePassword(parts, session, passwords, visitorOf(request));
      return answerIssued(parts, request, reply, issued);
    },
  });

  openRoute(scope, {
    method: "POST",
    url: "/password/forgot",
    body: { email: email(), merchant: merchantNamed() },
    handler: ({ body, request }) => {
      // The answer waits for nothing that depends on whether anybody has the address.
      if (mayAskForLinks(parts, body.email, visitorOf(request).address)) mailer.sendResetLinks(nameOfLogin(body));
      return { sent: ALWAYS };
    },
  });

  openRoute(scope, {
    method: "POST",
    url: "/password/reset",
    body: { token: requiredText(TOKEN_LENGTH), password: chosenPassword() },
    handler: async ({ body, request }) => {
      await resetPassword(parts, body.token, body.password, visitorOf(request));
      return { done: true };
    },
  });
}

/** Adds what changes the address that one signs in with. */
export function registerEmailRoutes(scope: DashboardScope, mailer: LoginMailer): void {
  const { parts } = scope;
  sessionRoute(scope, {
    method: "POST",
    url: "/email/change",
    body: { email: email(), password: givenPassword() },
    handler: async ({ body, session }) => {
      if (!parts.configuredChannels.includes("mail")) {
        await changeOwnEmail(parts, session, body);
        return { state: "changed" };
      }
      mailer.sendEmailLink(await askForEmail(parts, session, body));
      return { state: "sent" };
    },
  });

  openRoute(scope, {
    method: "POST",
    url: "/email/confirm",
    body: { token: requiredText(TOKEN_LENGTH) },
    handler: async ({ body, request }) => {
      mailer.tellOfChange(await confirmEmail(parts, body.token, visitorOf(request)));
      return { done: true };
    },
  });
}

/** Adds what sets up and ends one's own second factor. */
export function registerSecondFactorRoutes(scope: DashboardScope): void {
  const { parts } = scope;
  sessionRoute(scope, {
    method: "POST",
    url: "/second-factor/enrol",
    body: { password: givenPassword() },
    handler: async ({ body, session }) => {
      const secret = await enrolSecondFactor(parts, session, body.password);
      const uri = otpauthUri(secret, ISSUER, session.login.email);
      return { secret, otpauth_uri: uri, qr_svg: qrSvg(uri) };
    },
  });

  sessionRoute(scope, {
    method: "POST",
    url: "/second-factor/confirm",
    body: { code: code() },
    handler: async ({ body, session }) => ({
      recovery_codes: await confirmSecondFactor(parts, session, body.code),
    }),
  });

  sessionRoute(scope, {
    method: "POST",
    url: "/second-factor/disable",
    body: { password: givenPassword(), code: code() },
    handler: async ({ body, session }) => {
      await disableSecondFactor(parts, session, body);
      return { done: true };
    },
  });

  sessionRoute(scope, {
    method: "POST",
    url: "/second-factor/recovery-codes",
    body: { password: givenPassword(), code: code() },
    handler: async ({ body, session }) => ({
      recovery_codes: await renewRecoveryCodes(parts, session, body),
    }),
  });
}
