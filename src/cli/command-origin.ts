// Who gives a command: what the audit log and approvals know of it.
// What belongs here: asking the operating system.
import { userInfo } from "node:os";
import { actorOf, addressOf, type Origin } from "../platform/origin.ts";

/**
 * The command line is one person to Nodal, whoever types: what a command has asked for, no command can approve, or
 * `sudo` and a variable would make a second person. The operating system's user is kept for information: that of the
 * process, and behind it the one who says to have called `sudo`.
 */
export function commandOrigin(): Pick<Origin, "actor" | "address"> {
  const caller = process.env["SUDO_USER"];
  const users = caller ? [loginName(), caller] : [loginName()];
  return { actor: actorOf("command", "nodal"), address: addressOf(["local", ...users]) };
}

/** By the process's number, not by a variable. A user without an entry, as containers have them, is that number. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
