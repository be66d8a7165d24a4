// Chooses the items to match a statement line with: payouts, returns, fees and fundings that no statement has shown yet.
import { Checkbox, Group, ScrollArea, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Answer } from "../../api/contract.ts";
import { useGet } from "../../api/queries.ts";
import { ErrorNotice } from "../../components/notices.tsx";
import { Money } from "../../components/values.tsx";
import { formatRupees, rupees, toPaise } from "../../format/money.ts";
import { day } from "../../format/time.ts";
import { reconciliation as words } from "../../strings/reconciliation.ts";

export type Candidate = Answer<"GET", "/reconciliation/candidates">["candidates"][number];

type Props = {
  readonly line: { readonly line_id: string; readonly amount: string; readonly side: "in" | "out" };
  /** What is ticked. */
  readonly chosen: readonly Candidate[];
  readonly onChoose: (chosen: readonly Candidate[]) => void;
  readonly error?: ReactNode;
};

const TYPING_MS = 200;

/** Lists the candidates for a line, with a search. Ticked items stay visible during a new search. */
export function CandidatePicker({ line, chosen, onChoose, error }: Props) {
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  const query = { line_id: line.line_id, search };
  const { data, error: failure } = useGet("/reconciliation/candidates", { query, placeholderData: keepPreviousData });
  const isChosen = ({ what }: Candidate): boolean => chosen.some((each) => each.what === what);
  const found = (data?.candidates ?? []).filter((candidate) => !isChosen(candidate));
  const toggle = (candidate: Candidate): void =>
    onChoose(isChosen(candidate) ? chosen.filter(({ what }) => what !== candidate.what) : [...chosen, candidate]);
  return (
    <Stack gap="xs">
      <TextInput
        label={words.search}
        placeholder={words.searchHint}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {failure && <ErrorNotice error={failure} />}
      <Checkbox.Group label={words.with} error={error} value={chosen.map(({ what }) => what)} required>
        <ScrollArea.Autosize mah={320} type="auto" viewportProps={{ tabIndex: 0 }}>
          <Stack gap="xs" py="xs">
            {[...chosen, ...found].map((candidate) => (
              <Checkbox
                key={candidate.what}
                value={candidate.what}
                onChange={() => toggle(candidate)}
                label={<Described candidate={candidate} />}
                styles={{ labelWrapper: { flex: 1 } }}
              />
            ))}
          </Stack>
        </ScrollArea.Autosize>
      </Checkbox.Group>
      {data && chosen.length + found.length === 0 && <Text c="dimmed">{words.noCandidates}</Text>}
      {chosen.length > 0 && (
        <Text aria-live="polite">{words.chosenOf(formatRupees(sumOf(chosen, line.side)), rupees(line.amount))}</Text>
      )}
    </Stack>
  );
}

function Described({
  candidate: { kind, name, utr, reference, posted_on, amount },
}: {
  readonly candidate: Candidate;
}) {
  const about = [day(posted_on), utr, reference].filter((text) => text !== null && text !== "");
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm" component="span">
        <Text span style={{ overflowWrap: "anywhere" }}>
          {[words.kinds[kind], name].filter(Boolean).join(" · ")}
        </Text>
        <Money amount={amount} />
      </Group>
      <Text span size="sm" c="dimmed" display="block" style={{ overflowWrap: "anywhere" }}>
        {[...new Set(about)].join(" · ")}
      </Text>
    </>
  );
}

/** Why the chosen items can't be matched with a line; `null` if they can. */
export function matchError(chosen: readonly Candidate[], { side, amount }: Props["line"]): string | null {
  if (chosen.length === 0) return words.noneChosen;
  const difference = toPaise(amount)! - sumOf(chosen, side);
  if (difference === 0n) return null;
  return difference > 0n ? words.tooLittle(formatRupees(difference)) : words.tooMuch(formatRupees(-difference));
}

/** The sum of candidates on a line's side, in paise; candidates of the other side are subtracted. */
function sumOf(chosen: readonly Candidate[], side: "in" | "out"): bigint {
  return chosen.reduce((sum, { kind, amount }) => {
    const isOut = kind === "paid" || kind === "fee";
    const paise = toPaise(amount)!;
    return sum + (isOut === (side === "out") ? paise : -paise);
  }, 0n);
}
