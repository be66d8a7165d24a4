// Names of properties as the database and JSON have them.
import { LRUCache } from "lru-cache";

/** Most names come again and again. */
const known = new LRUCache<string, string>({ max: 1000 });

/** `amountPaise` is `amount_paise`, and `IMPS` is `imps`. */
export function snakeCase(name: string): string {
  const earlier = known.get(name);
  if (earlier !== undefined) return earlier;
  const snake = /^[A-Z]+$/.test(name)
    ? name.toLowerCase()
    : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  known.set(name, snake);
  return snake;
}
