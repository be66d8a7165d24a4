// A stand-in for a payout provider: a server on this machine that speaks its protocol, keeps a book of what it really
// paid, tells the caller of changes, and goes wrong where it is asked to. Paths, bodies and signatures are in
// cashfree.ts and razorpayx.ts.
import { setTimeout as sleep } from "node:timers/promises";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { parseJson, toJson } from "../src/platform/json.ts";
import { addControls } from "./controls.ts";
import { Desk, type DeskOptions } from "./desk.ts";
import type { CallFault, Operation } from "./faults.ts";
import type { Credentials, NoticeForm } from "./notices.ts";

/** What an answer is before it is written. */
export type Answer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What a provider's protocol is made of. */
export type Protocol = NoticeForm & {
  readonly name: string;
  /** Whether its fee and the tax on it come back with a payment that is reversed. */
  readonly returnsFees: boolean;
  /** Adds its routes; each says what it is for in `config.operation`. */
  addRoutes(app: FastifyInstance, desk: Desk): void;
  isAuthentic(request: FastifyRequest, credentials: Credentials): boolean;
  /** Whether a call proves who makes it, where its address is not listed. No provider but Cashfree asks. */
  isSigned?(request: FastifyRequest, desk: Desk): boolean;
  /** How it words what has gone wrong; `null` where that is no error for it. */
  refusal(problem: Problem): Answer | null;
};

export type Problem =
  | "credentials"
  | "not_listed"
  | "too_many"
  | "error"
  | "not_found"
  | "low_balance"
  | "unknown_payee";

declare module "fastify" {
  interface FastifyContextConfig {
    operation?: Operation;
  }
  interface FastifyRequest {
    fault: CallFault | null;
  }
}

/** How long a silent call takes: longer than callers wait. */
const SILENCE_MS = 25_000;
const LOOK_MS = 25;

export type StandIn = {
  /** The provider that it stands in for. */
  readonly name: string;
  readonly url: string;
  readonly desk: Desk;
  readonly stop: () => Promise<void>;
};

/** Makes a stand-in that listens nowhere yet, and looks at its clock only when it is called. */
export function makeStandIn(protocol: Protocol, options: DeskOptions): { app: FastifyInstance; desk: Desk } {
  const desk = new Desk(options, protocol);
  const app = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => {
    try {
      done(null, parseJson(String(body)));
    } catch (error) {
      done(error as Error);
    }
  });
  // The npm clients send this type with a body that is empty.
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(body === "" ? null : new Error("The body must be JSON."), {}),
  );
  app.decorateRequest("fault", null);
  app.setReplySerializer(toJson);
  app.addHook("preHandler", (request, reply) => meet(request, reply, desk, protocol));
  app.addHook("onSend", spoil);
  protocol.addRoutes(app, desk);
  addControls(app, desk);
  app.setNotFoundHandler((_request, reply) => give(reply, protocol.refusal("not_found")!));
  return { app, desk };
}

/** Starts a stand-in on 127.0.0.1, at a port or at any (`0`). */
export async function startStandIn(
  protocol: Protocol,
  { port, ...options }: DeskOptions & { readonly port: number },
): Promise<StandIn> {
  const { app, desk } = makeStandIn(protocol, options);
  const timer = setInterval(() => desk.look(), LOOK_MS);
  await app.listen({ port, host: "127.0.0.1" });
  const address = app.server.address() as { port: number };
  return {
    name: protocol.name,
    url: `http://127.0.0.1:${address.port}`,
    desk,
    stop: async () => {
      clearInterval(timer);
      await desk.notices.stop();
      await app.close();
      desk.book.close();
    },
  };
}

/** Whether a key id is the account's: `id`, or `id`, a dot and a name, since owners that share a stand-in need a key each. */
export function isKeyOf(id: string, given: unknown): boolean {
  return typeof given === "string" && (given === id || given.startsWith(`${id}.`));
}

/** Whether something that was read turned out to be the answer that refuses it. */
export function isAnswer(read: object): read is Answer {
  return "status" in read && "body" in read;
}

/** Sends an answer. */
export function give(reply: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  return reply
    .code(status)
    .headers(headers ?? {})
    .type("application/json")
    .send(body);
}

/** What happens to a call before it is worked on. */
async function meet(request: FastifyRequest, reply: FastifyReply, desk: Desk, protocol: Protocol): Promise<unknown> {
  const { operation } = request.routeOptions.config;
  if (operation === undefined) return undefined;
  if (!desk.isListed && !protocol.isSigned?.(request, desk)) return give(reply, protocol.refusal("not_listed")!);
  if (!protocol.isAuthentic(request, desk.credentials)) return give(reply, protocol.refusal("credentials")!);
  request.fault = desk.faults.ofCall(operation);
  desk.tick();
  if (request.fault === "lost_before") {
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }
  const problem = desk.takesOneMore() ? problemOf(request.fault, operation) : "too_many";
  const refused = problem && protocol.refusal(problem);
  return refused ? give(reply, refused) : undefined;
}

/** What a fault says is wrong with a call, before any work is done. */
function problemOf(fault: CallFault | null, operation: Operation): Problem | null {
  if (fault === "too_many") return "too_many";
  if (fault === "error_before") return "error";
  if ((fault === "low_balance" || fault === "unknown_payee") && operation === "submit") return fault;
  return null;
}

/** What happens to an answer once the work is done. */
async function spoil(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { fault } = request;
  if (fault === "lost_after") request.raw.socket.destroy();
  if (fault === "silence") await sleep(SILENCE_MS, undefined, { ref: false });
  if (fault === "error_after") {
    reply.code(502).type("text/html");
    return "<html><body>502 Bad Gateway</body></html>";
  }
  return fault === "malformed" ? String(payload).slice(0, Math.floor(String(payload).length / 2)) : payload;
}
