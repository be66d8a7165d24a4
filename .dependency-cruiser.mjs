// The import rules of the house: which folder may use which, and where SQL and HTTP libraries may appear.
// test/architecture.test.ts plants a violation of every rule here and checks that it is reported.

/** For each domain, the domains that it may use, always through their index.ts. `platform` is open to all. */
const MAY_USE = {
  ledger: [],
  merchants: ["ledger"],
  audit: ["ledger", "merchants"],
  payouts: ["ledger", "merchants"],
  items: ["ledger", "merchants"],
  books: ["ledger", "merchants"],
  customers: ["ledger", "merchants", "payouts"],
  franchises: ["ledger", "merchants", "payouts", "customers"],
  approvals: ["ledger", "merchants", "payouts", "customers", "franchises"],
  invoices: ["ledger", "merchants", "payouts", "items", "books", "customers", "franchises"],
  drafts: ["ledger", "merchants", "customers", "invoices"],
  estimates: ["ledger", "merchants", "invoices"],
  documents: ["ledger", "merchants", "payouts", "items", "books", "customers", "franchises", "invoices", "estimates"],
  subscriptions: [
    "ledger",
    "merchants",
    "payouts",
    "items",
    "books",
    "customers",
    "franchises",
    "approvals",
    "invoices",
  ],
  notifications: [
    "ledger",
    "merchants",
    "payouts",
    "books",
    "customers",
    "franchises",
    "approvals",
    "invoices",
    "documents",
    "subscriptions",
  ],
  webhooks: ["ledger", "merchants", "payouts", "customers", "franchises", "invoices", "documents", "subscriptions"],
  reconciliation: ["ledger", "merchants", "payouts", "customers", "invoices"],
};

/**
 * The folders of a domain, lowest first: each may use the earlier ones and the files beside them, so that no two folders
 * import each other.
 */
const FOLDERS = {
  merchants: ["approvals", "users", "keys"],
  payouts: [
    "rails",
    "fees",
    "providers",
    "beneficiaries",
    "batch",
    "bulk",
    "dispatch",
    "statement",
    "tags",
    "attachments",
    "lists",
    "verify",
  ],
  invoices: [
    "lines",
    "numbers",
    "templates",
    "register",
    "dues",
    "advances",
    "credit-notes",
    "settlements",
    "saves",
    "lists",
    "opening",
    "debit-notes",
    "receipts",
    "tds",
  ],
  reconciliation: ["reading"],
};

/** What is done with an installation as a whole, the dashboard's routes and the API's reference use every domain, and none uses them. */
const DOMAINS = [...Object.keys(MAY_USE), "installation", "api", "api-reference"];
/** Lists of a record's members, which are data: the log of changes and the dashboard read them. */
const MEMBERS = "^src/.+-members\\.ts$";
const ANY_DOMAIN = `^src/(${DOMAINS.join("|")})/`;
// Tests, and what helps them beside the code (testing.ts): they may set the stage with any domain, and never run otherwise.
const TESTS = "(\\.test|/test-[^/]+|/testing)\\.ts$";
// Matches the packages' files, their types, and their bare names where they are not installed.
const packages = (names) => `(^|/)node_modules/(@types/)?(${names})(/|$)|^(${names})(/|$)`;

const domainRules = Object.entries(MAY_USE).map(([domain, mayUse]) => ({
  name: `${domain}-order`,
  comment: `src/${domain} may use only: ${["platform", ...mayUse].join(", ")}.`,
  severity: "error",
  from: { path: `^src/${domain}/`, pathNot: TESTS },
  to: {
    path: ANY_DOMAIN,
    pathNot: [`^src/(${[domain, ...mayUse].join("|")})/`, ...(domain === "audit" ? [MEMBERS] : [])],
  },
}));

const folderRules = Object.entries(FOLDERS).flatMap(([domain, folders]) =>
  folders.map((folder, place) => ({
    name: `${domain}-folders`,
    comment: `src/${domain}/${folder} may use only these folders of its domain: ${folders.slice(0, place).join(", ") || "none"}.`,
    severity: "error",
    from: { path: `^src/${domain}/${folder}/`, pathNot: TESTS },
    to: { path: `^src/${domain}/[^/]+/`, pathNot: `^src/${domain}/(${folders.slice(0, place + 1).join("|")})/` },
  })),
);

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "platform-knows-no-domain",
      comment: "src/platform has no business word in it.",
      severity: "error",
      from: { path: "^src/platform/", pathNot: TESTS },
      to: { path: "^src/", pathNot: "^src/platform/" },
    },
    ...domainRules,
    ...folderRules,
    {
      name: "only-through-index",
      comment: "Another domain is used through its index.ts.",
      severity: "error",
      from: { path: "^src/([^/]+)", pathNot: TESTS },
      to: { path: ANY_DOMAIN, pathNot: ["^src/$1/", "^src/[^/]+/index\\.ts$", MEMBERS] },
    },
    {
      name: "citus-through-index",
      comment:
        "What knows nodes of Citus is used through its index.ts; other connections only ask whether there are any.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/platform/database/(citus/|(pool|check-connection)\\.ts$)", TESTS] },
      to: { path: "^src/platform/database/citus/", pathNot: "^src/platform/database/citus/index\\.ts$" },
    },
    {
      name: "roots-import-and-are-not-imported",
      comment: "The composition roots (src/cli, src/main.ts, src/server.ts) are used by each other only.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/cli/", "^src/(main|server|server-base)\\.ts$", TESTS] },
      to: { path: ["^src/cli/", "^src/(main|server|server-base)\\.ts$"] },
    },
    {
      name: "dashboard-knows-its-api-only",
      comment: "The application in web/ shares with the server only what is the same in a browser.",
      severity: "error",
      from: { path: "^web/" },
      to: {
        path: "^src/",
        pathNot: [
          MEMBERS,
          "^src/(api/(sections|index)|invoices/lines/line(-amount)?|invoices/receipts/share-in-order|platform/(amount-words|as-typed|discount|file-size|gst|indian-format|member|money|units))\\.ts$",
        ],
      },
    },
    {
      name: "dashboard-knows-its-api-as-types",
      comment: "What the handlers declare is read as types; nothing of their code comes into the browser.",
      severity: "error",
      from: { path: "^web/" },
      to: { path: "^src/api/index\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "server-apart-from-application",
      comment: "The server serves what was built of web/, and never runs it.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^web/" },
    },
    {
      name: "areas-apart",
      comment:
        "The pages of one area don't use those of another: what they share is in components, forms, format or lists.",
      severity: "error",
      from: { path: "^web/src/pages/([^/]+)/" },
      to: { path: "^web/src/pages/", pathNot: "^web/src/pages/$1/" },
    },
    {
      name: "building-blocks-know-no-page",
      comment: "What pages are made of does not depend on one.",
      severity: "error",
      from: { path: "^web/src/(api|components|format|forms|lists|strings)/" },
      to: { path: "^web/src/(pages/|main\\.tsx|app/(areas|router|shell))" },
    },
    {
      name: "no-cycles",
      comment: "Two files that need each other are one file, or three.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "sql-only-in-stores",
      comment: "pg is for *-store.ts, src/platform/database and src/platform/jobs.",
      severity: "error",
      from: { path: "^src/", pathNot: ["-store\\.ts$", "^src/platform/(database|jobs)(/|\\.ts$)", TESTS] },
      to: { path: packages("pg|pg-[^/]+") },
    },
    {
      name: "http-only-in-routes",
      comment: "Fastify is for *-routes.ts and src/platform/http.",
      severity: "error",
      from: { path: "^src/", pathNot: ["-routes\\.ts$", "^src/platform/http(/|\\.ts$)", TESTS] },
      to: { path: packages("fastify|@fastify/[^/]+") },
    },
    {
      name: "no-test-code-in-production",
      comment: "What runs does not import tests, benchmarks, stand-ins, or packages that only they have.",
      severity: "error",
      from: { path: "^src/", pathNot: TESTS },
      to: { path: ["^(test|bench|scripts|stand-ins)/", TESTS] },
    },
    {
      name: "no-development-packages-in-production",
      comment: "A package that src imports belongs in dependencies.",
      severity: "error",
      from: { path: "^src/", pathNot: TESTS },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], pathNot: "node_modules/@types/" },
    },
    {
      name: "resolvable",
      comment: "An import that leads nowhere is one that these rules can't judge.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Built by `npm pack`.
    exclude: { path: "^sdk/dist" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".json", ".d.ts"],
    },
  },
};
