// The cookies of the dashboard: the session, and the mark of a browser that has signed in before.
// What belongs here: names, attributes, reading and writing. What is in them is said in merchants/users/.

/** Over https cookies are bound to the host; plain http is for trying Nodal out, where browsers would refuse those. */
export type CookieMode = "https" | "http";
export type CookieName = "nodal" | "nodal-device";

const MAX_AGE_SECONDS: Readonly<Record<CookieName, number>> = {
  // The server ends sessions; the cookie only has to last as long.
  nodal: 7 * 24 * 3600,
  "nodal-device": 400 * 24 * 3600,
};

/** The value of a Set-Cookie header; an empty value removes the cookie. */
export function writeCookie(mode: CookieMode, name: CookieName, value: string): string {
  const age = value === "" ? 0 : MAX_AGE_SECONDS[name];
  return `${fullName(mode, name)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${mode === "https" ? "; Secure" : ""}`;
}

/** The value of a cookie in a Cookie header, by the first of the modes that has it; `null` where none has. */
export function readCookie(header: string | undefined, name: CookieName, modes: readonly CookieMode[]): string | null {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  for (const mode of modes) {
    const start = `${fullName(mode, name)}=`;
    const pair = pairs.find((candidate) => candidate.startsWith(start));
    if (pair) return pair.slice(start.length);
  }
  return null;
}

function fullName(mode: CookieMode, name: CookieName): string {
  return mode === "https" ? `__Host-${name}` : name;
}
