// Links a sandbox and its live merchant. They don't share a session: the link opens the other one's sign-in with the e-mail filled
// in; an operator sees both.
import { useMerchant, useSession } from "../api/session.ts";
import { addressOfMerchant, merchantInAddress, offerEmail, signInAddressOf } from "../app/place.ts";

/** The other one's number, and the props of a link to it; `null` for none. */
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
