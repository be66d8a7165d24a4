// Files of payouts: which are taken, how many, who adds, sees and removes them, and how they are stored. How pages show them
// is test/browser/transfer-attachments.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, newPerson } from "../support/dashboard.ts";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";

const PDF = Buffer.from("%PDF-1.7\nBill 42 of Asha Rao\n%%EOF");
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 9]);
const MEGABYTE = 1024 * 1024;
const BINARY = { "content-type": "application/octet-stream" };

let site: Installation;
let merchant: TestMerchant;
let owner: Browser;
let viewer: Browser;
let stranger: Browser;
let payee: string;
let references = 0;

beforeAll(async () => {
  site = await Installation.start();
  merchant = await site.newMerchant({ fund: "10000.00", bank: GOOD_ACCOUNT });
  owner = await Browser.signIn(site, await newPerson(site, merchant.id));
  viewer = await Browser.signIn(site, await newPerson(site, merchant.id, "Viewer"));
  stranger = await Browser.signIn(site, await newPerson(site, (await site.newMerchant({})).id));
  payee = await merchant.addBeneficiary();
});
afterAll(() => site.stop());

async function pay(more: Members = {}): Promise<string> {
  references += 1;
  const asked = { beneficiary_id: payee, amount: "1.00", reference_id: `FILES-${references}`, ...more };
  return String((await owner.post("/transfers", asked)).body["transfer_id"]);
}

function attach(id: string, bytes: Buffer, name = "bill.pdf", by = owner) {
  return by.post(`/transfers/${id}/attachments?file_name=${encodeURIComponent(name)}`, bytes, BINARY);
}

type Attachment = { readonly attachment_id: string; readonly file_name: string; readonly file_type: string };

async function filesOf(id: string): Promise<Attachment[]> {
  return (await owner.get(`/transfers/${id}/attachments`)).body["attachments"] as Attachment[];
}

const fieldsOf = (body: Members): string[] => (body["errors"] as { field: string }[]).map(({ field }) => field);

describe("a file", () => {
  test("of a payout is stored encrypted, downloaded under its name, and removed, with entries in the audit log", async () => {
    const id = await pay();
    const { status, body } = await attach(id, PDF, "बिल 42 (Asha).pdf");
    expect(status).toBe(200);
    const { attachment_id } = body["attachment"] as Attachment;
    expect(body["attachment"]).toMatchObject({
      file_name: "बिल 42 (Asha).pdf",
      file_type: "application/pdf",
      size_bytes: PDF.length,
      added_by: expect.stringMatching(/^user:/) as string,
    });
    expect(await filesOf(id)).toEqual([body["attachment"]]);
    const { rows } = await site.pool.query<{ content: Buffer; file_key: string }>(
      "select content, file_key from transfer_attachment where attachment_id = $1",
      [attachment_id],
    );
    expect(rows[0]!.content.includes(Buffer.from("Asha Rao"))).toBe(false);
    expect(rows[0]!.file_key).toMatch(/^enc1:/);
    const file = await viewer.get(`/transfers/${id}/attachments/${attachment_id}`);
    expect(file.headers.get("content-type")).toBe("application/pdf");
    expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    const disposition = file.headers.get("content-disposition")!;
    expect(disposition).toMatch(/^attachment; filename="/);
    expect(decodeURIComponent(disposition.split("UTF-8''")[1]!)).toBe("बिल 42 (Asha).pdf");
    expect(String(file.body)).toBe(PDF.toString());

    const removed = await owner.delete(`/transfers/${id}/attachments/${attachment_id}`);
    expect([removed.status, await filesOf(id)]).toEqual([200, []]);
    expect((await owner.get(`/transfers/${id}/attachments/${attachment_id}`)).status).toBe(404);
    expect((await owner.delete(`/transfers/${id}/attachments/${attachment_id}`)).status).toBe(404);
    const { entries } = (await owner.get(`/audit?subject=${id}`)).body as { entries: Members[] };
    const named = {
      attachment_id,
      file_name: "बिल 42 (Asha).pdf",
      file_type: "application/pdf",
      size_bytes: PDF.length,
    };
    expect(entries.slice(0, 2)).toMatchObject([
      { type: "transfer.attachment_removed", before: named, after: null },
      { type: "transfer.attachment_added", before: null, after: named },
    ]);
  });

  test("is what its first bytes say, not its name", async () => {
    const id = await pay();
    await attach(id, JPEG, "photo.jpeg");
    await attach(id, PNG, "a/b\\c.exe");
    expect((await filesOf(id)).map(({ file_name, file_type }) => [file_name, file_type])).toEqual([
      ["photo.jpeg", "image/jpeg"],
      ["a-b-c.exe.png", "image/png"],
    ]);
  });

  test.each([
    ["HTML under the name of a PDF", Buffer.from("<script>alert(1)</script>")],
    ["a PDF after something else", Buffer.concat([Buffer.from("MZ"), PDF])],
    ["nothing", Buffer.alloc(0)],
  ])("can't be %s", async (_, bytes) => {
    const id = await pay();
    const { status, body } = await attach(id, bytes);
    expect([status, fieldsOf(body)]).toEqual([400, ["file"]]);
    expect(await filesOf(id)).toEqual([]);
  });

  test("needs a name, and may have 5 MB", async () => {
    const id = await pay();
    expect((await owner.post(`/transfers/${id}/attachments`, PDF, BINARY)).status).toBe(400);
    expect((await attach(id, PDF, "x".repeat(101))).status).toBe(400);
    const whole = Buffer.concat([PDF, Buffer.alloc(5 * MEGABYTE - PDF.length)]);
    expect((await attach(id, whole)).status).toBe(200);
    expect((await attach(id, Buffer.concat([whole, Buffer.alloc(1)]))).status).toBe(413);
    expect(await filesOf(id)).toHaveLength(1);
  });

  test("moved to another payout with SQL is not opened", async () => {
    const [one, two] = [await pay(), await pay()];
    const { attachment_id } = (await attach(one, PDF)).body["attachment"] as Attachment;
    await site.pool.query("update transfer_attachment set transfer_id = $2 where attachment_id = $1", [
      attachment_id,
      two,
    ]);
    const moved = await owner.get(`/transfers/${two}/attachments/${attachment_id}`).catch(() => null);
    expect(String(moved?.body ?? "")).not.toContain("Bill 42");
    await site.pool.query("delete from transfer_attachment where attachment_id = $1", [attachment_id]);
  });
});

describe("limits", () => {
  test("of twelve files at once five are attached", async () => {
    const id = await pay();
    const answers = [];
    for (let round = 0; round < 3; round += 1) {
      const names = Array.from({ length: 4 }, (_, each) => `${round}-${each}.pdf`);
      answers.push(...(await Promise.all(names.map((name) => attach(id, PDF, name)))));
    }
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect([taken.length, refused.length]).toEqual([5, 7]);
    for (const { status, body } of refused) expect([status, fieldsOf(body)]).toEqual([400, ["file"]]);
    expect(refused[0]!.body["error"]).toContain("Remove one first");
    expect(await filesOf(id)).toHaveLength(5);
    await owner.delete(`/transfers/${id}/attachments/${(await filesOf(id))[0]!.attachment_id}`);
    expect((await attach(id, PDF)).status).toBe(200);
  });

  test("of all files of a merchant together", async () => {
    const id = await pay();
    const fill = `insert into transfer_attachment
        (bucket, merchant_id, transfer_id, attachment_id, file_name, file_type, size_bytes, added_by, added_at, file_key, content)
      select bucket, merchant_id, 1, step, 'x.pdf', 'application/pdf', 5242880, 'bank', now(), 'enc1:2:x', '\\x00'
      from merchant, generate_series(1, 410) as step where merchant_id = $1`;
    await site.pool.query(fill, [merchant.id]);
    try {
      const { status, body } = await attach(id, PDF);
      expect([status, fieldsOf(body)]).toEqual([400, ["file"]]);
      expect(body["error"]).toContain("2 GB");
      expect(await filesOf(id)).toEqual([]);
    } finally {
      await site.pool.query("delete from transfer_attachment where merchant_id = $1 and transfer_id = 1", [
        merchant.id,
      ]);
    }
    expect((await attach(id, PDF)).status).toBe(200);
  });
});

describe("rights", () => {
  test("who may not make transfers sees files and changes none; another merchant finds nothing", async () => {
    const id = await pay();
    const { attachment_id } = (await attach(id, PDF)).body["attachment"] as Attachment;
    const at = `/transfers/${id}/attachments`;
    expect((await viewer.get(at)).body["attachments"]).toHaveLength(1);
    expect((await attach(id, PDF, "more.pdf", viewer)).body["code"]).toBe("access_denied");
    expect((await viewer.delete(`${at}/${attachment_id}`)).body["code"]).toBe("access_denied");
    const foreign = [
      await stranger.get(at),
      await stranger.get(`${at}/${attachment_id}`),
      await attach(id, PDF, "more.pdf", stranger),
      await stranger.delete(`${at}/${attachment_id}`),
    ];
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(await filesOf(id)).toHaveLength(1);
    // A file is found with its own payout only.
    expect((await owner.get(`/transfers/${await pay()}/attachments/${attachment_id}`)).status).toBe(404);
  });

  test("withdrawals and payouts of a later day have files too", async () => {
    const scheduled_for = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 2 }).toString();
    const withdrawal = await owner.post("/withdrawals", { amount: "1.00", reference_id: "FILES-W" });
    for (const id of [await pay({ scheduled_for }), String(withdrawal.body["transfer_id"])]) {
      expect((await attach(id, PDF)).status).toBe(200);
      expect(await filesOf(id)).toHaveLength(1);
    }
  });
});
