// The load's process for HTTP: transfers over keep-alive connections, with as little work for each as can be. A bare
// client, because node:http's costs more than it measures.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Payer } from "./installation.ts";
import { serveLoad, type Lane, type Phase } from "./load.ts";

export type HttpLoadSetup = {
  readonly port: number;
  readonly connections: number;
  /** The merchants that pay, each its own beneficiary. */
  readonly payers: readonly Payer[];
};

const HOST = "127.0.0.1";
/** Every request has its own; the width is fixed so that a payer's requests all have one length. */
const REFERENCE_DIGITS = 12;
const EXPECTED_STATUS = "HTTP/1.1 200 ";
const EXPECTED_BODY = '"status":"1"';

/** A payer's request, but for amount and reference. */
type Template = { readonly head: string; readonly between: string; readonly tail: string };

function makeTemplates({ port, payers }: Pick<HttpLoadSetup, "port" | "payers">): Template[] {
  return payers.map(({ token, beneficiaryId }) => {
    const bodyHead = `{"beneficiary_id":"${beneficiaryId}","amount":"`;
    const between = `","reference_id":"bench-`;
    const tail = `","narrative":"Benchmark"}`;
    const length = `${bodyHead}0.00${between}${"0".repeat(REFERENCE_DIGITS)}${tail}`.length;
    const headers = [
      "POST /api/v1/beneficiary/transfer HTTP/1.1",
      `Host: ${HOST}:${port}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${length}`,
    ];
    return { head: `${headers.join("\r\n")}\r\n\r\n${bodyHead}`, between, tail };
  });
}

let lastReference = 0;

/** A new transfer of 1.00 to 9.99 by a payer at random. */
function nextRequest(templates: readonly Template[]): string {
  const { head, between, tail } = templates[Math.floor(Math.random() * templates.length)]!;
  const paise = String(100 + Math.floor(Math.random() * 900));
  const reference = String((lastReference += 1)).padStart(REFERENCE_DIGITS, "0");
  return `${head}${paise[0]}.${paise.slice(1)}${between}${reference}${tail}`;
}

/** One answer, or `null` while it is not complete; `isLast` where the server closes the connection with it. */
function readAnswer(text: string): { readonly isGood: boolean; readonly isLast: boolean } | null {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const head = text.slice(0, headEnd);
  const isLast = /\r\nconnection: *close/i.test(head);
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1];
  if (length === undefined) return { isGood: false, isLast };
  if (text.length < headEnd + 4 + Number(length)) return null;
  return { isGood: text.startsWith(EXPECTED_STATUS) && text.includes(EXPECTED_BODY, headEnd), isLast };
}

/** Requests one after the other on one connection, which is opened anew where the server has closed it. */
function laneOn(port: number, templates: readonly Template[]): Lane {
  let socket: Socket | null = null;
  return async (phase: Phase) => {
    do {
      if (!socket || socket.destroyed || !socket.writable) {
        socket = connect(port, HOST);
        socket.setEncoding("latin1").setNoDelay(true);
        await once(socket, "connect");
      }
      await sendUntilClosed(socket, phase, templates);
    } while (!phase.isOver);
  };
}

/** Until the phase is over, or the server says with an answer that it closes the connection, or something fails. */
function sendUntilClosed(socket: Socket, phase: Phase, templates: readonly Template[]): Promise<void> {
  return new Promise((resolve) => {
    let received = "";
    let sentAtMs = 0;
    const end = (why: string | null): void => {
      socket.removeAllListeners();
      if (why === null) socket.on("error", () => {});
      else phase.failed(why);
      resolve();
    };
    const send = (): void => {
      if (phase.isOver) return end(null);
      received = "";
      sentAtMs = performance.now();
      socket.write(nextRequest(templates), "latin1");
    };
    socket.on("data", (text: string) => {
      received = received === "" ? text : received + text;
      const answer = readAnswer(received);
      if (answer === null) return;
      if (answer.isGood) phase.succeeded(performance.now() - sentAtMs);
      else phase.failed(received);
      if (answer.isLast) {
        end(null);
        socket.destroy();
      } else send();
    });
    socket.on("error", (error) => end(error.message));
    socket.on("close", () => end("the server closed the connection"));
    send();
  });
}

serveLoad(async (setup: HttpLoadSetup) => {
  const templates = makeTemplates(setup);
  return Array.from({ length: setup.connections }, () => laneOn(setup.port, templates));
});
