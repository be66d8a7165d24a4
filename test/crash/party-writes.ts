// Writes of franchises and customers.
import { CUSTOMER_SAVE, CUSTOMER_UPDATE } from "../support/merchant-wire.ts";
import { FRANCHISE_LEAST } from "../support/franchises.ts";
import type { Ask, Kind } from "./journal.ts";
import { accountOf } from "./payout-writes.ts";
import { between, type Write } from "./writes.ts";

const MAX_CUSTOMERS = 3;

export const PARTY_WRITES = {
  franchise: {
    weight: 2,
    repeatedBy: "key",
    mayMeet: [],
    path: "/api/v1/franchise/save",
    signedBy: "token",
    body: (ask, { random }) => ({
      ...FRANCHISE_LEAST,
      franchise_code: ask.name,
      franchise_name: ask.name,
      ...(random() < 0.7 ? paidOnline(ask) : {}),
    }),
    identify: (body) => body.franchise_id as string,
  },
  "franchise update": {
    weight: 2,
    repeatedBy: "key",
    changes: ["franchise"],
    mayMeet: [],
    path: "/api/v1/franchise/update",
    signedBy: "token",
    body: (ask) => ({ franchise_id: idOf(ask), franchise_name: ask.name }),
    identify: (body) => body.franchise_id as string,
  },
  "franchise deletion": {
    weight: 1,
    repeatedBy: "key",
    changes: ["franchise"],
    ends: true,
    mayMeet: [],
    path: "/api/v1/franchise/delete",
    signedBy: "token",
    body: (ask) => ({ franchise_id: idOf(ask) }),
    identify: (body) => body.franchise_id as string,
  },
  customer: {
    weight: 4,
    repeatedBy: "key",
    mayMeet: [],
    path: CUSTOMER_SAVE,
    signedBy: "keys",
    body: ({ name }, { random }) => ({
      customer: Array.from({ length: between(random, 1, MAX_CUSTOMERS) }, (_, index) => ({
        customer_code: `${name}-${index}`,
        customer_name: "Asha Rao",
        city: name,
      })),
    }),
    identify: (body) => body.srvrsp[0].map((saved: { customer_id: number }) => saved.customer_id).join(" "),
  },
  "customer update": {
    weight: 4,
    repeatedBy: "key",
    changes: ["customer"],
    mayMeet: [],
    path: CUSTOMER_UPDATE,
    signedBy: "keys",
    body: (ask) => ({ customer: [{ customer_id: idOf(ask), city: ask.name }] }),
    identify: (body) => String(body.srvrsp[0][0].customer_id),
  },
} satisfies Partial<Record<Kind, Write>>;

/** A tenth of what is received, paid to an account of its own. */
function paidOnline(ask: Ask): object {
  return {
    enable_online_settlement: 1,
    commission_type: "Percentage",
    commission: "10",
    settlement_type: "Auto",
    bank_holder_name: "Meera Shah",
    account_number: accountOf(ask),
    bank_name: "HDFC Bank",
    account_type: "Current",
    ifsc: "HDFC0000001",
  };
}

/** The id of the first thing that the entry under change has made. */
export function idOf({ subject }: Ask): string {
  const [identified] = subject!.ids;
  return identified!.split(" ", 1)[0]!;
}
