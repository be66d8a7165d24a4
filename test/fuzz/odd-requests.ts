// Requests to a route: sound ones from its schema, and ones that are odd in their values, text, headers, path or
// framing. Each part is usually sound, so that most requests are odd once.
import fc, { type Arbitrary } from "fast-check";
import type { Route } from "./api-document.ts";
import { FRAMINGS, FuzzRequest, type Header } from "./fuzz-request.ts";
import { oddContentTypes, oddHeaders, oddPaths, oddTokens, oddQueries } from "./odd-http.ts";
import { ODD_BODIES, oddValues, writeJson } from "./odd-values.ts";
import { soundValues, type JsonSchema, type KnownValues } from "./schema-values.ts";

/** Who sends requests: a merchant's keys and token. */
export type Sender = {
  readonly keys: { readonly access_key_id: string; readonly secret_access_key: string };
  readonly token: string;
};

/** What requests are made with. */
export type Supplies = {
  /** The first is the usual one. */
  readonly senders: readonly Sender[];
  readonly known: KnownValues;
  /** A secret that nobody has, to be looked for in logs and answers. */
  readonly wrongSecret: string;
};

type Members = Record<string, unknown>;
type Place = { readonly holder: Members | unknown[]; readonly key: string; readonly schema: JsonSchema };
type Edit = { readonly place: number; readonly odd: number };

const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "post",
  "X",
];
const BOUNDARY = "fuzz-boundary";

/** Mostly the first, sound choice; `odds` to one. */
function usually<T>(sound: Arbitrary<T>, odds: number, odd: Arbitrary<T>): Arbitrary<T> {
  return fc.oneof({ withCrossShrink: true }, { arbitrary: sound, weight: odds }, { arbitrary: odd, weight: 1 });
}

/** Requests to a route. */
export function requestsTo(route: Route, supplies: Supplies): Arbitrary<FuzzRequest> {
  const [usual, ...others] = supplies.senders;
  const tokens = usually(
    fc.constant<string[]>([`Bearer ${usual!.token}`]),
    12,
    oddTokens(others[0]!.token, usual!.token),
  );
  return fc
    .record({
      method: usually(fc.constant(route.method), 25, fc.constantFrom(...METHODS)),
      target: targetsOf(route, supplies),
      token: route.takesToken ? tokens : usually(fc.constant<string[]>([]), 20, tokens),
      headers: usually(fc.constant<Header[]>([]), 5, oddHeaders()),
      body: route.body
        ? bodiesOf(route, route.body, supplies)
        : usually(fc.constant(null), 8, fc.constant(EMPTY_OBJECT)),
      framing: usually(fc.constant("length" as const), 10, fc.constantFrom(...FRAMINGS)),
    })
    .map(({ method, target, token, headers, body, framing }) => {
      const own: Header[] = [["Host", "nodal.example"], ...token.map((value): Header => ["Authorization", value])];
      const types = (body?.types ?? []).map((type): Header => ["Content-Type", type]);
      const all = [...own, ...types, ...headers, ["Connection", "close"] as const];
      return new FuzzRequest({ method, target, headers: all, body: body?.bytes ?? null, framing });
    });
}

/** Requests for the public page of an invoice or its PDF: `names` are of pages that exist. */
export function requestsForPages(names: readonly string[]): Arbitrary<FuzzRequest> {
  const name = usually(fc.constantFrom(...names), 2, fc.oneof(fc.string(), oddNames(names)).map(encodeURIComponent));
  const path = fc.tuple(name, fc.constantFrom("", "", "", "", "", "/pdf")).map(([page, end]) => `/i/${page}${end}`);
  return fc
    .record({
      method: usually(fc.constant("GET"), 10, fc.constantFrom(...METHODS)),
      target: usually(
        path,
        2,
        fc.tuple(path, oddPaths()).map(([sound, change]) => change(sound)),
      ),
      headers: usually(fc.constant<Header[]>([]), 3, oddHeaders()),
    })
    .map(({ method, target, headers }) => {
      const all: Header[] = [["Host", "nodal.example"], ...headers, ["Connection", "close"]];
      return new FuzzRequest({ method, target, headers: all, body: null, framing: "length" });
    });
}

/** Names of pages with one character changed, or a part that is out of every range. */
function oddNames(names: readonly string[]): Arbitrary<string> {
  const changed = fc.tuple(
    fc.constantFrom(...names),
    fc.nat(60),
    fc.constantFrom("0", "9", "-", "_", "A", "\0", "/", "é"),
  );
  return fc.oneof(
    changed.map(([name, at, by]) => name.slice(0, at) + by + name.slice(at + 1)),
    changed.map(([name]) => name.replace(/^[0-9]+-[0-9]+-[0-9]+/, "999-9999999999999999-9999999999999999")),
    changed.map(([name, at]) => name.slice(0, at)),
    changed.map(([name]) => `${name}${name}`),
  );
}

const EMPTY_OBJECT: Body = { bytes: Buffer.from("{}"), types: ["application/json"] };

type Body = { readonly bytes: Buffer; readonly types: readonly string[] };

function bodiesOf(route: Route, schema: JsonSchema, supplies: Supplies): Arbitrary<Body> {
  const edits = fc.array(fc.record({ place: fc.nat(), odd: fc.nat() }), { minLength: 1, maxLength: 3 });
  const json = fc
    .record({
      value: withKeys(schema, soundValues(schema, supplies.known) as Arbitrary<Members>, supplies),
      edits: usually(fc.constant<Edit[]>([]), 2, edits),
      oddText: usually(fc.constant(null), 5, fc.constantFrom(...Object.keys(ODD_BODIES))),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      types: usually(fc.constant<string[]>(["application/json"]), 12, oddContentTypes()),
    })
    .map(({ value, edits: changes, oddText, at, types }) => {
      const text = writeJson(edited(value, schema, changes));
      return { bytes: Buffer.from(oddText === null ? text : ODD_BODIES[oddText]!(text, at)), types };
    });
  return route.contentTypes.length === 1 ? json : fc.oneof(json, formsOf(schema, supplies));
}

/** The keys of a merchant in place of those that the schema would make up. */
function withKeys(
  schema: JsonSchema,
  values: Arbitrary<Members>,
  { senders, wrongSecret }: Supplies,
): Arbitrary<Members> {
  if (!schema.properties?.["secret_access_key"]) return values;
  const [usual, ...others] = senders;
  const wrong = { ...usual!.keys, secret_access_key: wrongSecret };
  const unusual = fc.constantFrom<Members>(...others.map(({ keys }) => keys), wrong, {});
  return fc
    .tuple(values, usually(fc.constant<Members>(usual!.keys), 10, unusual))
    .map(([value, keys]) => ({ ...value, ...keys }));
}

/** A copy of the value in which some members are odd, or missing. */
function edited(value: Members, schema: JsonSchema, edits: readonly Edit[]): unknown {
  const copy = structuredClone(value);
  for (const { place, odd } of edits) {
    const places = placesIn(copy, schema);
    if (places.length === 0) return copy;
    const { holder, key, schema: its } = places[place % places.length]!;
    const values = oddValues(its);
    const index = odd % (values.length + 1);
    if (index < values.length) (holder as Members)[key] = values[index];
    else delete (holder as Members)[key];
  }
  return copy;
}

function placesIn(value: unknown, schema: JsonSchema): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Members | unknown[];
  return Object.entries(holder).flatMap(([key, child]) => {
    const its = (Array.isArray(holder) ? schema.items : schema.properties?.[key]) ?? {};
    return [{ holder, key, schema: its }, ...placesIn(child, its)];
  });
}

/** Forms with the members of the schema as fields. */
function formsOf(schema: JsonSchema, supplies: Supplies): Arbitrary<Body> {
  const values = withKeys(schema, soundValues(schema, supplies.known) as Arbitrary<Members>, supplies);
  const oddPart = fc.constantFrom(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="x.bin"\r\n\r\ndata\r\n`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nx\r\n`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx\r\n`,
    `--${BOUNDARY}\r\n\r\n\r\n`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${"n".repeat(5000)}"\r\n\r\nx\r\n`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\n\r\n${"x".repeat(70_000)}\r\n`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\nContent-Type: application/json\r\n\r\n{"a":\r\n`,
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n`.repeat(40),
    "garbage without a boundary",
  );
  const multipart = fc
    .record({
      value: values,
      odd: usually(fc.constant(""), 2, oddPart),
      end: usually(fc.constant(`--${BOUNDARY}--\r\n`), 4, fc.constantFrom("", "--", `--${BOUNDARY}`)),
      types: usually(
        fc.constant<string[]>([`multipart/form-data; boundary=${BOUNDARY}`]),
        5,
        fc.constantFrom<string[][]>(
          ["multipart/form-data"],
          ["multipart/form-data; boundary="],
          ["multipart/mixed; boundary=x"],
        ),
      ),
    })
    .map(({ value, odd, end, types }) => ({ bytes: Buffer.from(partsOf(value) + odd + end), types }));
  const urlencoded = fc
    .tuple(
      values,
      usually(fc.constant(""), 2, fc.constantFrom("&%zz=%", "&__proto__=1", "&a[b][c]=1", "&a=1".repeat(5000))),
    )
    .map(([value, odd]) => ({
      bytes: Buffer.from(new URLSearchParams(value as Record<string, string>).toString() + odd),
      types: ["application/x-www-form-urlencoded"],
    }));
  return fc.oneof(multipart, urlencoded);
}

function partsOf(value: Members): string {
  const part = ([name, text]: [string, unknown]) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(text)}\r\n`;
  return Object.entries(value).map(part).join("");
}

function targetsOf(route: Route, { known }: Supplies): Arbitrary<string> {
  const ofKind = (kind: "path" | "query") => route.parameters.filter((parameter) => parameter.in === kind);
  const valuesFor = (parameters: ReturnType<typeof ofKind>): Arbitrary<Members> =>
    fc.record(
      Object.fromEntries(
        parameters.map(({ name, schema }) => [name, usually(soundValues(schema, known, name), 3, oddOf(schema))]),
      ),
      { noNullPrototype: true },
    );
  const path = valuesFor(ofKind("path")).map((values) =>
    route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(String(values[name]).toWellFormed())),
  );
  const query = ofKind("query").length === 0 ? fc.constant({}) : valuesFor(ofKind("query"));
  const sound = fc.tuple(path, query).map(([text, values]) => text + queryOf(values));
  const oddPath = fc.tuple(sound, oddPaths()).map(([target, change]) => change(target));
  const oddQuery = fc
    .tuple(sound, oddQueries())
    .map(([target, added]) => `${target}${target.includes("?") ? "&" : "?"}${added}`);
  return usually(sound, 12, fc.oneof(oddPath, oddQuery));
}

function oddOf(schema: JsonSchema): Arbitrary<unknown> {
  // Nothing longer fits into the headers.
  const values = oddValues(schema).filter((value) => typeof value !== "object" || value === null);
  return fc.constantFrom(...values).map((value) => String(value).slice(0, 3000));
}

function queryOf(values: Members): string {
  const given = Object.entries(values).filter(([, value]) => value !== null);
  const pairs = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
