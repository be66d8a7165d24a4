// Who did something, in words.
// What belongs here: the wire's actor as text.
import { actors } from "../strings/actors.ts";

/** `user:1000002` as `User 1000002`. */
export function actorName(actor: string): string {
  const [kind = "", ...name] = actor.split(":");
  return [actors[kind] ?? kind, ...name].join(" ");
}
