// The actions on a template, on its page and in its row of the list.
import { api } from "../../api/client.ts";
import { usePermissions } from "../../api/session.ts";
import { historyEntry } from "../../components/actions.tsx";
import { type MenuEntry, MenuEntries, RowMenu } from "../../components/more-menu.tsx";
import { useAtOnce } from "../../forms/at-once.ts";
import { lists } from "../../strings/lists.ts";
import { templates as words } from "../../strings/templates.ts";
import { CHANGES, type Template } from "./template-values.ts";

export type ListedTemplate = Pick<Template, "template_id" | "name" | "is_default">;

/** The actions that this user may take. */
export function useTemplateActions({ template_id: id, name, is_default: isDefault }: ListedTemplate): MenuEntry[] {
  const may = usePermissions();
  const { isRunning, run } = useAtOnce();
  const makeDefault = (): void =>
    void run({
      submit: () => api("POST", `/templates/${id}/default`),
      changes: CHANGES,
      done: words.madeDefault(name),
    });
  return [
    ...(may("audit.view") ? [historyEntry(id)] : []),
    ...(may("templates.manage") && !isDefault
      ? [{ label: words.makeDefault, onClick: makeDefault, loading: isRunning }]
      : []),
  ];
}

/** The menu of a template's row. */
export function TemplateRowMenu({ template }: { readonly template: ListedTemplate }) {
  return (
    <RowMenu label={lists.actionsOf(template.name)}>
      <RowEntries template={template} />
    </RowMenu>
  );
}

function RowEntries({ template }: { readonly template: ListedTemplate }) {
  const open = { label: lists.open, to: `/templates/${template.template_id}` };
  return <MenuEntries of={[open, ...useTemplateActions(template).toReversed()]} />;
}
