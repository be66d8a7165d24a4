// How values are kept in JSON columns.
import type { Json, JsonObject } from "./json.ts";

/** Writes a value as JSON and reads it back. `read` throws if the value was not written by `write`. */
export type Codec<T> = {
  readonly write: (value: T) => Json;
  /** `undefined` if the object was written before it had the member. */
  readonly read: (stored: Json | undefined) => T;
};

/** A codec for each member. A member without one does not compile, nor does a bigint that is kept as text. */
export type Codecs<T> = { readonly [Name in keyof T]-?: Codec<Required<T>[Name]> };

/** A value that JSON has a type for, kept as it is. */
export function asJson<T extends Json>(): Codec<T> {
  return { write: (value) => value, read: (stored) => stored as T };
}

/** Text. `missing` is read from objects that were written without it. */
export function asText(missing?: string): Codec<string> {
  const read = (stored: Json | undefined = missing): string => {
    if (typeof stored === "string") return stored;
    throw new Error("stored JSON can't be read: text is missing");
  };
  return { write: (value) => value, read };
}

/** A whole number as its digits, since JSON numbers are floats. `missing` as in `asText`. */
export function asDigits(missing?: bigint): Codec<bigint> {
  const read = (stored: Json | undefined): bigint => {
    if (stored === undefined && missing !== undefined) return missing;
    if (typeof stored === "string" && /^-?[0-9]+$/.test(stored)) return BigInt(stored);
    throw new Error("stored JSON can't be read: digits are missing");
  };
  return { write: String, read };
}

export function asList<T>({ write, read }: Codec<T>): Codec<readonly T[]> {
  return {
    write: (values) => values.map(write),
    read: (stored) => {
      if (Array.isArray(stored)) return (stored as readonly Json[]).map(read);
      throw new Error("stored JSON can't be read: a list is missing");
    },
  };
}

/**
 * An object with a codec for each member. Members in `optional` are left out where the object has none, and where it was
 * written before there were any.
 */
export function asRecord<T extends object>(codecs: Codecs<T>, optional: readonly (keyof T & string)[] = []): Codec<T> {
  const members = (Object.entries(codecs) as [keyof T & string, Codec<unknown>][]).map(
    ([name, codec]) => [name, codec, optional.includes(name)] as const,
  );
  return {
    // Loops, since each save writes all lines of an invoice and Object.fromEntries is several times slower.
    write: (value) => {
      const written: Record<string, Json> = {};
      for (const [name, { write }, isOptional] of members) {
        if (!isOptional || value[name] !== undefined) written[name] = write(value[name]);
      }
      return written;
    },
    read: (stored) => {
      if (typeof stored !== "object" || stored === null || Array.isArray(stored)) {
        throw new Error("stored JSON can't be read: an object is missing");
      }
      const kept = stored as JsonObject;
      const value: Record<string, unknown> = {};
      for (const [name, { read }, isOptional] of members) {
        if (!isOptional || kept[name] !== undefined) value[name] = read(kept[name]);
      }
      return value as T;
    },
  };
}
