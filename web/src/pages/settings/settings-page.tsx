// All settings, by group. Words find one, and Enter opens the first.
import { Text, TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { Link, useNavigate } from "@tanstack/react-router";
import { type SubmitEvent, useRef, useState } from "react";
import { type Setting, useSettings } from "../../app/settings.ts";
import { SearchIcon } from "../../components/icons.tsx";
import { useSingleKeys } from "../../components/keys.ts";
import { EmptyState } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { settings as words } from "../../strings/settings.ts";
import { navigationGroups } from "../../strings/shell.ts";
import classes from "./settings-page.module.css";

/** The settings that the user may see. */
export function Page() {
  const [text, setText] = useState("");
  const found = useSettings(text.trim());
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [singleKeys] = useSingleKeys();
  useHotkeys(singleKeys ? [["/", () => field.current?.focus()]] : []);
  const openFirst = (event: SubmitEvent): void => {
    event.preventDefault();
    if (text.trim() !== "" && found[0]) void navigate({ to: found[0].to, hash: found[0].hash });
  };
  return (
    <Outline title={navigationGroups.settings} hint={words.hint}>
      <form role="search" onSubmit={openFirst}>
        <TextInput
          ref={field}
          type="search"
          maw={480}
          aria-label={words.search}
          placeholder={words.search}
          leftSection={<SearchIcon size={16} />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
      {found.length === 0 && (
        <div role="status">
          <EmptyState title={words.nothing(text.trim())} hint={words.nothingHint} />
        </div>
      )}
      <div className={classes["groups"]}>
        {[...Map.groupBy(found, ({ group }) => group)].map(([group, own]) => (
          <div key={group} className={classes["group"]}>
            <Panel title={words.groups[group]}>
              <ul className={classes["list"]}>
                {own.map((setting) => (
                  <Entry key={setting.name} setting={setting} />
                ))}
              </ul>
            </Panel>
          </div>
        ))}
      </div>
    </Outline>
  );
}

function Entry({ setting: { name, to, hash, label } }: { readonly setting: Setting }) {
  return (
    <li>
      <Link to={to} hash={hash} className={classes["entry"]}>
        <span className={classes["label"]}>{label}</span>
        <Text span size="sm" c="dimmed">
          {words.hints[name]}
        </Text>
      </Link>
    </li>
  );
}
