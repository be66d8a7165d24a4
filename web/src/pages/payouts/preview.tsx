// The preview of a payout, fetched between form and confirmation: a refusal is shown in the form, the rest in the confirmation.
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { ApiError } from "../../api/client.ts";
import { Notice } from "../../components/notices.tsx";
import { Money, type Fact } from "../../components/values.tsx";
import { roundRupees } from "../../format/money.ts";
import { beforeMoney } from "../../strings/before-money.ts";
import { transfers } from "../../strings/payouts.ts";

type Preview = Answer<"GET", "/transfers/preview">;
export type Terms = NonNullable<Preview["terms"]>;

/** Asks for a preview; `terms` are there once it says that the payout can be asked for, until `close`. */
export function usePreview(ask: () => Promise<Preview>) {
  const [terms, setTerms] = useState<Terms | null>(null);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const review = async (): Promise<void> => {
    if (isSending) return;
    setSending(true);
    setError(null);
    try {
      const preview = await ask();
      if (preview.refusal) setError(new ApiError(422, preview.refusal));
      else setTerms(preview.terms);
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setSending(false);
    }
  };
  return { terms, isSending, error, review: () => void review(), close: () => setTerms(null) };
}

/** The further facts in the confirmation, besides amount and payee. */
export function factsOf({ mode, available, left, left_today: leftToday }: Terms): Fact[] {
  return [
    {
      label: beforeMoney.mode,
      value: mode === "UPI" ? transfers.modes["upi"] : `${transfers.modes["banktransfer"]} (${mode})`,
    },
    { label: beforeMoney.available, value: <Money amount={available} /> },
    { label: beforeMoney.left, value: <Money amount={left} /> },
    ...(leftToday === null ? [] : [{ label: beforeMoney.leftToday, value: <Money amount={leftToday} /> }]),
  ];
}

/** The label of the button: if approval is needed, no money leaves when it is pressed. */
export function labelOf({ needs_approval: needsApproval }: Terms, atOnce: string): string {
  return needsApproval ? beforeMoney.sendForApproval : atOnce;
}

/** Says that it will wait for approval; nothing if it won't. */
export function ApprovalNotice({ terms }: { readonly terms: Terms }) {
  if (!terms.needs_approval || terms.approve_over === null) return null;
  return <Notice>{beforeMoney.needsApproval(roundRupees(terms.approve_over))}</Notice>;
}
