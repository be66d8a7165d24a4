// Tags of payouts: shown, typed or chosen among the known ones, and changed.
import { Badge, Group, Select, TagsInput, type TagsInputProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { TAG_LENGTH, TAG_PATTERN } from "../../../../src/platform/as-typed.ts";
import { api } from "../../api/client.ts";
import { useGet } from "../../api/queries.ts";
import { usePermissions } from "../../api/session.ts";
import { Action } from "../../components/actions.tsx";
import { FormDialog } from "../../forms/dialogs.tsx";
import type { List } from "../../lists/use-list.ts";
import { tags as words } from "../../strings/tags-and-files.ts";

const MOST_TAGS = 10;
const TYPING_MS = 200;

/** Tags in a row; a dash where there are none. */
export function Tags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return "–";
  return (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge key={tag} variant="light" color="gray" tt="none">
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

/** The merchant's tags that begin with what is typed. */
function useKnownTags(typed: string) {
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  return useGet("/transfer-tags", { query: { search }, placeholderData: keepPreviousData });
}

/** What is wrong with tags; `null` if nothing is. */
export function tagsError(tags: readonly string[]): string | null {
  const wrong = tags.find((tag) => !TAG_PATTERN.test(tag) || tag.length > TAG_LENGTH);
  return wrong === undefined ? null : words.invalid(wrong);
}

/** Tags to type, or to choose among those of other payouts. */
export function TagsField(props: TagsInputProps) {
  const [typed, setTyped] = useState("");
  const { data } = useKnownTags(typed);
  return (
    <TagsInput
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...props}
      data={data?.tags ?? []}
      searchValue={typed}
      onSearchChange={setTyped}
      maxTags={MOST_TAGS}
      maxLength={TAG_LENGTH}
    />
  );
}

/** Narrows a list down to one tag, for merchants that have tags. */
export function TagFilter({ list }: { readonly list: Pick<List<unknown>, "filters" | "setFilters"> }) {
  const chosen = list.filters["tag"] ?? "";
  const [typed, setTyped] = useState(chosen);
  const { data } = useKnownTags(typed === chosen ? "" : typed);
  const known = data?.tags ?? [];
  if (chosen === "" && typed === "" && known.length === 0) return null;
  return (
    <Select
      label={words.one}
      placeholder={words.any}
      data={chosen === "" || known.includes(chosen) ? known : [chosen, ...known]}
      value={chosen === "" ? null : chosen}
      onChange={(tag) => list.setFilters({ tag: tag ?? "" })}
      searchValue={typed}
      onSearchChange={setTyped}
      searchable
      clearable
      maxLength={TAG_LENGTH}
      w={180}
    />
  );
}

type Changing = { readonly transfer: { readonly transfer_id: string; readonly tags: readonly string[] } };

/** The tags of a payout, with a button that changes them. */
export function PayoutTags({ transfer }: Changing) {
  const may = usePermissions();
  const [isOpen, setOpen] = useState(false);
  const label = transfer.tags.length === 0 ? words.add : words.change;
  return (
    <Group gap="xs" justify="space-between">
      {(transfer.tags.length > 0 || !may("payouts.transfer")) && <Tags tags={transfer.tags} />}
      {may("payouts.transfer") && <Action label={label} size="compact-sm" onClick={() => setOpen(true)} />}
      {isOpen && <ChangeTags transfer={transfer} onClose={() => setOpen(false)} />}
    </Group>
  );
}

function ChangeTags({ transfer, onClose }: Changing & { readonly onClose: () => void }) {
  return (
    <FormDialog
      title={words.title}
      label={words.save}
      initialValues={{ tags: [...transfer.tags] }}
      validate={{ tags: tagsError }}
      submit={(body) => api("PUT", `/transfers/${transfer.transfer_id}/tags`, { body })}
      changes={["/transfers", "/withdrawals", "/transfer-tags"]}
      done={words.saved}
      onClose={onClose}
    >
      {({ field }) => <TagsField {...field("tags", words.title, words.hint)} data-autofocus />}
    </FormDialog>
  );
}
