// An installation as a newcomer has it: the demo merchant of a first start, and the server's default rate limits.
import { once } from "node:events";
import { readSettings } from "../../src/platform/settings-file.ts";
import { NodalProcess, removeDataDir, type Environment } from "./nodal.ts";
import { makePreparedDataDir } from "./prepared-data.ts";

export type DemoInstallation = {
  readonly baseUrl: string;
  /** For commands that work on the same data. */
  readonly environment: Environment;
  readonly merchantId: string;
  readonly keys: { readonly access_key_id: string; readonly secret_access_key: string };
  /** The user of the dashboard. */
  readonly owner: { readonly email: string; readonly password: string };
  readonly stop: () => Promise<void>;
};

/** Starts a server on a new data folder, and reads the demo merchant's keys from what it prints, as a newcomer does. */
export async function startDemo(settings: Environment = {}): Promise<DemoInstallation> {
  const environment = { DATA_DIR: await makePreparedDataDir() };
  const { RATE_LIMIT_PER_MINUTE: perMinute } = readSettings({ NODAL_SETTINGS_FILE: "/dev/null" });
  const server = await NodalProcess.start({ ...environment, RATE_LIMIT_PER_MINUTE: String(perMinute), ...settings });
  const stop = async (): Promise<void> => {
    await server.stop();
    await removeDataDir(environment.DATA_DIR);
  };
  try {
    const printed = (name: string): string => new RegExp(`^ +${name} +(\\S+)$`, "m").exec(server.output)?.[1] ?? "";
    // The server answers before it makes the demo merchant.
    while (printed("secret_access_key") === "") await once(server.child.stdout!, "data");
    const keys = { access_key_id: printed("access_key_id"), secret_access_key: printed("secret_access_key") };
    const [, email = "", password = ""] = /as (\S+) with the password (\S+) at/.exec(server.output) ?? [];
    const merchantId = printed("merchant_id");
    return { baseUrl: server.baseUrl, environment, merchantId, keys, owner: { email, password }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
