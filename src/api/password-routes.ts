// Routes of the caller's own password, address and second factor.
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
import { qrSvg } from "../platform/html.ts";
import { openRoute, sessionRoute, type DashboardScope } from "./guarded-routes.ts";
import type { LoginMailer } from "./login-mailer.ts";
import { answerIssued, merchantNamed, nameOfLogin, visitorOf } from "./session-routes.ts";

const TOKEN_LENGTH = 100;
const ISSUER = "Nodal";
const ALWAYS = "If an account has this e-mail, we've sent it a link to set a new password.";

const code = () => digitsOrNumber(6);

/** Adds the routes that change and reset the caller's password. */
export function registerPasswordRoutes(scope: DashboardScope, mailer: LoginMailer) {
  const { parts } = scope;
  return [
    sessionRoute(scope, {
      route: "POST /session/password/change",
      states: ["signed_in", "change_password"],
      body: { old_password: givenPassword(), new_password: chosenPassword() },
      handler: async ({ body, session, request, reply }) => {
        const passwords = { old: body.old_password, chosen: body.new_password };
        const issued = await changePassword({ ...parts, session, visitor: visitorOf(request) }, passwords);
        return answerIssued(parts, request, reply, issued);
      },
    }),
    openRoute(scope, {
      route: "POST /session/password/forgot",
      body: { email: email(), merchant: merchantNamed() },
      handler: async ({ body, request }) => {
        // The response time must not reveal whether the address has a login.
        const context = { ...parts, visitor: visitorOf(request) };
        if (await mayAskForLinks(context, body.email)) mailer.sendResetLinks(nameOfLogin(body));
        return { sent: ALWAYS };
      },
    }),
    openRoute(scope, {
      route: "POST /session/password/reset",
      body: { token: requiredText(TOKEN_LENGTH), password: chosenPassword() },
      handler: async ({ body, request }) => {
        const { token, password: chosen } = body;
        await resetPassword({ ...parts, visitor: visitorOf(request) }, { token, chosen });
        return { done: true };
      },
    }),
  ];
}

/** Adds the routes that change the caller's sign-in address. */
export function registerEmailRoutes(scope: DashboardScope, mailer: LoginMailer) {
  const { parts } = scope;
  return [
    sessionRoute(scope, {
      route: "POST /session/email/change",
      body: { email: email(), password: givenPassword() },
      handler: async ({ body, session }) => {
        const context = { ...parts, session };
        if (!parts.configuredChannels.includes("mail")) {
          await changeOwnEmail(context, body);
          return { state: "changed" };
        }
        mailer.sendEmailLink(await askForEmail(context, body));
        return { state: "sent" };
      },
    }),
    openRoute(scope, {
      route: "POST /session/email/confirm",
      body: { token: requiredText(TOKEN_LENGTH) },
      handler: async ({ body, request }) => {
        mailer.tellOfChange(await confirmEmail({ ...parts, visitor: visitorOf(request) }, body.token));
        return { done: true };
      },
    }),
  ];
}

/** Adds the routes that set up and remove the caller's second factor. */
export function registerSecondFactorRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    sessionRoute(scope, {
      route: "POST /session/second-factor/enrol",
      body: { password: givenPassword() },
      handler: async ({ body, session }) => {
        const secret = await enrolSecondFactor({ ...parts, session }, body.password);
        const uri = otpauthUri(secret, ISSUER, session.login.email);
        return { secret, otpauth_uri: uri, qr_svg: qrSvg(uri) };
      },
    }),
    sessionRoute(scope, {
      route: "POST /session/second-factor/confirm",
      body: { code: code() },
      handler: async ({ body, session }) => ({
        recovery_codes: await confirmSecondFactor({ ...parts, session }, body.code),
      }),
    }),
    sessionRoute(scope, {
      route: "POST /session/second-factor/disable",
      body: { password: givenPassword(), code: code() },
      handler: async ({ body, session }) => {
        await disableSecondFactor({ ...parts, session }, body);
        return { done: true };
      },
    }),
    sessionRoute(scope, {
      route: "POST /session/second-factor/recovery-codes",
      body: { password: givenPassword(), code: code() },
      handler: async ({ body, session }) => ({
        recovery_codes: await renewRecoveryCodes({ ...parts, session }, body),
      }),
    }),
  ];
}
