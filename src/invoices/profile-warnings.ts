// What looks wrong in a merchant's profile, though its form is right: parts that contradict each other on an invoice.
// What belongs here: warnings. They refuse nothing: registers have exceptions that a rule does not know.
import type { MerchantProfile } from "../merchants/index.ts";
import { readState, stateOfGstin } from "../platform/indian-states.ts";

export type ProfileWarning = { readonly field: "gstin" | "pan" | "state"; readonly message: string };

/** The warnings of a profile, none where nothing contradicts. */
export function profileWarnings({ gstin, pan, state }: Pick<MerchantProfile, "gstin" | "pan" | "state">) {
  const warnings: ProfileWarning[] = [];
  const ofGstin = stateOfGstin(gstin);
  const ofAddress = readState(state);
  if (gstin !== "" && pan !== "" && gstin.slice(2, 12) !== pan) {
    warnings.push({ field: "pan", message: "This is not the PAN that the GSTIN contains." });
  }
  if (gstin !== "" && ofGstin === null) {
    warnings.push({ field: "gstin", message: `The GSTIN begins with ${gstin.slice(0, 2)}, which is no state's code.` });
  }
  if (ofGstin && ofAddress && ofGstin.code !== ofAddress.code) {
    const message = `The GSTIN is of ${ofGstin.name}, and the address is in ${ofAddress.name}: tax goes by the GSTIN.`;
    warnings.push({ field: "state", message });
  }
  if (gstin === "" && ofAddress === null) {
    const message = "Without a GSTIN or a state of India, invoices can't tell CGST and SGST from IGST.";
    warnings.push({ field: "state", message });
  }
  return warnings;
}
