// What the merchant has, and what its payouts did today.
// What belongs here: those figures, as the server has them now.
import { SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { home } from "../../strings/home.ts";
import { Figure } from "./figure.tsx";

type Sum = { readonly count: string; readonly amount: string };
type Answer = {
  readonly available: string;
  readonly held: string;
  readonly ledger: string;
  readonly today: { readonly accepted: Sum; readonly paid: Sum; readonly returned: Sum };
};

const ASK_AGAIN_MS = 30_000;

/** Balances and the payouts of today. */
export function Balances() {
  const { data, error, refetch } = useQuery({
    queryKey: ["/home/balances"],
    queryFn: ({ signal }) => api<Answer>("GET", "/home/balances", { signal }),
    refetchInterval: ASK_AGAIN_MS,
  });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const today = (name: keyof Answer["today"]) => ({
    amount: data?.today[name].amount ?? null,
    hint: `${home.todays} · ${home.payouts(data?.today[name].count ?? "0")}`,
  });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
      <Figure label={home.available} amount={data?.available ?? null} hint={home.availableHint} />
      <Figure label={home.held} amount={data?.held ?? null} hint={home.heldHint} />
      <Figure label={home.ledger} amount={data?.ledger ?? null} hint={home.ledgerHint} />
      <Figure label={home.accepted} {...today("accepted")} />
      <Figure label={home.paid} {...today("paid")} />
      <Figure label={home.returned} {...today("returned")} />
    </SimpleGrid>
  );
}
