// The user's sessions, and ending them.
import { Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useChanged, useGet } from "../../api/queries.ts";
import { Action } from "../../components/actions.tsx";
import type { Column } from "../../components/data-table.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { StatusBadge } from "../../components/values.tsx";
import { security } from "../../strings/sign-in.ts";

type OwnSession = Answer<"GET", "/session/sessions">["sessions"][number];

/** Ends one session, or for `null` all others. Answers how many. */
async function endSessions(one: string | null): Promise<number> {
  if (one === null) return (await api("DELETE", "/session/sessions")).ended;
  await api("DELETE", `/session/sessions/${one}`);
  return 1;
}

/** All sessions of the user who is signed in. */
export function Sessions() {
  const changed = useChanged();
  const { data, ...found } = useGet("/session/sessions");
  const end = useMutation({
    mutationFn: endSessions,
    onSuccess: async (ended) => {
      notifications.show({ color: "green", message: security.ended(ended) });
      await changed("/session/sessions");
    },
    onError: ({ message }) => notifications.show({ color: "red", message }),
  });
  const columns: Column<OwnSession>[] = [
    {
      key: "device",
      title: security.device,
      render: ({ user_agent, current }) => (
        <Group gap="xs">
          {deviceName(user_agent) ?? security.unknownDevice}
          {current && <StatusBadge status={security.thisSession} tone="info" />}
        </Group>
      ),
    },
    { key: "address", title: security.address, hideBelow: "sm" },
    { key: "created_at", title: security.since, hideBelow: "md", as: "moment" },
    { key: "last_seen_at", title: security.lastSeen, as: "moment" },
    {
      key: "end",
      title: security.end,
      align: "right",
      isButtons: true,
      render: ({ session_id, current, user_agent }) =>
        !current && (
          <Action
            label={security.end}
            size="compact-sm"
            aria-label={security.endSession(deviceName(user_agent) ?? security.unknownDevice)}
            onClick={() => end.mutate(session_id)}
          />
        ),
    },
  ];
  const endOthers = <Action label={security.endOthers} loading={end.isPending} onClick={() => end.mutate(null)} />;
  return (
    <TablePanel
      title={security.sessionsTitle}
      hint={security.sessionsHint}
      actions={(data?.sessions.length ?? 0) > 1 && endOthers}
      of={found}
      rows={data?.sessions}
      columns={columns}
      rowKey="session_id"
    />
  );
}

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\/|Chromium\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** `Firefox on Windows`; `null` where nothing is recognised. */
function deviceName(userAgent: string): string | null {
  const nameIn = (names: readonly [RegExp, string][]): string | undefined =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return system ?? null;
  return system === undefined ? browser : `${browser} on ${system}`;
}
