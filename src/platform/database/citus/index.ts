// Citus for the rest of the service: docs/scale.md#citus. Work over rows of several merchants goes through here, and is one
// piece of work on one PostgreSQL.
export {
  byTurns,
  findInEachPart,
  findOnNodes,
  inEachPart,
  lookUpOnNodes,
  readInEachPart,
  searchNodes,
  takeOnNodes,
  tryInEachPart,
} from "./at-nodes.ts";
export { knowPlaces, placeOf, withNodes } from "./shard-pool.ts";
export { distribute, isAllDistributed, isDistributed, requireCitus } from "./distribute.ts";
export { readAsOwner } from "./owner-look.ts";
export { isUnderWay, readBalance, startRebalancing, stopRebalancing, type Balance } from "./rebalance.ts";
export { inParts, isSpread, leadsToSpread, pinOf, pinTo, type BucketPin } from "./spread.ts";
