// Citus for the rest of the service: docs/scale.md#citus. Work on rows of several merchants goes through here; on one
// PostgreSQL it is not divided.
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
