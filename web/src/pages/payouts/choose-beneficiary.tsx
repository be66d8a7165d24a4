// Chooses the payee: found by name, account or IFSC, or added here without leaving the form.
import { Group, Select, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { newTransfer } from "../../strings/payouts.ts";
import { WEIGHT } from "../../app/tokens.ts";
import { AddBeneficiary } from "./add-beneficiary.tsx";
import { accountOf, type Beneficiary } from "./beneficiary.ts";

const SHOWN = "8";
const TYPING_MS = 200;
/** The last choice of the list. No beneficiary has this id. */
const NEW = "new";

type Props = {
  readonly chosen: Beneficiary | null;
  readonly error: string | null;
  /** With the id of a beneficiary, or `null` for none. */
  readonly onChoose: (beneficiaryId: string | null) => void;
};

/** The chosen beneficiary, the search for one, or the form for a new one. It has a form of its own: it can't be in another one. */
export function ChooseBeneficiary({ chosen, error, onChoose }: Props) {
  const [newName, setNewName] = useState<string | null>(null);
  if (chosen) return <Chosen beneficiary={chosen} onChange={() => onChoose(null)} />;
  if (newName === null) return <FindBeneficiary error={error} onChoose={onChoose} onNew={setNewName} />;
  const leave = (beneficiaryId: string | null): void => {
    setNewName(null);
    onChoose(beneficiaryId);
  };
  return <AddBeneficiary name={newName} onDone={leave} />;
}

function Chosen({ beneficiary, onChange }: { readonly beneficiary: Beneficiary; readonly onChange: () => void }) {
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <div>
        <Text fw={WEIGHT.strong}>{beneficiary.name}</Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {accountOf(beneficiary)}
        </Text>
      </div>
      <Action label={newTransfer.change} size="xs" onClick={onChange} />
    </Group>
  );
}

type FindProps = Omit<Props, "chosen"> & { readonly onNew: (name: string) => void };

function FindBeneficiary({ error: missing, onChoose, onNew }: FindProps) {
  const [typed, setTyped] = useState("");
  const name = typed.trim();
  const [search] = useDebouncedValue(name, TYPING_MS);
  const { data, error, refetch } = useGet("/beneficiaries", {
    query: { search, limit: SHOWN },
    placeholderData: keepPreviousData,
  });
  const found = data?.beneficiaries ?? [];
  const may = usePermissions();
  const added = may("beneficiaries.manage") ? [{ value: NEW, label: newTransfer.addNamed(name) }] : [];
  return (
    <Stack gap="xs">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Select
        label={newTransfer.beneficiary}
        placeholder={newTransfer.find}
        withAsterisk
        error={missing}
        data={[
          ...found.map((each) => ({
            value: each.beneficiary_id,
            label: each.name,
            disabled: each.approval !== "approved",
          })),
          ...added,
        ]}
        // The server has looked already.
        filter={({ options }) => options}
        searchable
        selectFirstOptionOnChange
        value={null}
        searchValue={typed}
        onSearchChange={setTyped}
        onChange={(id) => (id === NEW ? onNew(name) : onChoose(id))}
        renderOption={({ option }) => (
          <Option label={option.label} beneficiary={found.find((each) => each.beneficiary_id === option.value)} />
        )}
        nothingFoundMessage={data && newTransfer.none}
        maxDropdownHeight="24rem"
        comboboxProps={{ withinPortal: true }}
      />
    </Stack>
  );
}

type OptionProps = { readonly label: string; readonly beneficiary: Found | undefined };

/** A line of the list: the name with its account; the last one adds somebody. */
function Option({ label, beneficiary }: OptionProps) {
  if (!beneficiary) return <Text c="var(--nodal-link)">{label}</Text>;
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" flex={1}>
      <div>
        <Text>{label}</Text>
        <Text size="sm" c="dimmed">
          {accountOf(beneficiary)}
        </Text>
      </div>
      {beneficiary.approval !== "approved" && <StatusBadge status={beneficiary.approval} />}
    </Group>
  );
}

type Found = Answer<"GET", "/beneficiaries">["beneficiaries"][number];
