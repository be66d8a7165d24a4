// Buckets move from one node of Citus to another while payouts are asked for: none is lost, none is paid twice. Without
// CITUS_URL only what is said where there is no Citus.
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireMerchant } from "../../src/merchants/index.ts";
import { CITUS_URL } from "../support/citus.ts";
import { Installation, type TestMerchant } from "../support/installation.ts";
import { nodal, nodalJson } from "../support/nodal.ts";

const CALLERS = 4;
const PATIENCE = { timeout: 120_000, interval: 1000 };

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.startProcess({ RATE_LIMIT_PER_MINUTE: "100000" });
});
afterAll(() => installation.stop());

type Balance = {
  readonly nodes: readonly { readonly groups: number; readonly takes_rows: boolean }[];
  readonly moves: readonly unknown[];
  readonly last: { readonly state: string } | null;
};

const readBalance = (...options: string[]) =>
  nodalJson(installation.environment, "rebalance", ...options) as Promise<Balance>;

test.runIf(CITUS_URL === null)("without Citus there is nothing to move, and it is said what Citus needs", async () => {
  for (const options of [[], ["--confirm"], ["--stop"]]) {
    const { code, stderr } = await nodal(installation.environment, "rebalance", ...options);
    expect([code, stderr]).toEqual([1, expect.stringContaining("has no Citus")]);
  }
  const spread = await nodal(installation.environment, "migrate", "--citus");
  expect([spread.code, spread.stderr]).toEqual([1, expect.stringContaining("stop all servers")]);
  const both = await nodal(installation.environment, "rebalance", "--confirm", "--stop");
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("--stop can't be combined with --confirm.")]);
});

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

/** So many groups of buckets more at one of two workers than at the other that Citus moves some back. */
const MOVED_AWAY = 3;

/** Moves the rows of a merchant's bucket to the other worker, and some of others that are beside it, one group after the other. */
async function moveAway({ id }: TestMerchant): Promise<void> {
  const { pool } = installation;
  const { bucket } = await requireMerchant(pool, BigInt(id));
  const { rows } = await pool.query<{ shard: bigint }>(
    `select shardid as shard
     from pg_dist_shard join pg_dist_placement using (shardid)
     cross join (select get_shard_id_for_distribution_column('merchant', $1::smallint) as shard) as own
     where logicalrelid = 'merchant'::regclass
       and groupid = (select groupid from pg_dist_placement where shardid = own.shard)
     order by shardid <> own.shard limit $2`,
    [bucket, MOVED_AWAY],
  );
  for (const { shard } of rows) {
    await pool.query(
      `select citus_move_shard_placement(shardid, from_node.nodeid, to_node.nodeid, 'force_logical')
       from pg_dist_placement
       join pg_dist_node as from_node using (groupid)
       join pg_dist_node as to_node on to_node.groupid <> from_node.groupid and to_node.shouldhaveshards
       where shardid = $1`,
      [shard],
    );
  }
}

test.runIf(CITUS_URL !== null)(
  "payouts go on while their rows move, and back; none is lost or paid twice",
  async () => {
    const merchant = await installation.newMerchant({ fund: "1000000.00" });
    const beneficiaryId = await merchant.addBeneficiary();
    let isOver = false;
    const call = async (caller: number): Promise<readonly string[]> => {
      const accepted: string[] = [];
      for (let count = 0; !isOver; count += 1) {
        const reference = `moved-${caller}-${count}`;
        // A refusal is asked again, as a caller would.
        for (;;) {
          const body = { beneficiary_id: beneficiaryId, amount: "1.00", reference_id: reference };
          const { status } = await merchant.transfer(body);
          if (status === 200) break;
          expect(status).toBe(503);
        }
        accepted.push(reference);
      }
      return accepted;
    };
    const callers = Array.from({ length: CALLERS }, (_, caller) => call(caller));
    const groups = (await readBalance()).nodes.map((node) => node.groups);
    await moveAway(merchant);
    const uneven = await readBalance();
    expect(uneven.nodes.map((node) => node.groups)).not.toEqual(groups);
    await readBalance("--confirm");
    await expect.poll(async () => (await readBalance()).last?.state, PATIENCE).toBe("finished");
    isOver = true;
    const references = (await Promise.all(callers)).flat();
    expect(references.length).toBeGreaterThan(CALLERS);
    const { rows } = await installation.pool.query<{ reference_id: string }>(
      "select reference_id from transfer where bucket = $1 and merchant_id = $2",
      [(await requireMerchant(installation.pool, BigInt(merchant.id))).bucket, merchant.id],
    );
    expect(rows.map((row) => row.reference_id).toSorted(byText)).toEqual(references.toSorted(byText));
    const { code, stdout } = await nodal(installation.environment, "verify", "--merchant", merchant.id);
    expect([code, stdout]).toEqual([0, expect.stringContaining("ok")]);
  },
  // Moves and the check of some ten thousand payouts take their time on a busy machine.
  400_000,
);

test.skipIf(CITUS_URL === null)("merchants are in few groups, so that many share a batch", async () => {
  const { nodes } = await readBalance();
  const { rows } = await installation.pool.query<{ source: string; setting: string }>(
    "select source, setting from pg_settings where name = 'citus.shard_count'",
  );
  const [{ source, setting }] = rows as [(typeof rows)[number]];
  const takers = nodes.filter(({ takes_rows: takes }) => takes).length;
  const wanted = source === "default" ? Math.max(4, 2 * takers) : Number(setting);
  expect(nodes.reduce((sum, { groups }) => sum + groups, 0)).toBe(wanted);
});

test.skipIf(CITUS_URL === null)("a backup, which would not be of one moment, is refused", async () => {
  const file = join(tmpdir(), `nodal-${process.pid}.backup`);
  const { code, stderr } = await nodal(installation.environment, "backup", "--out", file);
  expect([code, stderr]).toEqual([1, expect.stringContaining("distributed over Citus nodes")]);
  expect(existsSync(file)).toBe(false);
});
