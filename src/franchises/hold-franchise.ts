// A franchise that is about to change, inside others' transactions.
// What belongs here: that there is one, and that nobody else changes it meanwhile.
import type { Connection } from "../platform/database/pool.ts";
import { franchiseNotFound, type Franchise, type FranchiseKey } from "./franchise.ts";
import { findFranchise } from "./franchise-store.ts";

/**
 * Finds a franchise and holds it until the transaction ends.
 * @throws NodalError `franchise_not_found`, also for one that was deleted
 */
export async function holdFranchise(connection: Connection, key: FranchiseKey): Promise<Franchise> {
  const franchise = await findFranchise(connection, key, true);
  if (!franchise || franchise.deletedAt !== null) throw franchiseNotFound();
  return franchise;
}
