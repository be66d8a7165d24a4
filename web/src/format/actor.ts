// Who did something, in words.
import { actors } from "../strings/actors.ts";

/** `user:1000002` as `meera@example.com` where the name is known, or else as `User 1000002`. */
export function actorName(actor: string, name: string | null = null): string {
  const [kind = "", ...rest] = actor.split(":");
  const word = actors[kind] ?? kind;
  if (name !== null) return kind === "user" ? name : `${word} ${name}`;
  return [word, ...rest].join(" ");
}
