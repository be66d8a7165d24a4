// The tests of a run: NODAL_TESTS is `short` in `npm test`, `rest` in `npm run test:rest`, and otherwise all.

/**
 * The files that `npm test` leaves out: what costs much processor time, for what only it would find. `npm test` keeps the
 * rules beside the code, ledger and money, each route of the API, and a path through each domain by dashboard and command.
 */
const REST = [
  // Browsers, kills, upgrades, changed keys, backups, other databases' set-ups.
  "test/browser/**/*.test.ts",
  "test/crash/**/*.test.ts",
  "test/backup.test.ts",
  "test/backup-schemas.test.ts",
  "test/failover.test.ts",
  "test/haproxy.test.ts",
  "test/hung-database.test.ts",
  "test/pgbouncer.test.ts",
  "test/replica.test.ts",
  "test/secrets-keys.test.ts",
  "test/upgrade.test.ts",
  "src/platform/database/embedded.test.ts",
  "src/platform/database/backup/chunks.test.ts",
  "src/platform/database/{round-trips,silence,tenant}.test.ts",
  "src/platform/http/server.socket.test.ts",
  "test/migrations.test.ts",
  // Random walks, and deliberately hard input.
  "test/corruption/{corruption,deleted-rows}.test.ts",
  "test/fuzz/fuzz.test.ts",
  "test/simulation/simulation.test.ts",
  "test/dashboard/worst-files.test.ts",
  "src/reconciliation/large-day.test.ts",
  // Each command with a database or data folder of its own; programs of the repository, and what integrators run.
  "test/cli.test.ts",
  "test/cli-database.test.ts",
  "test/cli-surroundings.test.ts",
  "test/collection.test.ts",
  "test/failed-start.test.ts",
  "test/going-live.test.ts",
  "test/guides.test.ts",
  "test/onboard-many.test.ts",
  "test/program.test.ts",
  "test/sdk.test.ts",
  "test/secrets-canaries.test.ts",
  "test/small-merchant.test.ts",
  "test/tax-register-model.test.ts",
  "test/whole-life.test.ts",
  // Documents as PDF, by the dozen.
  "src/documents/render-pdf.test.ts",
  "src/platform/pdf/{draw-picture,renderer}.test.ts",
  "test/dashboard/{page-preview,preview,printed}.test.ts",
  // Servers with their own settings, that wait for banks, mails and clocks.
  "src/payouts/rails/simulator.test.ts",
  "test/dashboard/{guards,limits,logins-of-an-address,stuck-transfers}.test.ts",
  "test/wire/{approvals,audit,commission,held-books,live,message-limits,outsiders,outsiders-at-length,overload,rate-limit,rebalance}.test.ts",
  "test/wire/{notifications,notifications-kept,notifications-reminders}.test.ts",
  "test/wire/{provider-accounts,provider-down,providers}.test.ts",
  "test/wire/{operations-port,sandbox,several-servers,suspension,traces,webhooks,workers}.test.ts",
  // Many merchants, documents or days for one rule, whose usual case a shorter file tests.
  "src/audit/seal-books.test.ts",
  "src/invoices/{commission-histories,commission-order}.test.ts",
  "src/invoices/dues/carry-dues.test.ts",
  "src/notifications/notify-approvers.test.ts",
  "src/approvals/forged-requests.test.ts",
  "src/installation/go-live.test.ts",
  "src/merchants/users/sign-in.test.ts",
  "src/platform/{excerpt,password}.test.ts",
  "src/platform/http/operations-routes.test.ts",
  "src/platform/rates/rate-window.test.ts",
  "src/webhooks/{deliverer,deliverer-away,deliverer-turns}.test.ts",
  "src/payouts/dispatch/who-resolves.test.ts",
  "src/payouts/providers/{connectors,payment-review,verify-account}.test.ts",
  "src/platform/providers/pace.test.ts",
  "src/reconciliation/{candidates,deposits,late-fees,other-files,other-layouts,reconcile,references-of-files}.test.ts",
  "src/reconciliation/reading/read-aside.test.ts",
  "test/dashboard/{beneficiary-files,billing-lists,customer-gstin-files,file-uploads,invoice-uploads}.test.ts",
  "test/dashboard/{many-invoices,move-money,payout-accounts,people}.test.ts",
  "test/wire/{approval-mail,batches,body-keys,customer-search,forged-batches,isolation,states,verification}.test.ts",
  "test/wire/{credit-notes,invoice-groups,invoice-lists,invoice-numbers,invoice-references,repeated-references,subscriptions,templates}.test.ts",
  // The code and the files to deploy, as `npm run check` does.
  "test/architecture.test.ts",
  "test/ci.test.ts",
  "test/deploy.test.ts",
  "test/money-lint.test.ts",
  "test/processor-time.test.ts",
];
const EVERY_FILE = ["{src,test,bench}/**/*.test.ts"];

/** The files of each set, as patterns. */
export const SETS = {
  short: { include: EVERY_FILE, exclude: REST },
  rest: { include: REST, exclude: [] },
  all: { include: EVERY_FILE, exclude: [] },
} as const;

const name = process.env["NODAL_TESTS"] ?? "all";
if (!Object.hasOwn(SETS, name)) throw new Error(`NODAL_TESTS must be one of ${Object.keys(SETS).join(", ")}`);

/** The files of this run, as patterns. */
export const testFiles: { readonly include: readonly string[]; readonly exclude: readonly string[] } =
  SETS[name as keyof typeof SETS];

/**
 * How many files run at a time. Those of `npm test` seldom wait, and each worker costs its imports and a server. Many of the others
 * mostly wait for clocks and banks (docs/testing.md#order-and-time).
 */
export const workers = name === "short" ? 2 : 4;
