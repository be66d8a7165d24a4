// What is odd about HTTP itself: headers, paths, queries, tokens, and whole connections. How they are put into requests
// is in odd-requests.ts.
import fc, { type Arbitrary } from "fast-check";
import type { Header } from "./fuzz-request.ts";

/** A token that nobody has, to be looked for in logs and answers. */
export const WRONG_TOKEN = "nk_1_1_fuzzcanarytoken.99999999999999.fuzz.canarysignature";

/** Headers that come on top of the usual ones. Bytes are Latin-1. */
export function oddHeaders(): Arbitrary<Header[]> {
  const long = "x".repeat(9000);
  const many = (count: number): Header[] => Array.from({ length: count }, (_, index) => [`X-H-${index}`, "x"]);
  const keys = fc.constantFrom("k1", "k2", "k3", "k4").map((key): Header[] => [["Idempotency-Key", key]]);
  const odd = fc.constantFrom<Header[]>(
    ...["", " ", "a".repeat(255), "a".repeat(256), "\xe9", "a\tb", "a, b", "__proto__", "\x7f"].map((key): Header[] => [
      ["Idempotency-Key", key],
    ]),
    [
      ["Idempotency-Key", "k1"],
      ["Idempotency-Key", "k2"],
    ],
    [["X-Forwarded-For", "not an address, 10.0.0.1"]],
    [["Forwarded", "for=1.2.3.4"]],
    [["X-Request-Id", "mine\xff"]],
    [["Content-Encoding", "gzip"]],
    [["Content-Encoding", "identity"]],
    [["Content-Encoding", "br, gzip"]],
    [["Expect", "100-continue"]],
    [["Expect", "the impossible"]],
    [
      ["Accept", "text/html"],
      ["Accept-Encoding", "gzip"],
    ],
    [
      ["Origin", "https://evil.example"],
      ["Access-Control-Request-Method", "POST"],
    ],
    [
      ["Range", "bytes=0-1"],
      ["If-None-Match", "*"],
    ],
    [
      ["Upgrade", "websocket"],
      ["Sec-WebSocket-Key", "x"],
    ],
    [["X-HTTP-Method-Override", "DELETE"]],
    [["Cookie", long]],
    [["Host", "two.example"]],
    [["Transfer-Encoding", "gzip"]],
    [["X-Null", "a\0b"]],
    [["X Space", "x"]],
    [["", "no name"]],
    [["X-Fold", "a\r\n b"]],
    [
      ["__proto__", "x"],
      ["constructor", "x"],
    ],
    [
      ["X-Long", long],
      ["X-Longer", long],
    ],
    many(100),
    many(1500),
  );
  return fc.oneof({ arbitrary: keys, weight: 2 }, { arbitrary: odd, weight: 3 });
}

export function oddContentTypes(): Arbitrary<string[]> {
  return fc.constantFrom(
    [],
    [""],
    ["text/plain"],
    ["application/jsonx"],
    ["application/json, application/json"],
    ["application/json", "text/plain"],
    ["text/plain", "application/json"],
    ["application/json; charset=latin1"],
    ["application/json; charset="],
    ['application/json; charset="UTF-8"; x=y'],
    ["APPLICATION/JSON"],
    ["application/json;"],
    ["application/problem+json"],
    ["application"],
    ["/"],
    [`application/json; x=${"y".repeat(5000)}`],
    ["application/json\xff"],
    ["multipart/form-data; boundary=x"],
    ["application/x-www-form-urlencoded"],
  );
}

/** Values of Authorization: another merchant's token, a wrong one, none, several. */
export function oddTokens(other: string, usual: string): Arbitrary<string[]> {
  return fc.constantFrom(
    [`Bearer ${other}`],
    [],
    [""],
    ["Bearer"],
    [`bearer   ${usual}  `],
    [usual],
    [`Basic ${usual}`],
    [`Bearer ${WRONG_TOKEN}`],
    [`Bearer ${usual.slice(0, -1)}`],
    [`Bearer ${usual}.x`],
    [`Bearer ${usual.replace(/\.[0-9]+\./, ".9e99.")}`],
    [`Bearer ${"x.".repeat(4000)}`],
    ["Bearer \xff\xfe"],
    ["Bearer ...."],
    [`Bearer ${usual}`, `Bearer ${other}`],
  );
}

/** Changes of a path. */
export function oddPaths(): Arbitrary<(target: string) => string> {
  return fc.constantFrom<(target: string) => string>(
    (target) => `${target}/`,
    (target) => `/${target}`,
    (target) => target.replaceAll("/", "//"),
    (target) => target.replace(/\/([^/]*)$/, "/./$1"),
    (target) => `${target}/../../etc`,
    (target) => target.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    (target) => target.replace(/\/([^/]*)$/, "%2f$1"),
    (target) => `${target}%00`,
    (target) => `${target}%zz`,
    (target) => `${target}%`,
    (target) => `${target}%ff%fe`,
    (target) => `${target}%ed%a0%80`,
    (target) => target.toUpperCase(),
    (target) => `${target};a=b`,
    (target) => `${target}#fragment`,
    (target) => `${target}\xff`,
    (target) => `${target}\t`,
    (target) => `http://evil.example${target}`,
    (target) => `${target}/${"a".repeat(5000)}`,
    (target) => `${target}/${"a".repeat(100_000)}`,
    (target) => `${target}/${"a/".repeat(5000)}`,
    (target) => target.replace(/\/[^/]*$/, ""),
    (target) => target.replace(/[^/]*$/, ":x"),
    (target) => target.replace(/[^/]*$/, "__proto__"),
    () => "*",
    () => "",
    () => "/",
    () => "/%2e%2e/",
    () => "//",
  );
}

/** What may come after a question mark. */
export function oddQueries(): Arbitrary<string> {
  return fc.constantFrom(
    "",
    "?",
    "&&&===",
    "page=1&page=2",
    "page[]=1",
    "page[a]=1&limit[__proto__]=2",
    "__proto__=1&constructor=2",
    "page=%00&limit=%ff",
    "page=1e3&limit=NaN",
    "page=-1&limit=0",
    "page=9007199254740993",
    "page=%F0%9F%99%82",
    "page=%ed%a0%80",
    `page=${"1".repeat(8000)}`,
    "a=1&".repeat(1500),
    `token=${WRONG_TOKEN}`,
    "page=\xff",
  );
}

/** A connection whose bytes are no sound HTTP, or more than one request, and how many answers it may have at most. */
export type OddConnection = { readonly name: string; readonly bytes: string; readonly mostReplies: number };

const GET = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
const POST = "POST /api/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

/** Whatever must not be taken for more requests than it is. */
export const ODD_CONNECTIONS: readonly OddConnection[] = [
  { name: "nothing", bytes: "", mostReplies: 0 },
  { name: "line ends only", bytes: "\r\n\r\n\r\n", mostReplies: 1 },
  { name: "no HTTP at all", bytes: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", mostReplies: 1 },
  { name: "the next protocol", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", mostReplies: 1 },
  { name: "HTTP/0.9", bytes: "GET /healthz\r\n\r\n", mostReplies: 1 },
  { name: "HTTP/1.0", bytes: "GET /healthz HTTP/1.0\r\n\r\n", mostReplies: 1 },
  {
    name: "HTTP/1.0 with chunks",
    bytes: `${POST.replace("1.1", "1.0")}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    mostReplies: 1,
  },
  { name: "HTTP/9.9", bytes: "GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n", mostReplies: 1 },
  { name: "no Host", bytes: "GET /healthz HTTP/1.1\r\n\r\n", mostReplies: 1 },
  { name: "two Hosts", bytes: `${GET}Host: y\r\n\r\n`, mostReplies: 1 },
  { name: "bare line feeds", bytes: "GET /healthz HTTP/1.1\nHost: x\n\n", mostReplies: 1 },
  { name: "bare carriage returns", bytes: "GET /healthz HTTP/1.1\rHost: x\r\r", mostReplies: 1 },
  { name: "space before the colon", bytes: `${GET}Content-Length : 5\r\n\r\nhello`, mostReplies: 1 },
  { name: "a folded header", bytes: `${GET}X: a\r\n b\r\n\r\n`, mostReplies: 1 },
  { name: "a hundred requests at once", bytes: `${GET}\r\n`.repeat(100), mostReplies: 100 },
  { name: "a broken one after a sound one", bytes: `${GET}\r\nGARBAGE\r\n\r\n${GET}\r\n`, mostReplies: 2 },
  {
    name: "length and chunks",
    bytes: `${POST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${GET}\r\n`,
    mostReplies: 1,
  },
  {
    name: "chunks and length",
    bytes: `${POST}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${GET}\r\n`,
    mostReplies: 1,
  },
  { name: "two lengths", bytes: `${POST}Content-Length: 0\r\nContent-Length: 30\r\n\r\n${GET}\r\n`, mostReplies: 1 },
  { name: "a length with a sign", bytes: `${POST}Content-Length: +2\r\n\r\n{}`, mostReplies: 1 },
  { name: "a negative length", bytes: `${POST}Content-Length: -1\r\n\r\n{}`, mostReplies: 1 },
  { name: "a huge length", bytes: `${POST}Content-Length: 99999999999999999999\r\n\r\n{}`, mostReplies: 1 },
  { name: "a length in hexadecimal", bytes: `${POST}Content-Length: 0x2\r\n\r\n{}`, mostReplies: 1 },
  {
    name: "chunked twice",
    bytes: `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n${GET}\r\n`,
    mostReplies: 1,
  },
  { name: "chunked misspelt", bytes: `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${GET}\r\n`, mostReplies: 1 },
  {
    name: "chunked with a tab",
    bytes: `${POST}Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${GET}\r\n`,
    mostReplies: 1,
  },
  {
    name: "not chunked last",
    bytes: `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${GET}\r\n`,
    mostReplies: 1,
  },
  {
    name: "a chunk size that is none",
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    mostReplies: 1,
  },
  {
    name: "a huge chunk size",
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n`,
    mostReplies: 1,
  },
  {
    name: "a chunk that is too long",
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`,
    mostReplies: 1,
  },
  {
    name: "long chunk extensions",
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\n2;${"x".repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
    mostReplies: 1,
  },
  {
    name: "trailers",
    bytes: `${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n`,
    mostReplies: 1,
  },
  {
    name: "a request in the body of a refused one",
    bytes: `POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: ${GET.length + 2}\r\n\r\n${GET}\r\n`,
    mostReplies: 1,
  },
  { name: "a body with GET", bytes: `${GET}Content-Length: 5\r\n\r\nhello${GET}\r\n`, mostReplies: 2 },
  { name: "a null in the head", bytes: "GET /healthz\0 HTTP/1.1\r\nHost: x\r\n\r\n", mostReplies: 1 },
  { name: "a header without end", bytes: `${GET}X: ${"x".repeat(200_000)}`, mostReplies: 1 },
];
