// The configuration: every environment variable that Nodal reads, its default and its check, in this one table.

import ipaddr from "ipaddr.js";
import { DatabaseAddressError, readAddress } from "./database/address.ts";
import { parsePaise } from "./money.ts";
import { parseMasterKey, type MasterKey } from "./secrets/index.ts";

type Setting<T> = {
  /** The default; `null` if the setting has none. */
  readonly fallback: T;
  readonly parse: (text: string) => T;
  readonly meaning: string;
  /** Must errors hide the value? */
  readonly isSecret: boolean;
};

/** A problem with a setting, and its remedy, as the rest of a sentence that starts with the variable's name. */
export type ConfigProblem = { readonly variable: string; readonly problem: string };

/** Thrown for unusable settings. The message has one line per setting, with its name and the remedy. */
export class ConfigError extends Error {
  constructor(variable: string, problem: string);
  constructor(problems: readonly ConfigProblem[]);
  constructor(given: string | readonly ConfigProblem[], said = "") {
    const problems = typeof given === "string" ? [{ variable: given, problem: said }] : given;
    super(problems.map(({ variable, problem }) => `${variable} ${problem}`).join("\n"));
    this.name = "ConfigError";
  }
}

/** Why a value is refused, as the rest of a sentence that starts with the variable's name. */
class Refusal extends Error {}

function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^[0-9]+$/.test(text) || value < minimum || value > maximum) {
      throw new Refusal(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  };
}

function oneOf<const T extends string>(...choices: T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new Refusal(`must be one of ${choices.join(", ")}`);
    return choice;
  };
}

function url(...protocols: string[]): (text: string) => string {
  return (text) => {
    const isOne = protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`));
    if (!isOne || !URL.canParse(text) || new URL(text).host === "") {
      throw new Refusal(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`);
    }
    return text;
  };
}

function databaseUrl(text: string): string {
  readAddress(text);
  return text;
}

/** Normalizes addresses and ranges to the form that the HTTP server accepts. */
function addressList(list: string): string[] {
  return list.split(",").map((item) => {
    const text = item.trim();
    // A zone (fe80::1%eth0) names an interface of one machine.
    if (text.includes("%") || !(ipaddr.isValid(text) || ipaddr.isValidCIDR(text))) {
      throw new Refusal("must be a comma-separated list of IP addresses or CIDR ranges, such as 10.0.0.0/8,127.0.0.1");
    }
    if (!text.includes("/")) return ipaddr.parse(text).toString();
    const [address, prefix] = ipaddr.parseCIDR(text);
    if (isTooWide(address, prefix)) {
      throw new Refusal(
        `must not have the range ${text}: strangers would count as proxies. Name your proxies, or a range of at least /8 in IPv4, /16 in IPv6 (fc00::/7 and fe80::/10 may be whole)`,
      );
    }
    return `${address.toString()}/${prefix}`;
  });
}

/** IPv6 networks that are private or link-local. */
const LOCAL_IPV6 = ["fc00::/7", "fe80::/10"].map((range) => ipaddr.parseCIDR(range) as [ipaddr.IPv6, number]);
/** IPv4 addresses mapped into IPv6: the server compares them with IPv6 ranges in this form. */
const MAPPED = ipaddr.parse("::ffff:0:0") as ipaddr.IPv6;
const MAPPED_BITS = 96;

/** Is a range wider than any private network, so that it includes strangers' addresses? */
function isTooWide(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): boolean {
  if (address instanceof ipaddr.IPv4) return prefix < 8;
  const hasMapped = MAPPED.match(address, Math.min(prefix, MAPPED_BITS));
  if (hasMapped) return prefix < MAPPED_BITS + 8;
  return prefix < 16 && !LOCAL_IPV6.some(([local, bits]) => prefix >= bits && address.match(local, bits));
}

function mailAddress(value: string): string {
  if (!/^[^\s@<>()[\],:;"\\]+@[^\s@<>()[\],:;"\\]+$/.test(value)) {
    throw new Refusal("must be an e-mail address without a name, such as billing@example.com");
  }
  return value;
}

function rupees(value: string): bigint {
  const paise = parsePaise(value);
  if (paise === null || paise === 0n) throw new Refusal("must be an amount in rupees above 0, such as 500000.00");
  return paise;
}

function masterKey(value: string): MasterKey {
  const key = parseMasterKey(value);
  if (key === null) {
    throw new Refusal("must be 32 bytes in base64 or hexadecimal, such as `openssl rand -base64 32` prints");
  }
  return key;
}

function text(value: string): string {
  return value;
}

function setting<T>(fallback: T, parse: (text: string) => T, meaning: string): Setting<T> {
  return { fallback, parse, meaning, isSecret: false };
}

/** A setting that errors and logs must not show: a key, or a URL with a password. */
function secretSetting<T>(parse: (text: string) => T, meaning: string): Setting<T | null> {
  return { fallback: null, parse, meaning, isSecret: true };
}

/** Every variable that Nodal reads. Amounts are given in rupees and kept in paise. */
export const SETTINGS = {
  HOST: setting("127.0.0.1", text, "Address to listen on."),
  PORT: setting(8080, integer(0, 65535), "Port to listen on; 0 takes a free one."),
  OPERATIONS_PORT: setting<number | null>(
    null,
    integer(1, 65535),
    "Separate port for /metrics and /readyz, which PORT then does not serve; /healthz is on both: docs/install.md.",
  ),
  WORKERS: setting(
    1,
    integer(1, 64),
    "Processes that serve the port, each with its own connections, caches and bank calls: docs/scale.md.",
  ),
  DATA_DIR: setting("./data", text, "Folder of the embedded database."),
  DATABASE_URL: secretSetting(
    databaseUrl,
    "PostgreSQL (15 or later) to use instead of the embedded one, as the owner of the database. Several hosts and PgBouncer: docs/scale.md.",
  ),
  DATABASE_DIRECT_URL: secretSetting(
    databaseUrl,
    "Required if DATABASE_URL uses PgBouncer: PostgreSQL's own URL, as the owner of the database.",
  ),
  DATABASE_REPLICA_URL: secretSetting(
    databaseUrl,
    "Standby of that database, for file downloads while it keeps up: docs/scale.md.",
  ),
  DATABASE_POOL_SIZE: setting(
    8,
    integer(4, 200),
    "Database connections for reads and single writes; invoice saves have half as many of their own.",
  ),
  STATEMENT_TIMEOUT_MS: setting(
    30_000,
    integer(100, 600_000),
    "How long one statement of a request may run before the request fails.",
  ),
  LOCK_TIMEOUT_MS: setting(
    5000,
    integer(50, 600_000),
    "How long a request or a schedule waits for locked rows of its merchant before it fails.",
  ),
  NODAL_ENV: setting(
    "development",
    oneOf("development", "production"),
    "`production` creates no demo merchant and refuses unsafe settings: docs/security.md.",
  ),
  NODAL_MASTER_KEY: secretSetting(
    masterKey,
    "Master key for encryption, 32 bytes in base64 or hexadecimal; default: the file master.key in DATA_DIR, created on the first start.",
  ),
  NODAL_MASTER_KEY_NEW: secretSetting(masterKey, "New master key for `nodal key rotate-master`."),
  NODAL_BACKUP_PASSPHRASE: secretSetting(
    text,
    "Passphrase for `nodal backup --encrypt` and `nodal restore`: docs/backups.md.",
  ),
  PUBLIC_URL: setting<string | null>(
    null,
    url("http:", "https:"),
    "Public address of this server; default: the address it listens on.",
  ),
  TRUST_PROXY: setting<string[]>(
    [],
    addressList,
    "Proxies whose X-Forwarded-For is trusted: addresses or CIDR ranges, separated by commas.",
  ),
  LOG_LEVEL: setting(
    "info",
    oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    "Least severe log level to write.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting<string | null>(
    null,
    url("http:", "https:"),
    "OpenTelemetry collector for traces, such as http://127.0.0.1:4318: docs/metrics.md.",
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    30,
    integer(1, 10_000_000),
    "Requests per minute for each merchant without its own limit.",
  ),
  TRANSFER_WAIT_MS: setting(
    2000,
    integer(0, 60_000),
    "How long the answer to a transfer waits for the bank; with 0 it is sent as soon as the transfer is stored.",
  ),
  BANK_TIMEOUT_MS: setting(
    30_000,
    integer(100, 300_000),
    "How long a call to a bank may take before its outcome counts as unknown.",
  ),
  PROVIDER_CALLS_PER_SECOND: setting(
    8,
    integer(0, 10_000),
    "Calls per second to a provider account, over all processes; 0 for no limit.",
  ),
  DISPATCH_CONCURRENCY: setting(64, integer(1, 5000), "Concurrent calls to banks in one process."),
  MAX_REQUESTS_IN_FLIGHT: setting(
    5000,
    integer(10, 1_000_000),
    "Concurrent requests; more are refused with 503 and Retry-After.",
  ),
  DRAIN_TIMEOUT_MS: setting(
    10_000,
    integer(100, 300_000),
    "How long a stopping server waits for requests and bank calls in progress.",
  ),
  DRAIN_NOTICE_MS: setting(
    3000,
    integer(0, 300_000),
    "How long a stopping server reports not ready at /readyz but still accepts requests; give a proxy enough time to notice.",
  ),
  SMTP_URL: secretSetting(
    url("smtp:", "smtps:"),
    "Mail server, as smtps://user:password@host:465 or smtp://…; without it, mail is rendered but not sent: read it with `nodal mail`.",
  ),
  MESSAGES_PER_DAY: setting(
    2000,
    integer(1, 10_000_000),
    "Messages per day that a merchant may send to its customers; the rest waits for the next day.",
  ),
  MESSAGES_PER_RECIPIENT_PER_DAY: setting(
    20,
    integer(1, 1_000_000),
    "Messages per day from a merchant to one recipient.",
  ),
  VERIFICATIONS_PER_DAY: setting(
    200,
    integer(1, 1_000_000),
    "Beneficiary accounts that a merchant may verify in any 24 hours.",
  ),
  DASHBOARD_RATE_LIMIT_PER_MINUTE: setting(
    300,
    integer(1, 10_000_000),
    "Requests per minute for each dashboard session, and for each access key of an operator; ten times as many for all sessions of a merchant.",
  ),
  MAIL_FROM: setting(
    "nodal@localhost",
    mailAddress,
    "Sender address of mail to customers; the merchant's name is added.",
  ),
  SMS_HTTP_URL: setting<string | null>(
    null,
    url("http:", "https:"),
    "Connector for SMS to customers, called with JSON: docs/notifications.md.",
  ),
  WHATSAPP_HTTP_URL: setting<string | null>(
    null,
    url("http:", "https:"),
    "Connector for WhatsApp messages to customers, called with JSON.",
  ),
  // docs/rules/rails.md#neft
  NEFT_ABOVE_IMPS: setting(
    "off",
    oneOf("on", "off"),
    "Send bank transfers above the IMPS limit by NEFT instead of RTGS.",
  ),
  // docs/rules/rails.md#imps
  IMPS_LIMIT: setting(
    50_000_000n,
    rupees,
    "Largest bank transfer sent by IMPS, in rupees, capped at the limit of IMPS.",
  ),
  // docs/rules/rails.md#upi
  UPI_LIMIT: setting(10_000_000n, rupees, "Largest UPI transfer, in rupees."),
  KYC_REQUIRED: setting(
    "off",
    oneOf("on", "off"),
    "Whether a merchant can go live only after an operator has approved its KYC.",
  ),
  WEBHOOK_ALLOW_PRIVATE: setting("off", oneOf("on", "off"), "Allow webhooks to private addresses, and over http."),
  WEBHOOK_LOG_DAYS: setting(30, integer(1, 3650), "Days to keep webhook attempts and abandoned events."),
  SIMULATOR_LATENCY_MS: setting(0, integer(0, 600_000), "Simulator: how long the bank takes to answer each call."),
  SIMULATOR_DECLINE_PERCENT: setting(0, integer(0, 100), "Simulator: percentage of transfers that the bank declines."),
  SIMULATOR_ERROR_PERCENT: setting(
    0,
    integer(0, 100),
    "Simulator: percentage of calls that break off, half of them before and half after the bank books the payment.",
  ),
} satisfies Record<string, Setting<never> | Setting<unknown> | object>;

type Settings = typeof SETTINGS;
export type Config = { readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never };

type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration and its problems. An unusable setting has its default. */
export type CheckedConfig = { readonly config: Config; readonly problems: readonly ConfigProblem[] };

/** A check across settings that are valid on their own, such as the requirements for real money. */
export type ConfigRule = (config: Config) => readonly ConfigProblem[];

/**
 * Reads the whole configuration and checks it. An empty variable counts as not set. The server, the commands and
 * `nodal doctor` all use this check.
 */
export function checkConfig(environment: Environment, rules: readonly ConfigRule[] = []): CheckedConfig {
  const values: Record<string, unknown> = {};
  const problems: ConfigProblem[] = [];
  for (const [name, { fallback, parse, isSecret }] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const given = environment[name]?.trim();
    values[name] = fallback;
    try {
      if (given) values[name] = parse(given);
    } catch (error) {
      const shown = isSecret ? "" : `; it is ${JSON.stringify(given)}`;
      if (!(error instanceof Refusal) && !(error instanceof DatabaseAddressError)) throw error;
      problems.push({ variable: name, problem: `${error.message}${shown}.` });
    }
  }
  const config = values as Config;
  const isRefused = new Set(problems.map(({ variable }) => variable));
  for (const rule of [checkPorts, checkDatabaseUrls, ...rules]) {
    // A variable that can't be read is already reported; problems of its default would mislead.
    problems.push(...rule(config).filter(({ variable }) => !isRefused.has(variable)));
  }
  return { config, problems };
}

/**
 * Reads the configuration. An empty variable counts as not set.
 * @throws ConfigError with every variable that can't be used
 */
export function readConfig(environment: Environment): Config {
  const { config, problems } = checkConfig(environment);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function checkPorts({ PORT, OPERATIONS_PORT }: Config): ConfigProblem[] {
  if (OPERATIONS_PORT !== PORT) return [];
  return [{ variable: "OPERATIONS_PORT", problem: `must differ from PORT; both are ${PORT}.` }];
}

/** With PgBouncer, DATABASE_URL must say so and DATABASE_DIRECT_URL must bypass it. */
function checkDatabaseUrls({ DATABASE_URL, DATABASE_DIRECT_URL }: Config): ConfigProblem[] {
  const problem = findDirectUrlProblem(DATABASE_URL, DATABASE_DIRECT_URL);
  return problem === null ? [] : [{ variable: "DATABASE_DIRECT_URL", problem }];
}

function findDirectUrlProblem(url: string | null, directUrl: string | null): string | null {
  const isPooled = url !== null && readAddress(url).isPooled;
  if (directUrl === null) {
    return isPooled ? "is required if DATABASE_URL has pgbouncer=true: the direct URL, as the owner." : null;
  }
  if (!isPooled) return "needs a DATABASE_URL that uses PgBouncer: add pgbouncer=true to that.";
  if (!readAddress(directUrl).isPooled) return null;
  return "must be PostgreSQL's own URL, without pgbouncer=true.";
}
