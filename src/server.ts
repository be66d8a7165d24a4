// The server: every part of it put together, started and stopped in order.
import { registerHookRoutes } from "./platform/providers/hook-routes.ts";
import { describeApi } from "./api-reference/index.ts";
import { sealSchedule } from "./audit/index.ts";
import { registerCustomerRoutes } from "./customers/index.ts";
import { readBuiltDashboard, registerDashboardPages } from "./api/index.ts";
import { approvalSchedule } from "./approvals/index.ts";
import { CommissionPayer, commissionSchedule, registerFranchiseRoutes } from "./franchises/index.ts";
import {
  Authenticator,
  KeyDirectory,
  readInstallationSecret,
  registerBodyKeyRoutes,
  registerTokenRoute,
  requireBearerToken,
  SignInThrottle,
} from "./merchants/index.ts";
import type { InstallationDatabase } from "./database.ts";
import { PublicLinks, registerPublicRoutes } from "./documents/index.ts";
import { deleteExpired, LedgerCheck, verifyInstallation, type Findings } from "./installation/index.ts";
import { InvoiceSaves, InvoiceSettlements, registerInvoicing } from "./invoices/index.ts";
import { registerDashboardRoutes, LoginMailer, RequestRate, type DashboardOptions } from "./api/index.ts";
import {
  configuredChannels,
  approverMailSchedule,
  openMailer,
  openNotifications,
  reminderSchedule,
} from "./notifications/index.ts";
import { BatchWorker, OwnPayouts, PROVIDERS, registerPayoutRoutes, type Payouts } from "./payouts/index.ts";
import { registerSubscriptionRoutes, subscriptionSchedule } from "./subscriptions/index.ts";
import { ConfigError, type Config } from "./platform/config.ts";
import { actingAs, type TenantDatabase } from "./platform/database/tenant.ts";
import type { IdSource } from "./platform/database/ids.ts";
import type { Reports } from "./platform/database/reports.ts";
import { createPool, ping, type Pool } from "./platform/database/pool.ts";
import {
  createOperationsServer,
  registerHealthRoute,
  registerOperationsRoutes,
  StopNotice,
  type OperationsOptions,
} from "./platform/http/operations-routes.ts";
import { openBase, type Link } from "./server-base.ts";
import { createHttpServer, type HttpServer } from "./platform/http/server.ts";
import { warnOfUnknownMembers } from "./platform/http/unknown-members.ts";
import { Scheduler, type Schedule } from "./platform/jobs/scheduler.ts";
import type { Logger } from "./platform/log.ts";
import { actorOf } from "./platform/origin.ts";
import type { Disk } from "./platform/disk.ts";
import type { Metrics } from "./platform/metrics.ts";
import type { PdfRenderer } from "./platform/pdf/renderer.ts";
import type { Tracing } from "./platform/tracing.ts";
import { preparePasswords } from "./platform/password.ts";
import { forgetRates } from "./platform/rates/rate-store.ts";
import type { RateWindow } from "./platform/rates/rate-window.ts";
import { withSecrets } from "./platform/secrets/index.ts";
import { createGuard, Deliverer, webhookSchedule } from "./webhooks/index.ts";

/** How long rate counts are kept, which limits how far made-up addresses can fill the table. */
const RATES_KEPT_MS = 5 * 60 * 1000;
const HOUSEKEEPING_MS = 60 * 60 * 1000;

export type RunningServer = {
  /** Where it listens, as a URL. */
  readonly address: string;
  /** Answers current requests, finishes or frees the transfers in transit, and closes everything except the database. */
  stop(): Promise<void>;
};

/**
 * Starts the server on a migrated database: as the only process, or as a supervisor's worker with others in a folder. If it can't
 * start, everything opened is closed again.
 */
export async function startServer(
  config: Config,
  database: InstallationDatabase,
  logger: Logger,
  link: Link | null = null,
): Promise<RunningServer> {
  const opened = new AsyncDisposableStack();
  try {
    return await openServer(config, database, logger, link, opened);
  } catch (error) {
    // This is the error that prevents the start, even if closing fails too.
    await opened.disposeAsync().catch((err: unknown) => logger.error({ err }, "could not close everything on stop"));
    throw explainListening(error as ListenError, config);
  }
}

/** Opens every part in order, each added to `opened` until the server closes by itself, and listens. */
async function openServer(
  config: Config,
  database: InstallationDatabase,
  logger: Logger,
  link: Link | null,
  opened: AsyncDisposableStack,
): Promise<RunningServer> {
  const base = await openBase(config, database, logger, link, opened);
  const { pool, tenants, groups, reports, ids, rates, signInRates, metrics, disk, tracing, payouts, renderer } = base;
  let address = "";
  const publicUrl = (): string => config.PUBLIC_URL ?? address;
  const links = new PublicLinks(publicUrl);
  const installationSecret = await readInstallationSecret(pool);
  const saves = new InvoiceSaves(groups, ids, config.LOCK_TIMEOUT_MS);
  const settlements = new InvoiceSettlements(groups, ids, config.LOCK_TIMEOUT_MS);
  const shared = { config, pool, tenants, reports, ids, rates, saves, settlements, payouts, links, renderer, logger };
  const dashboard = await openDashboard({ ...shared, signInRates, database, installationSecret, publicUrl });
  opened.defer(() => dashboard.loginMailer.stop());
  opened.defer(() => dashboard.ledgerCheck.stop());
  const notice = new StopNotice();
  const parts = { ...shared, metrics, tracing, disk, notice };
  const expose = (): Promise<string> => (link === null ? metrics.expose() : link.exposeAll());
  const forOperators = operationsOf(parts, expose);
  const operations = config.OPERATIONS_PORT === null ? null : await createOperationsServer(logger, forOperators);
  const app = await createApp({ ...parts, installationSecret, dashboard, forOperators });
  const mailing = actingAs(pool, actorOf("job", "notifications"));
  const notifications = openNotifications({ config, pool: mailing, links, renderer, logger });
  const scheduler = new Scheduler({ pool, logger, schedules: schedulesOf(shared) });
  const batches = openBatches(shared);
  const deliverer = new Deliverer({
    pool: actingAs(pool, actorOf("job", "webhooks")),
    guard: dashboard.webhookGuard,
    messages: { links },
    logger,
  });

  const running = {
    config,
    app,
    operations,
    dashboard,
    notifications,
    renderer,
    scheduler,
    deliverer,
    batches,
    payouts,
  };
  const close = async (): Promise<void> => {
    await closeParts(running);
    await base.close();
  };
  // From here on the parts are closed in the order of a stop.
  opened.move();
  try {
    // Workers share the ports, each with its own listening socket.
    const sharing = { host: config.HOST, ...(link && { reusePort: true, exclusive: true }) };
    address = await app.listen({ port: config.PORT, ...sharing });
    await operations?.listen({ port: config.OPERATIONS_PORT!, ...sharing });
    await scheduler.start(database.alone);
    await deliverer.start(database.alone);
    await notifications.start(database.alone);
    await batches.start(database.alone);
    return { address, stop: stopOnce(parts, close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Authenticates callers with an access key. */
function openAuthenticator({
  config,
  pool,
  rates,
  installationSecret,
}: Pick<Parts, "config" | "pool" | "rates" | "installationSecret">): Authenticator {
  return new Authenticator({
    directory: new KeyDirectory(pool),
    installationSecret,
    rateLimitPerMinute: config.RATE_LIMIT_PER_MINUTE,
    operatorRatePerMinute: config.DASHBOARD_RATE_LIMIT_PER_MINUTE,
    rates,
  });
}

/** Announces the stop, and closes once load balancers have seen it; a second call does the same. */
function stopOnce({ notice, config }: Pick<Parts, "notice" | "config">, close: () => Promise<void>) {
  let stopped: Promise<void> | null = null;
  return (): Promise<void> => (stopped ??= notice.give(config.DRAIN_NOTICE_MS).then(close));
}

/** The system's error for an address that can't be listened on. */
export type ListenError = NodeJS.ErrnoException & { readonly port?: number };

/** The message for an address that can't be listened on. */
export function explainListening(error: ListenError, { OPERATIONS_PORT }: Pick<Config, "OPERATIONS_PORT">): Error {
  if (error.code === "EADDRINUSE" && error.port === OPERATIONS_PORT)
    return new ConfigError("OPERATIONS_PORT", `${error.port} is used by another program: set it to a free port.`);
  if (error.code !== "EADDRNOTAVAIL" && error.code !== "ENOTFOUND") return error;
  return new ConfigError("HOST", `must be an address of this machine: ${error.message}.`);
}

type RunningParts = Pick<Parts, "config" | "dashboard" | "renderer" | "payouts"> & {
  readonly app: HttpServer;
  /** The server on OPERATIONS_PORT; `null` if that is not set. */
  readonly operations: HttpServer | null;
  readonly notifications: ReturnType<typeof openNotifications>;
  readonly scheduler: Scheduler;
  readonly deliverer: Deliverer;
  readonly batches: BatchWorker;
};

/** Answers current requests, then stops the parts in order, each before those that it uses. */
async function closeParts({ config, app, operations, dashboard, payouts, ...parts }: RunningParts): Promise<void> {
  // A request that never arrives completely must not block the stop: requests still open then are cut off. One that waits for the
  // bank is answered first.
  const cutOffMs = Math.max(config.DRAIN_TIMEOUT_MS, config.TRANSFER_WAIT_MS + 1000);
  const cutOff = setTimeout(() => {
    for (const each of [app, operations]) each?.server.closeAllConnections();
  }, cutOffMs);
  await Promise.all([app.close(), operations?.close()]);
  clearTimeout(cutOff);
  await dashboard.loginMailer.stop();
  await dashboard.ledgerCheck.stop();
  await parts.notifications.stop(config.DRAIN_TIMEOUT_MS);
  await parts.renderer.close();
  await parts.scheduler.stop();
  await parts.deliverer.stop();
  await parts.batches.stop();
  await payouts.close(config.DRAIN_TIMEOUT_MS);
}

/** The worker that creates the payouts of batches, in its own name. */
function openBatches({ pool, ids, payouts, logger }: Pick<Parts, "pool" | "ids" | "payouts" | "logger">): BatchWorker {
  return new BatchWorker({ pool: actingAs(pool, actorOf("job", "payout batches")), ids, desk: payouts.desk, logger });
}

/** The schedules. Each uses connections in its own name. */
function schedulesOf({
  config,
  ids,
  saves: { inTurn },
  logger,
}: Pick<Parts, "config" | "ids" | "saves" | "logger">): Schedule[] {
  return [
    subscriptionSchedule({ ids, inTurn, logger }),
    commissionSchedule({ ids, commissionPayer: new CommissionPayer(new OwnPayouts(config)), logger }),
    reminderSchedule(ids),
    approverMailSchedule(ids),
    webhookSchedule(config.WEBHOOK_LOG_DAYS),
    approvalSchedule(),
    sealSchedule(),
    { name: "housekeeping", everyMs: HOUSEKEEPING_MS, run: deleteExpired },
    { name: "rate counts", everyMs: RATES_KEPT_MS, run: forgetRates },
  ];
}

type DashboardNeeds = Pick<
  Parts,
  | "config"
  | "pool"
  | "tenants"
  | "reports"
  | "ids"
  | "rates"
  | "saves"
  | "settlements"
  | "payouts"
  | "installationSecret"
  | "links"
  | "renderer"
  | "logger"
> &
  Pick<DashboardOptions, "publicUrl"> & { readonly database: InstallationDatabase; readonly signInRates: RateWindow };

/** The parts that the dashboard's routes use. */
async function openDashboard({
  config,
  database,
  payouts,
  publicUrl,
  signInRates,
  logger,
  ...parts
}: DashboardNeeds): Promise<DashboardOptions> {
  await preparePasswords();
  const ownPayouts = new OwnPayouts(config);
  const signIn = { ...parts, throttle: new SignInThrottle(parts.installationSecret, signInRates) };
  return {
    ...signIn,
    authenticator: openAuthenticator({ config, ...parts }),
    desk: payouts.desk,
    ownPayouts,
    commissionPayer: new CommissionPayer(ownPayouts),
    requestRate: new RequestRate(config.DASHBOARD_RATE_LIMIT_PER_MINUTE, parts.rates),
    isProduction: config.NODAL_ENV === "production",
    publicUrl,
    logger,
    webhookGuard: createGuard(config.WEBHOOK_ALLOW_PRIVATE === "on"),
    configuredChannels: configuredChannels(config),
    verificationsPerDay: config.VERIFICATIONS_PER_DAY,
    kycRequired: config.KYC_REQUIRED === "on",
    ledgerCheck: new LedgerCheck({ pool: parts.pool, logger, run: () => checkAllBooks(database) }),
    loginMailer: new LoginMailer({ parts: signIn, mailer: openMailer(config), publicUrl, logger }),
  };
}

/** With a separate connection, as the owner: the server's role can't see the simulated bank's book. */
async function checkAllBooks({ ownerUrl, secrets }: InstallationDatabase): Promise<Findings> {
  const ownerPool = createPool({ url: ownerUrl, size: 1 });
  try {
    return await verifyInstallation(withSecrets(ownerPool, secrets));
  } finally {
    await ownerPool.end();
  }
}

type Parts = {
  readonly notice: StopNotice;
  readonly config: Config;
  /** For work outside requests: looking up keys, and whether the database answers. */
  readonly pool: Pool;
  readonly tenants: TenantDatabase;
  readonly reports: Reports;
  readonly ids: IdSource;
  /** Counts per minute. */
  readonly rates: RateWindow;
  readonly saves: InvoiceSaves;
  readonly settlements: InvoiceSettlements;
  readonly payouts: Payouts;
  readonly installationSecret: Buffer;
  readonly dashboard: DashboardOptions;
  readonly links: PublicLinks;
  readonly renderer: PdfRenderer;
  readonly metrics: Metrics;
  /** `null` if traces are off. */
  readonly tracing: Tracing | null;
  readonly forOperators: OperationsOptions;
  /** The disk of the embedded database; `null` with any other. */
  readonly disk: Disk | null;
  readonly logger: Logger;
};

/** The answers of `/readyz` and `/metrics`. */
function operationsOf(
  { notice, pool, payouts, disk }: Pick<Parts, "notice" | "pool" | "payouts" | "disk">,
  expose: () => Promise<string>,
): OperationsOptions {
  const checks = { database: () => ping(pool), dispatcher: () => payouts.checkReady() };
  return { notice, expose, readinessChecks: { ...checks, ...(disk && { disk: () => disk.requireRoom() }) } };
}

export type ApiParts = Pick<Parts, "tenants" | "ids" | "saves" | "settlements" | "payouts" | "links" | "dashboard">;

/** Adds the routes of both APIs: those in the OpenAPI document. */
export async function registerApi(
  app: HttpServer,
  authenticator: Authenticator,
  { tenants, ids, saves, settlements, payouts, links, dashboard }: ApiParts,
): Promise<void> {
  await registerTokenRoute(app, authenticator);
  await registerHookRoutes(app, PROVIDERS, payouts.notices);
  await app.register(async (scope: HttpServer) => {
    requireBearerToken(scope, authenticator);
    warnOfUnknownMembers(scope);
    registerPayoutRoutes(scope, { tenants, ids, payouts });
    registerFranchiseRoutes(scope, { tenants, ids });
  });
  await registerBodyKeyRoutes(app, authenticator, (scope) => {
    registerCustomerRoutes(scope, { tenants, ids });
    registerInvoicing(scope, { tenants, ids, saves, settlements, links });
    registerSubscriptionRoutes(scope, { tenants, ids, saves });
  });
  await registerDashboardRoutes(app, dashboard);
}

async function createApp({ config, tenants, ids, saves, payouts, links, ...parts }: Parts): Promise<HttpServer> {
  const { renderer, metrics, logger } = parts;
  const { authenticator } = parts.dashboard;
  const app = await createHttpServer({
    logger,
    metrics,
    tracing: parts.tracing,
    trustProxy: config.TRUST_PROXY,
    publicUrl: config.PUBLIC_URL,
    describeApi,
    maxInFlight: config.MAX_REQUESTS_IN_FLIGHT,
  });
  registerHealthRoute(app);
  if (config.OPERATIONS_PORT === null) registerOperationsRoutes(app, parts.forOperators);
  await registerApi(app, authenticator, { tenants, ids, saves, payouts, links, ...parts });
  registerPublicRoutes(app, { tenants, links, renderer, rates: parts.rates });
  registerDashboardPages(app, await readBuiltDashboard());
  return app;
}
