// Production mode: refuses to start a server with settings that are unsafe for real money. docs/security.md lists them.
import type { OpenDatabase } from "../database.ts";
import { ConfigError, type Config, type ConfigProblem, type ConfigRule } from "../platform/config.ts";
import { hasDemo } from "./samples.ts";

/** The missing settings if NODAL_ENV is production; checked before anything else is touched. */
function findProductionProblems(config: Config): ConfigProblem[] {
  if (config.NODAL_ENV !== "production") return [];
  const problems: ConfigProblem[] = [];
  if (config.NODAL_MASTER_KEY === null) {
    problems.push({
      variable: "NODAL_MASTER_KEY",
      problem:
        "must be set in production, so that the master key is not stored with the data: use the content of master.key in " +
        "DATA_DIR if it exists, otherwise a new key from `openssl rand -base64 32`. Keep a copy.",
    });
  }
  if (!config.PUBLIC_URL?.toLowerCase().startsWith("https:")) {
    problems.push({
      variable: "PUBLIC_URL",
      problem: "must begin with https:// in production: put a proxy with a certificate in front of Nodal.",
    });
  }
  if (config.TRUST_PROXY.length === 0) {
    problems.push({
      variable: "TRUST_PROXY",
      problem: "must be the proxy's address in production, such as 127.0.0.1, so that callers' addresses are known.",
    });
  }
  return problems;
}

/** A start's requirements on settings beyond valid values. The server and `nodal doctor` both check them. */
export const START_RULES: readonly ConfigRule[] = [findProductionProblems];

/** @throws ConfigError with the result of `findProductionProblems` */
export function checkProductionSettings(config: Config): void {
  const problems = findProductionProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
}

/** @throws ConfigError if NODAL_ENV is production and the database has the demo merchant */
export async function checkProductionData(config: Config, database: OpenDatabase): Promise<void> {
  if (config.NODAL_ENV !== "production" || !(await hasDemo(database))) return;
  throw new ConfigError(
    "NODAL_ENV",
    "is production, but this database has the demo merchant, whose keys were printed: start with an empty DATA_DIR or " +
      "database.",
  );
}
