// Choosing whom to pay: a search, and the first ones that it finds.
// What belongs here: the field. What is chosen is the form's.
import { Anchor, Button, Group, Radio, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { newTransfer } from "../../strings/payouts.ts";
import { accountOf, type Beneficiary } from "./beneficiary.ts";

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
      <Text size="sm" fw={500}>
        {newTransfer.beneficiary}
      </Text>
      <Group justify="space-between" gap="sm">
        <div>
          <Text>{chosen.name}</Text>
          <Text size="sm" c="dimmed">
            {accountOf(chosen)}
          </Text>
        </div>
        <Button variant="default" size="xs" onClick={() => onChoose(null)}>
          {newTransfer.change}
        </Button>
      </Group>
    </div>
  );
}

function FindBeneficiary({ error: missing, onChoose }: Omit<Props, "chosen">) {
  const [search, setSearch] = useState("");
  const { data, error, refetch } = useQuery({
    queryKey: ["/beneficiaries", "choose", search],
    queryFn: ({ signal }) =>
      api<{ beneficiaries: Beneficiary[] }>("GET", "/beneficiaries", { query: { search, limit: SHOWN }, signal }),
    placeholderData: keepPreviousData,
  });
  const found = data?.beneficiaries ?? [];
  return (
    <Stack gap="xs">
      <SearchField label={newTransfer.find} value={search} onSearch={setSearch} />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data && found.length === 0 ? (
        <Text size="sm">
          {newTransfer.none}{" "}
          <Anchor component={Link} to="/beneficiaries/new" inherit underline="always">
            {newTransfer.add}
          </Anchor>
        </Text>
      ) : (
        <Radio.Group
          label={newTransfer.beneficiary}
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
    </Stack>
  );
}
