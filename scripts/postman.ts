// A collection of requests for Postman, Bruno, newman and others that read its format (2.1), made from the OpenAPI document. It runs from
// top to bottom at a fresh installation, as often as one likes: ids come from earlier answers, days are counted from today, references and
// codes differ from run to run, and each answer is checked.

type Media = { readonly example?: unknown };
type Parameter = {
  readonly name?: string;
  readonly in?: string;
  readonly example?: unknown;
  readonly description?: string;
  readonly required?: boolean;
};
type Operation = {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
};
export type ApiDocument = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
type Request = { readonly path: string; readonly method: string; readonly operation: Operation };

/** Values of answers that later requests name: the variable, and where the answer has it. */
const KEPT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  createToken: { token: "success.token" },
  saveBeneficiary: { beneficiary_id: "beneficiary_id" },
  createTransferBatch: { batch_id: "batch_id" },
  saveFranchise: { franchise_id: "franchise_id" },
  saveCustomers: { customer_id: "srvrsp.0.0.customer_id" },
  saveInvoices: { invoice_id: "srvrsp.0.invoice_id", other_invoice_id: "srvrsp.1.invoice_id" },
  "beneficiaries.create": { payee: "beneficiary_id" },
  "transfers.create": { transfer: "transfer_id" },
  "customerGroups.create": { group: "group_id" },
  "customers.create": { customer: "customer_id" },
  "items.create": { item: "item.item_id" },
  "invoices.create": { invoice: "invoices.0.invoice_id", other_invoice: "invoices.1.invoice_id" },
  "subscriptions.create": { subscription: "subscription_id" },
  "franchises.create": { franchise: "franchise_id" },
  "invoiceDrafts.create": { draft: "draft.draft_id" },
  "estimates.create": { estimate: "estimate.estimate_id" },
  "receipts.create": { receipt: "receipt.receipt_id" },
  "openingBalances.create": { opening_balance: "opening_balance.opening_balance_id" },
  "debitNotes.create": { debit_note: "debit_note.debit_note_id" },
  "creditNotes.create": { credit_note: "credit_note_id" },
};
/** Operations that end what later requests name. They name it too, and `remade` then makes another one. */
export const ENDING: Readonly<
  Record<string, { readonly names: Readonly<Record<string, string>>; readonly remade: string }>
> = {
  "invoiceDrafts.delete": { names: { draft_id: "draft" }, remade: "invoiceDrafts.create" },
  "receipts.reverse": { names: { receipt_id: "receipt" }, remade: "receipts.create" },
  "tdsClaims.certificate": { names: { claim_id: "receipt" }, remade: "receipts.create" },
  "tdsClaims.putBack": { names: { claim_id: "receipt" }, remade: "receipts.create" },
  "estimates.decline": { names: { estimate_id: "estimate" }, remade: "estimates.create" },
};
/** Members whose values must not repeat, so that the collection can run again. */
const NEW_EACH_RUN = new Set(["reference_id", "customer_code", "franchise_code", "item_code"]);
/** An account can be saved once. Its first digits stay, and the run's come behind. */
const ACCOUNT = "account_number";
const KEPT_DIGITS = 6;
/** The merchant's own template is used without it. The franchise of the collection is deleted before there are invoices. */
/** The same of members with common names. */
const NEW_OF: Readonly<Record<string, readonly string[]>> = {
  "customerGroups.create": ["name"],
  "customerGroups.update": ["name"],
  "customerColumns.create": ["name"],
};
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  saveInvoices: ["template_id", "franchise_id"],
  saveSubscription: ["template_id"],
};
/** Operations that end what others need come last in their folder. */
const LAST = ["cancelTransferBatch", "cancelInvoice", "deleteFranchise"];
/** The day that the document's examples are of: tests write it (`test/support/api-examples.ts`). */
const EXAMPLE_DAY = Temporal.PlainDate.from("2026-04-01");
/** Sets, before each request, a number for the run and the days that requests name. The sandbox is in India's time zone. */
const BEFORE_EACH = [
  'if (!pm.collectionVariables.get("run")) pm.collectionVariables.set("run", String(Date.now()).slice(-9));',
  "for (let days = 0; days <= 31; days += 1) {",
  "  const day = new Date(Date.now() + 5.5 * 3600000 + days * 86400000).toISOString().slice(0, 10);",
  "  pm.collectionVariables.set(`day_${days}`, day);",
  "}",
];
const NEW_RUN = ['pm.collectionVariables.unset("run");'];

/**
 * The collection of a document. `base_url` and the two keys are all that it has to be given. It has every operation of /api/v1 to v3, and
 * those of /api/v4 in `order`: `GET /api/v4/transfers`.
 */
export function collectionOf({ info, tags, paths }: ApiDocument, order: readonly string[]): object {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const ofV4 = all.filter(isOfV4).filter(({ method, path }) => order.includes(`${method} ${path}`));
  const others = all.filter((request) => !isOfV4(request));
  const requests = [
    ...others.toSorted((a, b) => LAST.indexOf(a.operation.operationId) - LAST.indexOf(b.operation.operationId)),
    ...ofV4.toSorted((a, b) => order.indexOf(`${a.method} ${a.path}`) - order.indexOf(`${b.method} ${b.path}`)),
  ].flatMap((request) => {
    const remade = ENDING[request.operation.operationId]?.remade;
    return [request, ...all.filter(({ operation }) => operation.operationId === remade)];
  });
  const variables = new Variables(requests);
  const folders = tags.map(({ name, description }) => ({
    name,
    description,
    item: requests.filter(({ operation }) => operation.tags?.[0] === name).map((request) => toItem(request, variables)),
  }));
  const own = ["access_key_id", "secret_access_key", "token"];
  return {
    info: {
      name: `${info.title} ${info.version}`,
      description: info.description,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    item: folders.filter(({ item }) => item.length > 0),
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    event: [script("prerequest", BEFORE_EACH)],
    variable: [{ key: "base_url", value: "http://127.0.0.1:8080" }, ...own.map((key) => ({ key, value: "" }))],
  };
}

function isOfV4({ path }: Pick<Request, "path">): boolean {
  return path.startsWith("/api/v4/");
}

function toItem(request: Request, variables: Variables): object {
  const { path, method, operation } = request;
  const { operationId, summary, security = [], parameters = [] } = operation;
  const example = requestExample(operation);
  const names = ENDING[operationId]?.names ?? {};
  const segments = path
    .replaceAll(/\{(\w+)\}/g, ":$1")
    .split("/")
    .slice(1);
  const url = {
    raw: `{{base_url}}/${segments.join("/")}`,
    host: ["{{base_url}}"],
    path: segments,
    query: parametersIn("query", parameters).map(({ required, value, ...rest }) => ({
      ...rest,
      value: variables.inText(value),
      disabled: !required,
    })),
    variable: parametersIn("path", parameters).map(({ key, description, value }) => {
      return { key, description, value: key in names ? `{{${names[key]!}}}` : variables.inText(value) };
    }),
  };
  const body = { mode: "raw", raw: variables.inBody(operationId, example), options: { raw: { language: "json" } } };
  const isFirst = operationId === "createToken";
  return {
    name: summary ?? operationId,
    event: [...(isFirst ? [script("prerequest", NEW_RUN)] : []), script("test", checksOf(request))],
    request: {
      method,
      ...(security.some((scheme) => "bearerAuth" in scheme) ? {} : { auth: { type: "noauth" } }),
      header: example ? [{ key: "Content-Type", value: "application/json" }] : [],
      ...(example ? { body } : {}),
      url,
    },
  };
}

function script(listen: "prerequest" | "test", exec: readonly string[]): object {
  return { listen, script: { type: "text/javascript", exec } };
}

/** What is checked of an answer: its status, the sign of success that its example has, and each value that is kept. */
function checksOf({ operation, ...request }: Request): string[] {
  const answer = answerExample(operation);
  // In /api/v4, the status of the response says it.
  const sign = isOfV4(request) ? undefined : ["status", "errcode"].find((name) => Object.hasOwn(answer, name));
  const kept = Object.entries(KEPT[operation.operationId] ?? {}).flatMap(([name, place]) => [
    `  const ${name} = place("${place}");`,
    `  pm.expect(${name}, "${place}").to.be.ok;`,
    `  pm.collectionVariables.set("${name}", ${name});`,
  ]);
  return [
    'pm.test("succeeds", () => {',
    "  pm.expect(pm.response.code, pm.response.text()).to.equal(200);",
    "  const answer = pm.response.json();",
    ...(sign === undefined
      ? []
      : [`  pm.expect(answer.${sign}, "${sign}").to.equal(${JSON.stringify(answer[sign])});`]),
    ...(kept.length === 0
      ? []
      : ['  const place = (path) => path.split(".").reduce((value, name) => value && value[name], answer);', ...kept]),
    "});",
  ];
}

function requestExample({ requestBody }: Operation): Readonly<Record<string, unknown>> | undefined {
  return requestBody?.content["application/json"]?.example as Readonly<Record<string, unknown>> | undefined;
}

function answerExample({ responses }: Operation): Readonly<Record<string, unknown>> {
  return (responses["200"]?.content?.["application/json"]?.example ?? {}) as Readonly<Record<string, unknown>>;
}

/** Which values of the examples are written as variables. */
class Variables {
  /** By the value that examples have. */
  readonly #byValue = new Map<string, string>();

  constructor(requests: readonly Request[]) {
    for (const { operation } of requests) {
      for (const [name, place] of Object.entries(KEPT[operation.operationId] ?? {})) {
        const value = valueAt(answerExample(operation), place);
        if (typeof value !== "string" && typeof value !== "number")
          throw new Error(`the answer's example of ${operation.operationId} has no ${place}`);
        this.#byValue.set(String(value), `{{${name}}}`);
      }
      this.#findNew(requestExample(operation), NEW_OF[operation.operationId] ?? []);
    }
  }

  #findNew(value: unknown, further: readonly string[], name = ""): void {
    if (typeof value === "object" && value !== null) {
      for (const [member, each] of Object.entries(value))
        this.#findNew(each, further, Array.isArray(value) ? name : member);
    } else if (NEW_EACH_RUN.has(name) || further.includes(name))
      this.#byValue.set(String(value), `${String(value)}-{{run}}`);
    else if (name === ACCOUNT) this.#byValue.set(String(value), `${String(value).slice(0, KEPT_DIGITS)}{{run}}`);
  }

  /** A value of a path or a body. */
  inText(text: string): string {
    const known = this.#byValue.get(text);
    if (known !== undefined) return known;
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) return text;
    return `{{day_${EXAMPLE_DAY.until(text).days}}}`;
  }

  /** A body as text, in which numbers may be variables too. */
  inBody(operationId: string, example: Readonly<Record<string, unknown>> = {}): string {
    const leftOut = LEFT_OUT[operationId] ?? [];
    const marked = JSON.stringify(
      example,
      (name, value: unknown) => {
        if (leftOut.includes(name)) return undefined;
        if (name === "access_key_id" || name === "secret_access_key") return `{{${name}}}`;
        if (typeof value === "number")
          return this.#byValue.has(String(value)) ? `#${this.inText(String(value))}#` : value;
        return typeof value === "string" ? this.inText(value) : value;
      },
      2,
    );
    return marked.replaceAll(/"#|#"/g, "");
  }
}

function valueAt(value: unknown, place: string): unknown {
  return place
    .split(".")
    .reduce((each, name) => (each as Readonly<Record<string, unknown>> | undefined)?.[name], value);
}

function parametersIn(
  place: string,
  parameters: readonly Parameter[],
): { key: string; value: string; description: string; required: boolean }[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name = "", example = "", description = "", required = false }) => {
      return { key: name, value: String(example), description, required };
    });
}
