// The public interface of logins, roles and sessions.
export { describeActor, readActorNames, type ActorNames } from "./actor-names.ts";
export { changeApprovalMail, listMailed, readMailRule } from "./approval-mail.ts";
export { changePassword, makeResetLinks, mayAskForLinks, resetPassword, type ResetLink } from "./change-password.ts";
export { askForEmail, changeOwnEmail, confirmEmail, type EmailLink } from "./change-email.ts";
export { changeLogin } from "./change-login.ts";
export { chooseOwners, copyLogins, listOwners } from "./copy-logins.ts";
export { notSignedIn, OPERATORS, signInLink, suspended, userNotFound, type Login } from "./login.ts";
export { deleteLogin, findLogin, insertLogin, listLogins, LOGIN_SECRETS } from "./login-store.ts";
export { changeRole, createRole, readRoles, removeRole, type Role } from "./manage-roles.ts";
export {
  changeUser,
  createUser,
  insertUser,
  prepareUser,
  resetSecondFactor,
  resetUserPassword,
  type ManagedKind,
} from "./manage-users.ts";
export { endSession, findSessionOf, mustEnrol, requireMoneyMover, signOutAllUsers } from "./open-session.ts";
export { chosenPassword, givenPassword } from "./password-rule.ts";
export {
  KEY_SCOPES,
  mayGrant,
  MERCHANT_PERMISSIONS,
  OF_KEYS,
  OPERATOR,
  OPERATOR_KEY_SCOPES,
  OWNER,
  type Permission,
  type PersonalAct,
} from "./permission.ts";
export { countRecoveryCodes, forgetEndedLinks } from "./recovery-store.ts";
export { listRoles } from "./role-store.ts";
export {
  confirmSecondFactor,
  disableSecondFactor,
  enrolSecondFactor,
  provingSecondFactor,
  renewRecoveryCodes,
  type SecondFactor,
} from "./second-factor.ts";
export { type IssuedSession, type Session, type Visitor, type SignInParts } from "./session.ts";
export { deleteSessions, forgetEndedSessions, listSessions } from "./session-store.ts";
export { signIn, signInFurther } from "./sign-in.ts";
export { isEmailTaken, releaseEmail, takeEmail, type LoginName } from "./sign-in-store.ts";
export { SIGN_IN_WINDOW_MS, SignInThrottle } from "./sign-in-throttle.ts";
export { otpauthUri } from "./totp.ts";
