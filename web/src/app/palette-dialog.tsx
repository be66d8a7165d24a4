// The dialog of the global search: the arrow keys and Enter go to a result. found.ts makes its lines.
import { Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { useContext, useEffect, useState } from "react";
import { useGet } from "../api/queries.ts";
import { useSession } from "../api/session.ts";
import { SearchIcon } from "../components/icons.tsx";
import { Money, StatusBadge } from "../components/values.tsx";
import { finding } from "../strings/finding.ts";
import { PagesContext } from "./area.ts";
import { linesOfLists, linesOfPages, linesOfRecords, type FoundGroup, type FoundLine } from "./found.ts";
import classes from "./palette.module.css";

const TYPING_MS = 200;

const [store, palette] = createSpotlight();

type Props = {
  /** Counts how often the dialog was requested; each time opens it. */
  readonly asked: number;
};

/** The dialog, open from the beginning. */
export function PaletteDialog({ asked }: Props) {
  const [text, setText] = useState("");
  const { groups, message } = useFound(text.trim());
  const lines = groups.flatMap((group) => group.lines.map(({ id }) => id)).join(" ");
  // Spotlight selects the first line when the text changes, but results arrive later.
  useEffect(selectFirst, [lines]);
  useEffect(() => palette.open(), [asked]);
  return (
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      shortcut={null}
      title={finding.title}
      classNames={{ header: classes["hidden"]! }}
    >
      <Spotlight.Search
        placeholder={finding.placeholder}
        aria-label={finding.title}
        leftSection={<SearchIcon size={18} />}
      />
      <Spotlight.ActionsList className={classes["list"]}>
        {groups.map((group) => (
          <FoundGroupView key={group.name} group={group} />
        ))}
        {message !== null && <Spotlight.Empty role="status">{message}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** The current results for a text, and a message if there are none, or more than shown. */
function useFound(text: string): { readonly groups: readonly FoundGroup[]; readonly message: string | null } {
  const session = useSession();
  const pages = useContext(PagesContext);
  const [asked] = useDebouncedValue(text, TYPING_MS);
  const isAsked = asked !== "" && session.merchant !== null;
  const { data, error, isFetching } = useGet("/search", {
    query: { text: asked },
    enabled: isAsked,
  });
  const own = linesOfPages(session, pages, text);
  if (text === "") return { groups: own, message: null };
  if (!session.merchant) {
    return { groups: own, message: own.some(({ lines }) => lines.length > 0) ? null : finding.nothing(text) };
  }
  if (error) return { groups: [...own, linesOfLists(session, pages, text)], message: finding.failed };
  // Results for an earlier text are not shown, since Enter would open them.
  if (!data || isFetching || asked !== text) return { groups: own, message: finding.searching };
  const found = [...linesOfRecords(data, text), ...own];
  const message = found.some(({ lines }) => lines.length > 0) ? null : finding.nothing(text);
  return { groups: [...found, linesOfLists(session, pages, text)], message };
}

function selectFirst(): void {
  const { listId } = store.getState();
  const list = listId === "" ? null : document.getElementById(listId);
  list?.querySelector("[data-selected]")?.removeAttribute("data-selected");
  list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}

function FoundGroupView({ group }: { readonly group: FoundGroup }) {
  if (group.lines.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={finding.groups[group.name]}>
      {group.lines.map((line) => (
        <FoundLineView key={line.id} line={line} />
      ))}
    </Spotlight.ActionsGroup>
  );
}

function FoundLineView({ line }: { readonly line: FoundLine }) {
  const navigate = useNavigate();
  const { label, description, amount, status, to, search = {}, hash = "" } = line;
  return (
    <Spotlight.Action onClick={() => void navigate({ to, search, hash })} className={classes["line"]}>
      <Group wrap="nowrap" justify="space-between" w="100%" gap="sm">
        <div className={classes["texts"]}>
          <Text truncate>{label}</Text>
          {description !== "" && (
            <Text size="sm" truncate className={classes["description"]}>
              {description}
            </Text>
          )}
        </div>
        <Group gap="xs" wrap="nowrap" className={classes["values"]}>
          {status !== undefined && <StatusBadge status={status} />}
          {amount !== undefined && <Money amount={amount} />}
        </Group>
      </Group>
    </Spotlight.Action>
  );
}
