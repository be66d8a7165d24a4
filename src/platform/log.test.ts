// Log lines are always JSON, hide secrets by their names, and stay short.
import { expect, test } from "vitest";
import { createLogger, type Logger } from "./log.ts";

const LONG = "x".repeat(600_000);

/** The line that a logger writes. */
function lineOf(write: (logger: Logger) => void): string {
  const lines: string[] = [];
  write(createLogger("info", { write: (line) => lines.push(line) }));
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

test.each<[string, object]>([
  ["text", { reason: LONG }],
  ["an error's text and stack", { err: new Error(LONG) }],
  ["an error's cause", { err: new Error("short", { cause: new Error(LONG) }) }],
  ["an error's members", { err: Object.assign(new Error("short"), { detail: LONG, rows: [LONG, { deep: LONG }] }) }],
  ["many errors in one", { err: new AggregateError(Array.from({ length: 60 }, () => new Error(LONG))) }],
  ["an error that is nested in a list", { reasons: [{ err: new Error(LONG) }] }],
  ["bytes", { packet: Buffer.from(LONG) }],
  ["a long list", { ids: Array.from({ length: 200_000 }, (_, index) => index) }],
  ["deep nesting", { a: { b: { c: { d: { e: { f: LONG } } } } } }],
  ["an object with many members", Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`n${index}`, 1]))],
])("%s makes no long line", (_, fields) => {
  const line = lineOf((logger) => logger.error(fields, "something went wrong"));
  expect(line.length).toBeLessThan(512 * 1024);
  expect(JSON.parse(line)).toMatchObject({ level: "error", msg: "something went wrong" });
});

test("what is short is written as it is, but for the connection of a driver's error", () => {
  const err = Object.assign(new Error("no"), { code: "23505", detail: "Key exists.", client: { password: "hunter2" } });
  const fields = { err, merchant: "7", at: Temporal.Instant.from("2026-11-21T10:00:00Z"), ids: [1, 2], none: null };
  expect(JSON.parse(lineOf((logger) => logger.warn(fields, "refused")))).toMatchObject({
    err: {
      type: "Error",
      message: "no",
      code: "23505",
      detail: "Key exists.",
      stack: expect.stringContaining("Error: no"),
    },
    merchant: "7",
    at: "2026-11-21T10:00:00Z",
    ids: [1, 2],
    none: null,
    msg: "refused",
  });
  expect(lineOf((logger) => logger.warn(fields, "refused"))).not.toContain("hunter2");
});

test("what is secret by its name is hidden at any depth, in errors too, whatever its case", () => {
  const secrets = { token: "t0ps3cret", sent: { secret_access_key: "t0ps3cret", Password: "t0ps3cret" } };
  const headers = {
    authorization: "Bearer t0ps3cret",
    cookie: "__Host-nodal=t0ps3cret",
    "Set-Cookie": ["t0ps3cret"],
    "x-nodal-csrf": "t0ps3cret",
    "user-agent": "curl",
  };
  const raw = { body: "t0ps3cret", rawHeaders: ["Cookie", "t0ps3cret"] };
  const err = Object.assign(new Error("no"), { request: { headers, ...raw } });
  const line = lineOf((logger) => logger.info({ ...secrets, headers, request: { raw: { headers } }, err }, "told"));
  expect(line).not.toContain("t0ps3cret");
  expect(JSON.parse(line)).toMatchObject({
    token: "[hidden]",
    headers: { cookie: "[hidden]", "Set-Cookie": "[hidden]", "user-agent": "curl" },
    request: { raw: { headers: { authorization: "[hidden]", cookie: "[hidden]" } } },
    err: { message: "no", request: { headers: { cookie: "[hidden]" }, body: "[hidden]" } },
  });
});
