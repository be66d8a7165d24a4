// Trace spans of payouts: from the request, through the commit that accepts it, to each call of the bank. Used only if
// traces are on; see src/platform/tracing.ts.
import { SpanKind } from "@opentelemetry/api";
import type { Tracing } from "../platform/tracing.ts";
import type { PayoutWriter } from "./batch/payout-writer.ts";
import type { Rail } from "./rails/rail.ts";
import { Rails } from "./providers/rails.ts";
import type { TransferIdentity } from "./transfer.ts";

/** The desk's writer, with a span for each acceptance. */
export function traceWriter(writer: PayoutWriter, tracing: Tracing): Pick<PayoutWriter, "request"> {
  return {
    request: (transfer) => {
      tracing.remember(transfer.transferId);
      const step = { name: "accept transfer", kind: SpanKind.INTERNAL, attributes: attributesOf(transfer) };
      return tracing.measure(transfer.transferId, step, () => writer.request(transfer));
    },
  };
}

/** Rails with a span for each payment and each question to a bank. */
export class TracedRails extends Rails {
  readonly #tracing: Tracing;

  constructor(tracing: Tracing, ...of: ConstructorParameters<typeof Rails>) {
    super(...of);
    this.#tracing = tracing;
  }

  override async of(...named: Parameters<Rails["of"]>): Promise<Rail> {
    return traceRail(await super.of(...named), this.#tracing);
  }
}

function traceRail(rail: Rail, tracing: Tracing): Rail {
  const step = (name: string, payment: TransferIdentity) => ({
    name,
    kind: SpanKind.CLIENT,
    attributes: { ...attributesOf(payment), "nodal.rail": rail.name },
  });
  return {
    name: rail.name,
    submit: (instruction, signal) =>
      tracing.measure(
        instruction.transferId,
        step("pay at the bank", instruction),
        () => rail.submit(instruction, signal),
        ({ status }) => ({ "nodal.status": status }),
      ),
    status: (payment, signal) =>
      tracing.measure(
        payment.transferId,
        step("ask the bank", payment),
        () => rail.status(payment, signal),
        (report) => ({ "nodal.status": report?.status ?? "UNKNOWN_TO_BANK" }),
      ),
    start: (onReport) => rail.start(onReport),
    stop: () => rail.stop(),
  };
}

function attributesOf({ merchantId, transferId }: TransferIdentity) {
  return { "nodal.merchant_id": String(merchantId), "nodal.transfer_id": String(transferId) };
}
