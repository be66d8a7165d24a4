// Checks whether Nodal can run here: each check with its finding and remedy. It starts, creates and changes nothing. `nodal verify`
// checks the books.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { access, constants, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { openDatabase, requireDatabaseUrl } from "../database.ts";
import { tryMailServer } from "../notifications/index.ts";
import { ConfigError, type CheckedConfig, type Config } from "../platform/config.ts";
import { readDatabaseClock } from "../platform/database/clock-store.ts";
import { createPool } from "../platform/database/pool.ts";
import { Disk } from "../platform/disk.ts";
import { listSchedules } from "../platform/jobs/schedule-store.ts";
import type { Logger } from "../platform/log.ts";
import { checkProductionData } from "./production.ts";
import type { RecordedRun } from "./record-run.ts";

/** `wrong` keeps Nodal from working, or puts money or data at risk; `note` should be checked before real use. */
export type Diagnosis = {
  readonly check: string;
  readonly state: "ok" | "note" | "wrong";
  readonly finding: string;
  /** The remedy; empty if all is well. */
  readonly remedy: string;
};

type Found = Omit<Diagnosis, "check">;

const TIMEOUT_MS = 5000;
const MAX_CLOCK_DIFFERENCE_MS = 2000;
const SCARCE_BYTES = 1024 ** 3;
const HOUR_MS = 3_600_000;
/** The maximum ages if backups are made every six hours and books are checked each night. */
const RUN_AT_LEAST_EVERY_HOURS: Record<RecordedRun, number> = { backup: 8, verify: 26 };

const fine = (finding: string): Found => ({ state: "ok", finding, remedy: "" });
const note = (finding: string, remedy: string): Found => ({ state: "note", finding, remedy });
const wrong = (finding: string, remedy: string): Found => ({ state: "wrong", finding, remedy });

/** The configuration as read and checked by `checkSettings`. */
export type DiagnosedSettings = CheckedConfig & {
  /** The settings file; `null` if all settings came from the environment. */
  readonly file: string | null;
  /** Whether its values are valid, and only further requirements of a start are not met. */
  readonly isUsable: boolean;
};

/** Runs all checks, in the order of the result; only those of the settings if a value is invalid. */
export async function diagnose(settings: DiagnosedSettings, logger: Logger): Promise<Diagnosis[]> {
  const { config } = settings;
  const ofSettings = describeSettings(settings);
  if (!settings.isUsable) return [{ check: "settings", ...ofSettings }];
  const database = checkDatabase(config, logger);
  const checks: Record<string, Promise<Found | null>> = {
    settings: Promise.resolve(ofSettings),
    folder: checkFolder(config),
    disk: checkDisk(config),
    database: database.then(({ found }) => found),
    "database clock": database.then(({ url }) => (url === null ? null : checkDatabaseClock(url))),
    clock: checkClock(),
    backup: database.then(({ url }) => (url === null ? null : checkRun(url, "backup"))),
    verify: database.then(({ url }) => (url === null ? null : checkRun(url, "verify"))),
    port: checkPort("PORT", config),
    "operations port": config.OPERATIONS_PORT === null ? Promise.resolve(null) : checkPort("OPERATIONS_PORT", config),
    proxy: checkProxy(config),
    mail: checkMail(config),
  };
  const diagnoses: Diagnosis[] = [];
  for (const [check, found] of Object.entries(checks)) {
    const answer = await found.catch((error: unknown) =>
      wrong(`could not be checked: ${said(error)}`, "Fix that first."),
    );
    if (answer !== null) diagnoses.push({ check, ...answer });
  }
  return diagnoses;
}

function describeSettings({ config, problems, file }: DiagnosedSettings): Found {
  const from = file === null ? "from the environment only" : `from ${file} and the environment`;
  if (problems.length > 0)
    return wrong(`${from}; the server would not start with them`, new ConfigError(problems).message);
  if (config.NODAL_ENV === "production") return fine(`${from}, for production`);
  return note(`${from}, for development`, "For real money, set NODAL_ENV=production: docs/security.md.");
}

/** The folder of data and keys, or its nearest existing parent: the current user can write to it. */
async function checkFolder(config: Config): Promise<Found | null> {
  if (config.DATABASE_URL !== null) return null;
  const folder = resolve(config.DATA_DIR);
  const existing = await nearestExisting(folder);
  const user = String(process.geteuid?.());
  try {
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    const remedy = `Run this as Nodal's user, give user ${user} write access, or set DATA_DIR to another folder.`;
    return wrong(`user ${user} can't write to ${existing}`, remedy);
  }
  return fine(existing === folder ? `${folder} is writable` : `${folder} does not exist yet; ${existing} is writable`);
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || path === dirname(path)) return path;
    return nearestExisting(dirname(path));
  }
}

async function checkDisk(config: Config): Promise<Found | null> {
  if (config.DATABASE_URL !== null) return null;
  const disk = new Disk(await nearestExisting(resolve(config.DATA_DIR)));
  const { freeBytes } = await disk.room();
  const finding = `${Math.floor(freeBytes / 1024 ** 2)} MiB are free`;
  const remedy = "Free some space, or move DATA_DIR to a larger disk: requests are refused while it is full.";
  try {
    await disk.requireRoom();
  } catch {
    return wrong(finding, remedy);
  }
  return freeBytes < SCARCE_BYTES ? note(finding, remedy) : fine(finding);
}

/** Whether the database exists, answers, is recent enough, has this release's schema, and opens with the available master key. */
async function checkDatabase(config: Config, logger: Logger): Promise<{ found: Found; url: string | null }> {
  let url: string;
  try {
    url = await requireDatabaseUrl(config);
  } catch (error) {
    const found = wrong("no database", said(error));
    return { found, url: null };
  }
  const reached = await readClock(url).catch((error: unknown) => said(error));
  if (typeof reached === "string") {
    const isOurs = config.DATABASE_URL === null;
    const found = isOurs
      ? note("the embedded PostgreSQL is not running", "`nodal start` starts it; then check again.")
      : wrong(
          `it can't be reached: ${reached}`,
          "Check that DATABASE_URL is right, PostgreSQL is running, and its firewall allows this machine.",
        );
    return { found, url: null };
  }
  try {
    const database = await openDatabase(config, logger);
    try {
      await checkProductionData(config, database);
    } finally {
      await database.release();
    }
  } catch (error) {
    return { found: wrong("it can't be used", said(error)), url };
  }
  return { found: fine("reachable, with this release's schema and the right master key"), url };
}

/** Leases and due dates depend on it: processes of several machines use the database's clock. */
async function checkDatabaseClock(url: string): Promise<Found> {
  const differenceMs = await readClock(url);
  const finding = `${differenceMs} ms from this machine's`;
  return Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS
    ? fine(finding)
    : wrong(finding, "Synchronise both machines with NTP (systemd-timesyncd or chrony).");
}

/** How far the database's clock is ahead of ours, in ms. */
async function readClock(url: string): Promise<number> {
  const pool = createPool({ url, size: 1 });
  try {
    const sentMs = Date.now();
    const now = await within(readDatabaseClock(pool));
    return Math.round(now.epochMilliseconds - (sentMs + Date.now()) / 2);
  } finally {
    await pool.end();
  }
}

/** The machine's own report on its clock, if available. */
async function checkClock(): Promise<Found | null> {
  const args = ["show", "--property=NTPSynchronized", "--value"];
  const asked = await promisify(execFile)("timedatectl", args, { timeout: TIMEOUT_MS }).catch(() => null);
  if (asked === null) return null;
  if (asked.stdout.trim() === "yes") return fine("synchronised by NTP");
  return note("not kept by NTP", "Run `timedatectl set-ntp true`: second-factor codes and tokens depend on the clock.");
}

async function checkRun(url: string, name: RecordedRun): Promise<Found> {
  const pool = createPool({ url, size: 1 });
  try {
    const last = (await listSchedules(pool)).find((schedule) => schedule.name === name);
    const how = `run \`nodal ${name}\` from a timer: deploy/systemd has one.`;
    if (!last?.lastFinishedAt) return note("never", `Have the machine ${how}`);
    const hours = Math.floor((Date.now() - last.lastFinishedAt.epochMilliseconds) / HOUR_MS);
    const finding = `${hours} hours ago`;
    if (last.lastError !== null)
      return wrong(`${finding}, and it failed: ${last.lastError}`, `Run \`nodal ${name}\` to see why.`);
    return hours < RUN_AT_LEAST_EVERY_HOURS[name] ? fine(finding) : note(finding, `Have the machine ${how}`);
  } finally {
    await pool.end();
  }
}

/** Either Nodal answers on the port, or it is free and this user may listen on it. */
async function checkPort(name: "PORT" | "OPERATIONS_PORT", { HOST: host, ...ports }: Config): Promise<Found> {
  const port = ports[name]!;
  if (port === 0) return fine("any free one");
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (await isNodal(`http://${place}`)) return fine(`a Nodal server answers at ${place}`);
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
    return fine(`${place} is free`);
  } catch (error) {
    return wrong(
      `${place}: ${said(error)}`,
      `Set HOST to an address of this machine, and ${name} to a free port above 1023.`,
    );
  } finally {
    server.close();
  }
}

/** Whether Nodal can be reached at PUBLIC_URL, and no more of it than should be. */
async function checkProxy({ PUBLIC_URL: publicUrl, TRUST_PROXY: trusted }: Config): Promise<Found> {
  if (publicUrl === null)
    return note("PUBLIC_URL is not set", "Links in e-mails point to the address that Nodal listens on.");
  if (!(await isNodal(publicUrl))) {
    return wrong(
      `Nodal does not answer at ${publicUrl}`,
      "Check the host name, the certificate, the proxy's target, and that the server is running.",
    );
  }
  const metrics = await ask(`${publicUrl}/metrics`);
  if (metrics?.ok) return wrong(`${publicUrl}/metrics is public`, "Set OPERATIONS_PORT: docs/install.md.");
  if (trusted.length === 0)
    return note("TRUST_PROXY is not set", "All callers seem to come from the proxy: set this to its address.");
  return fine(`Nodal answers at ${publicUrl}`);
}

async function isNodal(base: string): Promise<boolean> {
  const answer = await ask(`${base}/healthz`);
  const body = answer?.ok ? await answer.text().catch(() => "") : "";
  return body.includes('"status":"ok"');
}

function ask(url: string): Promise<Response | null> {
  return fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" }).catch(() => null);
}

async function checkMail({ SMTP_URL: smtpUrl }: Config): Promise<Found> {
  if (smtpUrl === null)
    return note(
      "no mail server is configured",
      "Mail is held, and can be read with `nodal mail`. To send it, set SMTP_URL.",
    );
  try {
    await within(tryMailServer(smtpUrl, TIMEOUT_MS));
    return fine(`${new URL(smtpUrl).host} accepts the sign-in`);
  } catch (error) {
    return wrong(
      `${new URL(smtpUrl).host}: ${said(error)}`,
      "Check SMTP_URL: host, port, user, password; smtps for port 465.",
    );
  }
}

/** @throws Error on a timeout */
async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

function said(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || String(code ?? error);
}
