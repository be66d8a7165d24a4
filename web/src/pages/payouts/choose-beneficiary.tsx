// Choosing whom to pay: a search, and the first ones that it finds.
import { Group, Radio, Stack, Text } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action, LinkTo } from "../../components/actions.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { SearchField } from "../../lists/filters.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { newTransfer } from "../../strings/payouts.ts";
import { WEIGHT } from "../../app/tokens.ts";

const SHOWN = "8";

type Props = {
  readonly chosen: Beneficiary | null;
  readonly error: string | null;
  readonly onChoose: (beneficiary: Beneficiary | null) => void;
};

/** The chosen beneficiary, or the search for one. */
export function ChooseBeneficiary({ chosen, error, onChoose }: Props) {
  if (!chosen) return <FindBeneficiary error={error} onChoose={onChoose} />;
  return (
    <div>
      <Text size="sm" fw={WEIGHT.medium}>
        {newTransfer.beneficiary}
      </Text>
      <Group justify="space-between" gap="sm">
        <div>
          <Text>{chosen.name}</Text>
          <Text size="sm" c="dimmed">
            {accountOf(chosen)}
          </Text>
        </div>
        <Action label={newTransfer.change} size="xs" onClick={() => onChoose(null)} />
      </Group>
    </div>
  );
}

function FindBeneficiary({ error: missing, onChoose }: Omit<Props, "chosen">) {
  const [search, setSearch] = useState("");
  const { data, error, refetch } = useGet("/beneficiaries", {
    query: { search, limit: SHOWN },
    placeholderData: keepPreviousData,
  });
  const found = data?.beneficiaries ?? [];
  const may = usePermissions();
  return (
    <Stack gap="xs">
      <SearchField label={newTransfer.find} value={search} onSearch={setSearch} />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && found.length === 0 ? (
        <Text size="sm">{newTransfer.none}</Text>
      ) : (
        <Radio.Group
          label={newTransfer.beneficiary}
          withAsterisk
          error={missing}
          value={null}
          onChange={(id) => onChoose(found.find(({ beneficiary_id }) => beneficiary_id === id) ?? null)}
        >
          <Stack gap="xs" mt="xs">
            {found.map((each) => (
              <Group key={each.beneficiary_id} gap="xs">
                <Radio
                  value={each.beneficiary_id}
                  label={each.name}
                  description={accountOf(each)}
                  disabled={each.approval !== "approved"}
                />
                {each.approval !== "approved" && <StatusBadge status={each.approval} />}
              </Group>
            ))}
          </Stack>
        </Radio.Group>
      )}
      {may("beneficiaries.manage") && (
        <LinkTo label={newTransfer.add} to="/beneficiaries/new" size="sm" underline="always" />
      )}
    </Stack>
  );
}

export type Beneficiary = Answer<"GET", "/beneficiaries/:beneficiary_id">;

/** Whether the bank still checks its account. */
export function isBeingVerified({ verification }: Pick<Beneficiary, "verification">): boolean {
  return verification === "pending";
}

/** Where its money goes, in one line. */
export function accountOf({ account_number, ifsc, upi }: Pick<Beneficiary, "account_number" | "ifsc" | "upi">): string {
  const account = account_number === "" ? "" : `${account_number} ${ifsc}`;
  return [account, upi].filter((part) => part !== "").join(" · ");
}
