// How to reach a cluster: its port and password, kept in a file of its home that only its owner may read.
import { randomBytes, randomInt } from "node:crypto";
import { chown, open, readFile, rename } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Account } from "./account.ts";
import { EmbeddedDatabaseError } from "./errors.ts";

export type ConnectionSettings = { readonly port: number; readonly password: string };

export const USER = "nodal";
export const DATABASE = "nodal";
export const HOST = "127.0.0.1";

const FILE_NAME = "connection.json";
// Below the ports that systems hand out to outgoing connections, so that the chosen one stays free over restarts.
const PORT_MINIMUM = 15_000;
const PORT_MAXIMUM = 32_000;
const PORT_TRIES = 200;

/** The URL of the database, as its owner. */
export function urlOf({ port, password }: ConnectionSettings): string {
  return `postgres://${USER}:${password}@${HOST}:${port}/${DATABASE}`;
}

/** Could a server listen on this port now? */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: HOST, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** A free port. */
export async function chooseFreePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_TRIES; attempt += 1) {
    const port = randomInt(PORT_MINIMUM, PORT_MAXIMUM);
    if (await isPortFree(port)) return port;
  }
  throw new EmbeddedDatabaseError(
    `There is no free port for PostgreSQL from ${PORT_MINIMUM} to ${PORT_MAXIMUM} on ${HOST}. Free one, or set DATABASE_URL.`,
  );
}

/** Reads the connection settings of the cluster in `home`. */
export async function readConnection(home: string): Promise<ConnectionSettings> {
  const file = join(home, FILE_NAME);
  try {
    const { port, password } = JSON.parse(await readFile(file, "utf8")) as Partial<ConnectionSettings>;
    if (typeof port === "number" && typeof password === "string") return { port, password };
  } catch (error) {
    throw new EmbeddedDatabaseError(`${file} can't be read; restore it from a backup of the data folder.`, error);
  }
  throw new EmbeddedDatabaseError(`${file} has no port and password; restore it from a backup of the data folder.`);
}

/** Writes the file in one step, so that a reader or a power cut never sees half of it. */
export async function writeConnection(
  home: string,
  settings: ConnectionSettings,
  owner: Account | undefined,
): Promise<void> {
  const draft = join(home, `.${FILE_NAME}-${randomBytes(4).toString("hex")}`);
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(settings)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  if (owner) await chown(draft, owner.uid, owner.gid);
  await rename(draft, join(home, FILE_NAME));
}
