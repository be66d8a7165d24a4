// The way from a sandbox to its live merchant, and back. No session crosses: it leads to the other one's sign-in, with the
// e-mail filled in; an operator sees both.
import { useMerchant, useSession } from "../api/session.ts";
import { addressOfMerchant, merchantInAddress, offerEmail, signInAddressOf } from "../app/place.ts";

/** The other one: its number, and the props of a link to it; `null` where there is none. */
export function useCounterpart() {
  const { email } = useSession();
  const { counterpart } = useMerchant();
  if (counterpart === null) return null;
  const isOperator = merchantInAddress() !== null;
  return {
    id: counterpart.id,
    href: isOperator ? addressOfMerchant(counterpart.id) : signInAddressOf(counterpart.id),
    onClick: () => (isOperator ? undefined : offerEmail(email)),
  };
}
