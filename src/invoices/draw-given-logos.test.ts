// Logos that earlier releases saved as they were sent: drawn when the server runs, or not shown.
// What belongs here: the job, on a database of its own.
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { TEST_ACTOR, withTestSecrets } from "../../test/support/secrets.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { createPool, inTransaction, type OwnedPool } from "../platform/database/pool.ts";
import { pngSize } from "../platform/pdf/picture-size.ts";
import { createPdfRenderer } from "../platform/pdf/renderer.ts";
import { drawnPng, HOSTILE_SVGS, JPEG, pngOf, svgOf } from "../platform/pdf/test-pictures.ts";
import { changeTemplate, keepDrawnLogo } from "./change-template.ts";
import { logoSchedule } from "./draw-given-logos.ts";
import { insertDefaultTemplates, takeTemplateIds } from "./template-default.ts";
import { findLogo } from "./template-store.ts";

const logger = pino({ level: "silent" });
const renderer = createPdfRenderer({ logger });
let db: LedgerDatabase;
let pool: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  pool = withTestSecrets(createPool({ url: db.url, size: 4, role: "nodal_server", actor: TEST_ACTOR }));
});
afterAll(async () => {
  await renderer.close();
  await pool.end();
  await db.close();
});

/** The default template of a new merchant. */
async function newTemplate(): Promise<MerchantKey & { readonly templateId: bigint }> {
  const [owner] = await makeMerchants(db, 1);
  const ids = await takeTemplateIds(db.ids);
  await inTransaction(pool, (connection) => insertDefaultTemplates(connection, [owner!], [ids]));
  return { ...owner!, templateId: ids.templateId };
}

describe("logos that an earlier release saved as they were sent", () => {
  const sent: [name: string, type: string, bytes: Buffer][] = [
    ["sound", "image/svg+xml", svgOf("<path d='M0 0h9v9z'/>")],
    ["small", "image/png", drawnPng(40, 10, () => [9, 9, 9, 255])],
    ["heavy", "image/svg+xml", HOSTILE_SVGS["heavy filters"]!],
    ["huge", "image/png", pngOf(30_000, 30_000, Buffer.alloc(1000))],
    ["no picture", "image/png", Buffer.from("89504e470d0a1a0a", "hex")],
  ];

  test("are not shown before they are drawn, then drawn once; what can't be drawn harms no other", async () => {
    const templates = new Map<string, Awaited<ReturnType<typeof newTemplate>>>();
    for (const [name, type, bytes] of sent) {
      const key = await newTemplate();
      templates.set(name, key);
      await pool.query(
        "update template set logo = $3, logo_type = $4, logo_state = 'given' where bucket = $1 and merchant_id = $2",
        [key.bucket, key.merchantId, bytes, type],
      );
      expect(await findLogo(pool, key, key.templateId)).toBeNull();
    }
    await logoSchedule({ renderer, logger }).run(pool, new AbortController().signal);
    const sizes: Record<string, unknown> = {};
    for (const [name, key] of templates) {
      const logo = await findLogo(pool, key, key.templateId);
      sizes[name] = logo && pngSize(logo.bytes);
    }
    const drawn = { sound: { width: 1200, height: 400 }, small: { width: 40, height: 10 } };
    expect(sizes).toEqual({ ...drawn, heavy: null, huge: null, "no picture": null });
    const { rows } = await pool.query("select 1 from template where logo_state = 'given'");
    expect(rows).toEqual([]);
  });

  test("stay as they are where somebody has given another one meanwhile", async () => {
    const key = await newTemplate();
    await changeTemplate({ pool, renderer }, key, { logo: { mimeType: "image/jpeg", bytes: JPEG } });
    await keepDrawnLogo(pool, key, { mimeType: "image/png", bytes: drawnPng(4, 4, () => [0, 0, 0, 255]) });
    expect(pngSize((await findLogo(pool, key, key.templateId))!.bytes)).toEqual({ width: 32, height: 16 });
  });
});
