// `nodal webhook listen`: a local receiver that verifies and prints events. Sending is in src/webhooks.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { fieldRefusal, type NodalError } from "../platform/errors.ts";
import { optional, wholeNumber } from "../platform/http/fields.ts";
import { readSettings } from "../platform/settings-file.ts";
import { createEndpoint, describeEndpoint, disable, eventTypes, listAttempts } from "../webhooks/index.ts";
import { merchantCommand, option, type MerchantScope } from "./command.ts";
import { untilSignalOr } from "./on-database.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** How often it checks for failed deliveries. */
const LOOK_MS = 1000;

type Heard = { received: number; refused: number };
type Message = {
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly data: unknown;
};

/** Accepts events signed with the secret, and prints a line for each; refuses others with 401. */
class LocalReceiver {
  readonly heard: Heard = { received: 0, refused: 0 };
  readonly #server: Server;
  readonly #print: (line: string) => void;
  #secret = "";
  /** Has it received the requested number of events? */
  #isFull = (): boolean => false;
  #heardOne: () => void = () => {};

  private constructor(server: Server, print: (line: string) => void) {
    this.#server = server;
    this.#print = print;
    server.on("request", (request: IncomingMessage, response) => {
      void this.#take(request).then((status) => response.writeHead(status).end());
    });
  }

  /** Listens on this machine only. @throws NodalError `validation_failed` if the port is taken */
  static async start(port: number, print: (line: string) => void): Promise<LocalReceiver> {
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
      throw fieldRefusal("validation_failed", "port", `can't listen on ${port}: ${error.message}.`);
    });
    return new LocalReceiver(server, print);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /**
   * Resolves after this many events, or on a signal; `null` for no limit.
   * @throws as `refused` does
   */
  async listen(secret: string, count: number | null, refused: Promise<never>): Promise<void> {
    this.#secret = secret;
    this.#isFull = () => count !== null && this.heard.received >= count;
    const heardAll = new Promise<void>((resolve) => {
      this.#heardOne = () => {
        if (this.#isFull()) resolve();
      };
    });
    await untilSignalOr(Promise.race([heardAll, refused]));
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage): Promise<number> {
    // Nodal sends several at once: events after the last requested one are refused.
    if (this.#isFull()) return 503;
    let message: Message;
    try {
      const body = await readBody(request);
      const headers = request.headers as Record<string, string>;
      message = new Webhook(this.#secret).verify(body, headers) as Message;
    } catch (error) {
      this.heard.refused += 1;
      this.#print(`refused: ${(error as Error).message}`);
      return 401;
    }
    this.heard.received += 1;
    const { timestamp, sequence, type, data } = message;
    this.#print(`${timestamp} ${type} sequence ${sequence} ${JSON.stringify(data)}`);
    setImmediate(this.#heardOne);
    return 204;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MAX_BODY_BYTES) throw new Error("the body is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * Prints each reason for failed deliveries once, until `stop` is called. `refused` rejects if the server refuses
 * private addresses, since then no event can arrive.
 */
function watchFailures(
  scope: MerchantScope,
  endpointId: bigint,
  print: (line: string) => void,
): { readonly stop: () => void; readonly refused: Promise<never> } {
  const told = new Set<string>();
  const { promise: refused, reject } = Promise.withResolvers<never>();
  refused.catch(() => undefined);
  const look = async (): Promise<void> => {
    const failures = await listAttempts(
      scope.pool,
      { ...scope.merchant, endpointId },
      { eventNo: null, succeeded: false, limit: 20 },
    );
    for (const { error } of failures) {
      if (told.has(error)) continue;
      told.add(error);
      print(`The server could not send: ${error}`);
      if (error.includes("WEBHOOK_ALLOW_PRIVATE")) reject(serverRefuses());
    }
  };
  const timer = setInterval(() => {
    // A failed check is repeated the next time.
    look().catch(() => undefined);
  }, LOOK_MS);
  return { stop: () => clearInterval(timer), refused };
}

function serverRefuses(): NodalError {
  const message =
    "The server refuses private addresses: restart it with WEBHOOK_ALLOW_PRIVATE=on. The endpoint is disabled.";
  return fieldRefusal("validation_failed", "WEBHOOK_ALLOW_PRIVATE", message);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export const listenCommand = merchantCommand({
  description: "receive events locally, check their signatures and print them, until Ctrl-C; for testing",
  example: "--port 3000 --events 'transfer.*'",
  options: {
    port: option("<n>", "port to listen on; default: a free one", optional(wholeNumber(1, 65_535))),
    events: option("<types>", "event types, such as transfer.*,invoice.paid; default: all", optional(eventTypes())),
    count: option("<n>", "stop after this many events", optional(wholeNumber(1, 1_000_000))),
  },
  async run(scope, { port, events, count }) {
    if (readSettings(process.env).WEBHOOK_ALLOW_PRIVATE !== "on") {
      const message =
        "Events can't be sent to a private address: set WEBHOOK_ALLOW_PRIVATE=on for the server and for this command.";
      throw fieldRefusal("validation_failed", "WEBHOOK_ALLOW_PRIVATE", message);
    }
    const print = (line: string): void => void process.stderr.write(`${line}\n`);
    const receiver = await LocalReceiver.start(port ?? 0, print);
    try {
      const draft = { url: receiver.url, eventTypes: events, description: "nodal webhook listen" };
      const { endpoint, secret } = await createEndpoint(scope, draft);
      print(`listening at ${receiver.url} as endpoint ${endpoint.endpointId}, whose secret is ${secret}`);
      const { stop, refused: serverRefused } = watchFailures(scope, endpoint.endpointId, print);
      let ended = endpoint;
      try {
        await receiver.listen(secret, count, serverRefused);
      } finally {
        stop();
        ended = await disable(scope, endpoint.endpointId);
      }
      const json = { ...describeEndpoint(ended, scope.merchant), ...receiver.heard };
      const { received, refused } = receiver.heard;
      return {
        json,
        text: `${counted(received, "event")} received, ${counted(refused, "request")} refused. The endpoint is disabled.`,
      };
    } finally {
      await receiver.close();
    }
  },
});
