// The OpenAPI document without references, for tests that look into the schemas of requests and answers.

/** The document with what each reference names in its place. */
export function dereferenced<D extends object>(document: D): D {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref: reference, ...rest } = value as Readonly<Record<string, unknown>>;
    if (typeof reference !== "string") {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
    }
    const path = reference.replace(/^#\//, "").split("/");
    const target = path.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
    if (typeof target !== "object" || target === null) throw new Error(`${reference} leads nowhere`);
    return { ...(resolve(target) as object), ...(resolve(rest) as object) };
  };
  return resolve(document) as D;
}
