// Settles all franchises: amounts and accounts to check, one confirmation, and a list of those that were not paid.
import { Loader, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { formatPaise } from "../../../../src/platform/money.ts";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useChanged } from "../../api/queries.ts";
import { ErrorNotice, Notice } from "../../components/notices.tsx";
import { rupees, toPaise } from "../../format/money.ts";
import { ConfirmMoney, Dialog } from "../../forms/dialogs.tsx";
import { franchises as words } from "../../strings/franchises.ts";
import type { Franchise } from "./franchise-fields.tsx";

const PAGE_SIZE = 200;

/** A franchise that was not paid, and why. */
export type Unpaid = { readonly label: string; readonly to: string; readonly error: string };

type Props = { readonly onDone: (unpaid: readonly Unpaid[]) => void; readonly onClose: () => void };

const amountOf = (text: string): bigint => toPaise(text) ?? 0n;
const isReady = (franchise: Franchise): boolean => franchise.account_number !== "";

/** Asks once, then pays each franchise by itself. The server pays the amounts that were shown, or nothing. */
export function SettleAllDialog({ onDone, onClose }: Props) {
  const changed = useChanged();
  const { data, error, refetch } = useQuery({
    queryKey: ["franchises to settle"],
    queryFn: ({ signal }) => findPayable(signal),
    // The confirmation and the payments use the amounts that were read.
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const ready = data?.filter(isReady) ?? [];
  const left = data?.filter((franchise) => !isReady(franchise)) ?? [];
  if (!data || ready.length === 0) {
    return (
      <Dialog title={words.settleAll} onClose={onClose}>
        {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : data ? null : <Loader />}
        {data && <Nothing left={left} />}
      </Dialog>
    );
  }
  return (
    <ConfirmMoney
      title={words.settleAllTitle(ready.length)}
      label={words.settleAll}
      amount={formatPaise(ready.reduce((sum, { payable }) => sum + amountOf(payable), 0n))}
      facts={[
        ...ready.map(factOf),
        ...left.map(({ franchise_name }) => ({ label: franchise_name, value: words.leftOut })),
      ]}
      hint={words.settleAllNote}
      submit={async () => {
        try {
          return await settleEach(ready);
        } finally {
          await changed("/franchises");
        }
      }}
      onDone={({ paid, unpaid }) => {
        if (paid > 0) notifications.show({ color: "green", message: words.settleAllDone(paid) });
        onDone(unpaid);
      }}
      onClose={onClose}
    />
  );
}

function Nothing({ left }: { readonly left: readonly Franchise[] }) {
  return (
    <Stack gap="sm">
      <Text>{words.nothingReady}</Text>
      {left.length > 0 && (
        <Notice title={words.noAccount}>{left.map(({ franchise_name }) => franchise_name).join(", ")}</Notice>
      )}
    </Stack>
  );
}

function factOf({ franchise_name, account_number, ifsc, payable }: Franchise) {
  return {
    label: franchise_name,
    value: (
      <>
        {rupees(payable)}
        <Text size="sm" c="dimmed">
          {account_number}, {ifsc}
        </Text>
      </>
    ),
  };
}

/** All franchises with an amount that can be paid now, deleted ones too: they keep what they earned. */
async function findPayable(signal: AbortSignal): Promise<Franchise[]> {
  const found: Franchise[] = [];
  for await (const { franchise_id, commission_due } of eachFranchise(signal)) {
    if (amountOf(commission_due) <= 0n) continue;
    const { franchise } = await api("GET", `/franchises/${franchise_id}`, { signal });
    if (amountOf(franchise.payable) > 0n) found.push(franchise);
  }
  return found;
}

async function* eachFranchise(signal: AbortSignal) {
  let after: string | null = null;
  do {
    const query = { limit: String(PAGE_SIZE), ...(after === null ? {} : { after }) };
    const page: Answer<"GET", "/franchises"> = await api("GET", "/franchises", { query, signal });
    yield* page.franchises;
    after = page.next;
  } while (after !== null);
}

/** Pays one after the other: a refusal does not affect the others. */
async function settleEach(franchises: readonly Franchise[]): Promise<{ paid: number; unpaid: Unpaid[] }> {
  const unpaid: Unpaid[] = [];
  for (const { franchise_id: id, franchise_name: label, payable: amount } of franchises) {
    const refuse = (error: string) => unpaid.push({ label, to: `/franchises/${id}`, error });
    try {
      const { transfer_id } = await api("POST", `/franchises/${id}/settle`, { body: { amount } });
      if (transfer_id === null) refuse(words.nothingDue);
    } catch (error) {
      refuse((error as Error).message);
    }
  }
  return { paid: franchises.length - unpaid.length, unpaid };
}
