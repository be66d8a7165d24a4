// Free disk space: its report, and when it is too low.
import { expect, test } from "vitest";
import { Disk } from "./disk.ts";
import { createMetrics } from "./metrics.ts";

/** A folder on a disk that is in use: the temporary folder may be in memory and completely free. */
const FOLDER = import.meta.dirname;

test("tells the room that is left, and refuses to go on with too little", async () => {
  const { freeBytes, sizeBytes } = await new Disk(FOLDER).room();
  expect(freeBytes).toBeGreaterThan(0);
  expect(sizeBytes).toBeGreaterThan(freeBytes);
  await new Disk(FOLDER, 1).requireRoom();
  await expect(new Disk(FOLDER, sizeBytes).requireRoom()).rejects.toThrow(/is full: \d+ bytes are left/);
  const metrics = createMetrics();
  new Disk(FOLDER).addTo(metrics);
  expect(await metrics.expose()).toMatch(/nodal_disk_free_bytes \d+\n/);
  await metrics.close();
});
