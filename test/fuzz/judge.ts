// What must hold of every answer, whatever was asked: the rules beyond the document, and the watch over the database.
// Each rule throws where it is broken, so that fast-check shrinks.
import type { ApiDocument } from "./api-document.ts";
import type { FuzzRequest } from "./fuzz-request.ts";
import type { Exchange, Reply } from "./raw-http.ts";
import type { Stage } from "./stage.ts";

/** Traces of the server's inside: stack frames, files, SQL, the database's words. */
const INSIDE =
  /\bat [\w.<>]+ \(|node:internal|\.ts:\d+|node_modules|\bselect\b.+\bfrom\b|insert into|violates|pg_|relation "/i;
/** Refusals that come late: the request was understood, and work on it may have begun. */
const LATE_REFUSALS = [403, 404, 409, 422];
/** The state is read after so many early refusals at most. */
const UNREAD_AT_MOST = 16;

export class Judge {
  readonly #document: ApiDocument;
  readonly #stage: Stage;
  #state: string | null = null;
  #unread: FuzzRequest[] = [];
  /** How often each status was answered. */
  readonly statuses = new Map<number, number>();

  constructor(document: ApiDocument, stage: Stage) {
    this.#document = document;
    this.#stage = stage;
  }

  /** Sends a request to the API and sees that every rule holds. */
  async try(request: FuzzRequest): Promise<void> {
    this.#state ??= await this.#stage.readState();
    const reply = this.#replyOf(request, await request.send(this.#stage.port));
    if (reply === null) return;
    const fault = this.#findFault(request, reply);
    if (fault !== null) throw new Error(`${fault}: ${bodyOf(reply)}`);
    await this.#watch(request, reply);
  }

  /** Sends a request for a page that people open and sees that every rule holds. */
  async tryPage(request: FuzzRequest): Promise<void> {
    const reply = this.#replyOf(request, await request.send(this.#stage.port));
    if (reply === null) return;
    const { status, headers } = reply;
    const isPage = /^(text\/html|application\/pdf)/.test(headers.get("content-type") ?? "");
    if (isPage && (status === 200 || status === 404)) return;
    const { method } = request.parts;
    const fault = this.#isOfProtocol(request, reply) ? null : this.#document.findFault(method, pathOf(request), reply);
    if (fault !== null) throw new Error(`${fault}: ${bodyOf(reply)}`);
  }

  /** Compares once more, where the last requests were refused. */
  async conclude(): Promise<void> {
    if (this.#state !== null && this.#unread.length > 0) await this.#compareState();
    this.#state = null;
  }

  /** The one reply, without anything that no reply may have; `null` where the connection was rightly closed. */
  #replyOf(request: FuzzRequest, { replies, isHung }: Exchange): Reply | null {
    if (isHung) throw new Error("neither answered nor closed in time");
    const [reply] = replies;
    if (reply === undefined) {
      if (request.mustBeAnswered) throw new Error("closed without an answer");
      return null;
    }
    this.statuses.set(reply.status, (this.statuses.get(reply.status) ?? 0) + 1);
    if (reply.status === 408) throw new Error("the server waited for more than was announced");
    if (!(reply.status >= 200 && reply.status < 500)) throw new Error(`status ${reply.status}: ${bodyOf(reply)}`);
    const text = reply.body.toString("utf8");
    const told = this.#stage.secrets.find((secret) => text.includes(secret));
    if (told !== undefined) throw new Error(`the answer tells the secret ${told}: ${bodyOf(reply)}`);
    if (reply.status >= 400 && INSIDE.test(text)) throw new Error(`shows the inside of the server: ${bodyOf(reply)}`);
    return reply;
  }

  #findFault(request: FuzzRequest, reply: Reply): string | null {
    // The dashboard's page, where a path was changed into its own.
    if (pathOf(request) === "/" && reply.status === 200) return null;
    const fault = this.#document.findFault(request.parts.method, pathOf(request), reply);
    return fault !== null && this.#isOfProtocol(request, reply) ? null : fault;
  }

  /** Whether Node refused the HTTP itself: then the connection is closed, and no route was asked. */
  #isOfProtocol({ parts }: FuzzRequest, reply: Reply): boolean {
    return (
      reply.headers.get("connection") === "close" && this.#document.findFaultOfProtocol(parts.method, reply) === null
    );
  }

  async #watch(request: FuzzRequest, { status }: Reply): Promise<void> {
    if (status < 400) {
      this.#state = null;
      this.#unread = [];
      return;
    }
    this.#unread.push(request);
    if (LATE_REFUSALS.includes(status) || this.#unread.length >= UNREAD_AT_MOST) await this.#compareState();
  }

  async #compareState(): Promise<void> {
    const before = this.#state;
    this.#state = await this.#stage.readState();
    const refused = this.#unread;
    this.#unread = [];
    if (before === this.#state) return;
    const list = refused.map(String).join("\n");
    throw new Error(`refused requests changed something:\n${before}\n${this.#state}\nThe requests:\n${list}`);
  }
}

function bodyOf({ body }: Reply): string {
  return body.toString("utf8").slice(0, 600);
}

/** Without its query, decoded as far as a router decodes it. */
function pathOf(request: FuzzRequest): string {
  // HTTP lets a target name its host too.
  const path = request.parts.target.replace(/^http:\/\/[^/]*/, "").replace(/[?#].*$/s, "");
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
