// Mail and messages for tests: servers that receive, refuse or delay as configured, and record what they receive. No assertions.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { json } from "node:stream/consumers";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

/** A received mail, as its reader sees it, with the sender and recipient of its envelope. */
export type Received = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly mail: Email;
};

type Envelope = {
  readonly mailFrom: { readonly address: string } | false;
  readonly rcptTo: readonly { readonly address: string }[];
};

/** A refusal with its reply, such as `550 5.1.1 No such user`. */
type Refusal = string | null;

/** A mail server on a free port of this machine. */
export class MailServer {
  readonly received: Received[] = [];
  /** Asked at each recipient; returns the reply that refuses it, or `null`. */
  refuseRecipient: (address: string) => Refusal = () => null;
  /** Awaited once a mail has arrived: a refused one counts as not received. */
  refuseMail: (received: Received) => Refusal | Promise<Refusal> = () => null;
  #server: SMTPServer | null = null;
  #port = 0;

  static async start(port = 0): Promise<MailServer> {
    const server = new MailServer();
    await server.listen(port);
    return server;
  }

  /** Where it listens, also while it does not. */
  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** The mails to an address, in the order in which they came. */
  to(address: string): Email[] {
    return this.received.filter(({ to }) => to.includes(address)).map(({ mail }) => mail);
  }

  async listen(port = this.#port): Promise<void> {
    const server = new SMTPServer({
      disabledCommands: ["AUTH", "STARTTLS"],
      authOptional: true,
      disableReverseLookup: true,
      closeTimeout: 100,
      onRcptTo: (address, _session, callback) => callback(toError(this.refuseRecipient(address.address))),
      onData: (stream, session, callback) => void this.#answer(stream, session.envelope, callback),
    });
    // A killed sender breaks its connection.
    server.on("error", () => {});
    const listener = server.listen(port, "127.0.0.1");
    await once(listener, "listening");
    this.#port = (listener.address() as { port: number }).port;
    this.#server = server;
  }

  /** Stops listening. What was received stays. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  async #answer(
    stream: AsyncIterable<Buffer>,
    envelope: Envelope,
    callback: (error: Error | null) => void,
  ): Promise<void> {
    try {
      callback(toError(await this.#receive(stream, envelope)));
    } catch (error) {
      callback(error as Error);
    }
  }

  async #receive(stream: AsyncIterable<Buffer>, envelope: Envelope): Promise<Refusal> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const received: Received = {
      from: envelope.mailFrom ? envelope.mailFrom.address : "",
      to: envelope.rcptTo.map(({ address }) => address),
      raw: raw.toString("latin1"),
      mail: await PostalMime.parse(raw),
    };
    const refusal = await this.refuseMail(received);
    if (refusal === null) this.received.push(received);
    return refusal;
  }
}

function toError(refusal: Refusal): Error | null {
  if (refusal === null) return null;
  const [, code, message] = /^([0-9]{3}) (.*)$/s.exec(refusal)!;
  return Object.assign(new Error(message), { responseCode: Number(code) });
}

/** A connector for messages to phones: it records them, and answers with `status`. */
export class MessageReceiver {
  readonly received: unknown[] = [];
  status = 200;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<MessageReceiver> {
    const server = createServer((request, response) => {
      json(request)
        .then((body) => {
          receiver.received.push(body);
          response.writeHead(receiver.status).end("said so");
        })
        .catch(() => response.destroy());
    });
    const receiver = new MessageReceiver(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/messages`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
