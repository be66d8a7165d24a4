// Production mode: what a server must not start with when real money depends on it.
// What belongs here: the refusals, each with its remedy. docs/security.md lists them.
import type { InstallationDatabase } from "../database.ts";
import { ConfigError, type Config } from "../platform/config.ts";
import { hasDemo } from "./samples.ts";

/** @throws ConfigError where NODAL_ENV is production and a setting is missing, before anything is touched */
export function checkProductionSettings(config: Config): void {
  if (config.NODAL_ENV !== "production") return;
  if (config.NODAL_MASTER_KEY === null) {
    throw new ConfigError(
      "NODAL_MASTER_KEY",
      "must be set in production, so that the master key is not kept beside the data: take the content of master.key in " +
        "DATA_DIR where there is one, else make a key with `openssl rand -base64 32`. Keep a copy.",
    );
  }
  if (!config.PUBLIC_URL?.startsWith("https:")) {
    throw new ConfigError(
      "PUBLIC_URL",
      "must be an address that begins with https:// in production: let a proxy with a certificate stand before Nodal.",
    );
  }
  if (config.TRUST_PROXY.length === 0) {
    throw new ConfigError(
      "TRUST_PROXY",
      "must name that proxy's address in production, such as 127.0.0.1, so that the callers' addresses are known.",
    );
  }
}

/** @throws ConfigError where NODAL_ENV is production and the database has the demo merchant */
export async function checkProductionData(config: Config, database: InstallationDatabase): Promise<void> {
  if (config.NODAL_ENV !== "production" || !(await hasDemo(database))) return;
  throw new ConfigError(
    "NODAL_ENV",
    "is production, but this database has the demo merchant, whose keys were printed: begin with an empty DATA_DIR or " +
      "database.",
  );
}
