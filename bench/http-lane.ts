// One connection of a load's process: POST requests with as little work for each as can be. A bare client, because
// node:http's costs more than it measures.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Lane, Phase } from "./load.ts";

const HOST = "127.0.0.1";
const EXPECTED_STATUS = "HTTP/1.1 200 ";

/** What a lane sends, and what every good answer to it has in its body. */
export type Requests = { readonly next: () => string; readonly expected: string };

/** The head of a request with a JSON body of `length` bytes, up to where the body begins. */
export function headOf(port: number, path: string, length: number, token?: string): string {
  const headers = [
    `POST ${path} HTTP/1.1`,
    `Host: ${HOST}:${port}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    "Content-Type: application/json",
    `Content-Length: ${length}`,
  ];
  return `${headers.join("\r\n")}\r\n\r\n`;
}

/** Requests one after the other on one connection, which is opened anew where the server has closed it. */
export function laneOn(port: number, requests: Requests): Lane {
  let socket: Socket | null = null;
  return async (phase: Phase) => {
    do {
      if (!socket || socket.destroyed || !socket.writable) {
        socket = connect(port, HOST);
        socket.setEncoding("latin1").setNoDelay(true);
        await once(socket, "connect");
      }
      await sendUntilClosed(socket, phase, requests);
    } while (!phase.isOver);
  };
}

/** Until the phase is over, or the server says with an answer that it closes the connection, or something fails. */
function sendUntilClosed(socket: Socket, phase: Phase, { next, expected }: Requests): Promise<void> {
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
      socket.write(next(), "latin1");
    };
    socket.on("data", (text: string) => {
      received = received === "" ? text : received + text;
      const answer = readAnswer(received, expected);
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

/** One answer, or `null` while it is not complete; `isLast` where the server closes the connection with it. */
function readAnswer(text: string, expected: string): { readonly isGood: boolean; readonly isLast: boolean } | null {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const head = text.slice(0, headEnd);
  const isLast = /\r\nconnection: *close/i.test(head);
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1];
  if (length === undefined) return { isGood: false, isLast };
  if (text.length < headEnd + 4 + Number(length)) return null;
  return { isGood: text.startsWith(EXPECTED_STATUS) && text.includes(expected, headEnd), isLast };
}
