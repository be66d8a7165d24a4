// The room on a disk: what is told of it, and when it is too little.
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { Disk } from "./disk.ts";
import { createMetrics } from "./metrics.ts";

test("tells the room that is left, and refuses to go on with too little", async () => {
  const { freeBytes, sizeBytes } = await new Disk(tmpdir()).room();
  expect(freeBytes).toBeGreaterThan(0);
  expect(sizeBytes).toBeGreaterThan(freeBytes);
  await new Disk(tmpdir(), 1).requireRoom();
  await expect(new Disk(tmpdir(), sizeBytes).requireRoom()).rejects.toThrow(/is full: \d+ bytes are left/);
  const metrics = createMetrics();
  new Disk(tmpdir()).addTo(metrics);
  expect(await metrics.expose()).toMatch(/nodal_disk_free_bytes \d+\n/);
  await metrics.close();
});
