// Who gives a command: the name that the audit log keeps of it.
// What belongs here: asking the operating system.
import { userInfo } from "node:os";
import { actorOf, type Actor } from "../platform/origin.ts";

/** The operating system's user that runs this process; with `sudo`, the one who called it. */
export function commandActor(): Actor {
  return actorOf("command", process.env["SUDO_USER"] || loginName());
}

/** A user without an entry among the system's users, as containers have them, is its number. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
