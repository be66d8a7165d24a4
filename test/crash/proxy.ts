// A TCP proxy that can cut every connection through it in the middle of whatever is on its way, or hold all of them.
// What goes through it is not looked at.
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** From where to where. */
  readonly #ways = new Map<Socket, Socket>();
  #isHeld = false;

  private constructor(targetPort: number) {
    this.#server = createServer((client) => {
      const target = connect(targetPort, "127.0.0.1");
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        this.#sockets.add(from);
        this.#ways.set(from, to);
        from.on("error", () => {});
        from.once("close", () => {
          this.#sockets.delete(from);
          this.#ways.delete(from);
          to.destroy();
        });
        if (!this.#isHeld) from.pipe(to);
      }
    });
  }

  /** Listens on a free port, and passes on to the port of this machine. */
  static async open(targetPort: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(targetPort);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Cuts all connections at once, on both sides. New ones are taken. Returns how many it has cut. */
  cut(): number {
    const cut = [...this.#sockets];
    for (const socket of cut) socket.resetAndDestroy();
    return cut.length / 2;
  }

  /** From now on nothing is passed on: connections stay open, and new ones are taken. */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    for (const [from, to] of this.#ways) from.unpipe(to).pause();
  }

  /** Passes on what has come meanwhile, also of connections that were closed since. */
  letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    for (const [from, to] of this.#ways) from.pipe(to);
  }

  /** Cuts what is left and takes no more. */
  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, "close");
  }
}
