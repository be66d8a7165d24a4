// Small caches in the place of the code's: what a process remembers of thousands of merchants costs it a tenth of a simulation to
// make room for, and with few merchants nothing would ever be forgotten. It must be loaded before the code.
import { registerHooks } from "node:module";
import { LRUCache as RealCache } from "lru-cache";

const MOST = 24;

/** In the place of `LRUCache`. */
export class LRUCache<K extends {}, V extends {}> extends RealCache<K, V> {
  constructor(options: RealCache.Options<K, V, unknown>) {
    super({ ...options, max: Math.min(MOST, options.max ?? MOST) });
  }
}

registerHooks({
  resolve(name, context, next) {
    if (name !== "lru-cache" || context.parentURL?.includes("/node_modules/")) return next(name, context);
    return { url: import.meta.url, format: "module-typescript", shortCircuit: true };
  },
});
