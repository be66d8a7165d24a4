// Users and roles as the server describes them.
// What belongs here: the types that several pages share, and under which keys they are kept.

export type User = {
  readonly user_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly disabled: boolean;
  readonly second_factor: boolean;
  readonly must_change_password: boolean;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly own: boolean;
};

export type Role = {
  readonly name: string;
  readonly built_in: boolean;
  readonly permissions: readonly string[];
  readonly users: number;
  /** Whether whoever is signed in may give it to others. */
  readonly grantable: boolean;
};

export type RolesAnswer = { readonly roles: readonly Role[]; readonly permissions: readonly string[] };

/** Shown once. */
export type FirstPassword = { readonly name: string; readonly email: string; readonly password: string };

export const USERS_KEY = ["/users"];
export const ROLES_KEY = ["/roles"];
