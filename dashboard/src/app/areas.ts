// The areas of the dashboard, in the order of the navigation.
// What belongs here: that list. An area itself is pages/<area>/area.ts.
import { franchisesArea } from "../pages/franchises/area.ts";
import { homeArea } from "../pages/home/area.ts";
import { invoicesArea } from "../pages/invoices/area.ts";
import { operatorArea } from "../pages/operator/area.ts";
import { payoutsArea } from "../pages/payouts/area.ts";
import { securityArea } from "../pages/security/area.ts";
import { customersArea } from "../pages/customers/area.ts";
import { referenceArea } from "../pages/reference/area.ts";
import { subscriptionsArea } from "../pages/subscriptions/area.ts";
import { settingsArea } from "../pages/settings/area.ts";
import { templatesArea } from "../pages/templates/area.ts";
import type { Area } from "./area.ts";

export const AREAS: readonly Area[] = [
  homeArea,
  operatorArea,
  payoutsArea,
  customersArea,
  franchisesArea,
  invoicesArea,
  templatesArea,
  subscriptionsArea,
  settingsArea,
  referenceArea,
  securityArea,
];
