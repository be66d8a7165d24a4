// Every route below /api/v4 keeps to docs/api.md: addresses, methods, names, values, pages. Routes are those that the server registers,
// and answers are what their handlers declare. What is seen on the wire is in test/dashboard/conventions.test.ts.
import { expect, test } from "vitest";
import answers from "../src/api-reference/answers.json" with { type: "json" };
import { registerDashboardRoutes, type DashboardOptions } from "../src/api/index.ts";
import { createHttpServer } from "../src/platform/http/server.ts";
import { createLogger } from "../src/platform/log.ts";

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
};
type Part = "params" | "querystring" | "body";
type Route = {
  readonly method: string;
  readonly url: string;
  readonly schema: Readonly<Partial<Record<Part, Schema>>>;
};

const BASES = ["/api/v4", "/api/session"];
/** A merchant has one of each. */
const SINGLE = new Set(
  (
    "audit bank-account clock go-live ifsc installation kyc ledger-check notification-settings operator-view payout-policy profile reconciliation " +
    "reports search statement usage withdrawal-account"
  ).split(" "),
);
/** One of each belongs to the object before it, or it is a form of it. */
const PART =
  /^(account|login|terms|credentials|modes|options|pdf|page|result|supply|commission|waiting|totals|history|sample|form|choices|actors|preview|statement)$/;

type Member = { readonly where: string; readonly name: string; readonly kinds: readonly (string | undefined)[] };

const answersOf: Readonly<Record<string, Schema>> = answers as unknown as Record<string, Schema>;
const members = Object.entries(answersOf).flatMap(([route, schema]) => membersIn(schema, route));
const routes = await listRoutes();
const ofV4 = routes.filter(({ url }) => url.startsWith("/api/v4/"));
const nameOf = ({ method, url }: Route): string => `${method} ${url}`;
/** Without the merchant that operators put in front. */
const partsOf = ({ url }: Route): string[] =>
  url
    .replace(/^\/api\/(v4|session)\//, "")
    .replace(/^merchants\/:merchant_id\/(?=.)/, "")
    .split("/");

async function listRoutes(): Promise<Route[]> {
  const app = await createHttpServer({
    logger: createLogger("silent"),
    metrics: null,
    trustProxy: [],
    publicUrl: null,
  });
  const found: Route[] = [];
  app.addHook("onRoute", ({ method, url, schema = {} }) => {
    for (const each of [method].flat())
      if (each !== "HEAD") found.push({ method: each, url, schema: schema as Route["schema"] });
  });
  await registerDashboardRoutes(app, {} as DashboardOptions);
  await app.ready();
  await app.close();
  return found;
}

test("there are routes, all below the two addresses", () => {
  expect(ofV4.length).toBeGreaterThan(200);
  expect(
    routes.filter(({ url }) => !BASES.some((base) => url.startsWith(`${base}/`) || url === base)).map(nameOf),
  ).toEqual([]);
});

test("addresses are plural nouns with dashes, then an id, then what belongs to it or is done to it", () => {
  const problems = ofV4.filter((route) => {
    const parts = partsOf(route);
    if (!parts.every((part) => /^(:[a-z]+(_[a-z]+)*|[a-z]+(-[a-z]+)*(\.csv|\.xlsx|\.xml|\.zip)?)$/.test(part)))
      return true;
    const [first = "", ...rest] = parts.map((part) => part.replace(/\.(csv|xlsx|xml|zip)$/, ""));
    if (!SINGLE.has(first) && !first.endsWith("s")) return true;
    // Behind an id comes another list, a part, or a verb, which only a POST has.
    return rest.some((part, index) => {
      if (part.startsWith(":"))
        return !parts[index]!.endsWith("s") && !parts[index]!.startsWith(":") && !SINGLE.has(first);
      return (
        !part.endsWith("s") &&
        !PART.test(part) &&
        !SINGLE.has(first) &&
        route.method !== "POST" &&
        route.method !== "PUT"
      );
    });
  });
  expect(problems.map(nameOf)).toEqual([]);
});

test("a GET takes no body, and every route refuses parameters that it does not know", () => {
  expect(routes.filter(({ method, schema }) => method === "GET" && schema.body).map(nameOf)).toEqual([]);
  const lax = routes.filter(({ schema }) => schema.querystring?.additionalProperties !== false);
  expect(lax.map(nameOf)).toEqual([]);
});

test("names of parameters and members are in snake_case", () => {
  const sent = routes.flatMap((route) =>
    (["params", "querystring", "body"] as const).flatMap((part) =>
      namesIn(route.schema[part] ?? {}).map((name) => `${nameOf(route)}: ${name}`),
    ),
  );
  const answered = members.map(({ where, name }) => `${where}: ${name}`);
  expect(answered.length).toBeGreaterThan(500);
  const isOther = (place: string): boolean => !/: [a-z0-9]+(_[a-z0-9]+)*$/.test(place);
  expect([...sent, ...answered].filter(isOther)).toEqual([]);
});

function namesIn({ properties = {}, items }: Schema): string[] {
  const own = Object.entries(properties).flatMap(([name, schema]) => [name, ...namesIn(schema)]);
  return items ? [...own, ...namesIn(items)] : own;
}

const AMOUNT = /(^|_)(amount|balance|available|due|paid|billed|total|collected|owed|refunded)$/;
const TIME = /_at$|^as_of$/;
/** Days, invoices and documents, which are counted. */
const COUNTS = [
  "GET /invoices/:invoice_id: due",
  "POST /subscriptions/dates: due",
  "GET /reports/document-series.series: total",
  "GET /session/invoices/counts: paid",
];

test("amounts and times are strings in answers", () => {
  const wrong = members.filter(({ name, kinds }) => {
    return (AMOUNT.test(name) || TIME.test(name)) && kinds.includes("number");
  });
  const named = wrong.map(({ where, name }) => `${where}: ${name}`);
  expect(named.filter((place) => !COUNTS.includes(place))).toEqual([]);
});

test("a list with pages takes limit and after, and answers with next; no other answer has one", () => {
  const hasNext = ({ method, url }: Route): boolean => {
    const declared = answersOf[`${method} ${url.replace("/api/v4", "").replace("/merchants/:merchant_id/", "/")}`];
    return method === "GET" && Object.hasOwn(declared?.properties ?? {}, "next");
  };
  const takesPages = ({ schema }: Route): boolean =>
    Boolean(schema.querystring?.properties?.["after"] && schema.querystring.properties["limit"]);
  expect(ofV4.filter(hasNext).length).toBeGreaterThan(15);
  expect(ofV4.filter((route) => hasNext(route) !== takesPages(route)).map(nameOf)).toEqual([]);
});

/** Every member of an answer, with the types that it may have. */
function membersIn(schema: Schema, where: string): Member[] {
  const parts = [...(schema.anyOf ?? []), schema.items, schema.additionalProperties].filter(
    (part) => typeof part === "object",
  );
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    { where, name, kinds: [member.type, ...(member.anyOf ?? []).map(({ type }) => type)] },
    ...membersIn(member, `${where}.${name}`),
  ]);
  return [...own, ...parts.flatMap((part) => membersIn(part, where))];
}
