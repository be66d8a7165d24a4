// Where one is signed in, and ending that.
// What belongs here: the list of sessions and its buttons.
import { Badge, Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Panel } from "../../components/page.tsx";
import { moment } from "../../format/time.ts";
import { security } from "../../strings/sign-in.ts";
import { deviceName } from "./device-name.ts";

type OwnSession = {
  readonly session_id: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly address: string;
  readonly user_agent: string;
  readonly current: boolean;
};

/** Under which the list is kept. */
export const SESSIONS_KEY = ["/sessions"];

/** All sessions of whoever is signed in. */
export function Sessions() {
  const queries = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: ({ signal }) => api<{ sessions: OwnSession[] }>("GET", "/sessions", { signal }),
  });
  const end = useMutation({
    mutationFn: (path: string) => api<{ ended?: number }>("DELETE", path),
    onSuccess: async ({ ended = 1 }) => {
      notifications.show({ color: "green", message: security.ended(ended) });
      await queries.invalidateQueries({ queryKey: SESSIONS_KEY });
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
          {current && <Badge tt="none">{security.thisSession}</Badge>}
        </Group>
      ),
    },
    { key: "address", title: security.address, render: ({ address }) => address, hideBelow: "sm" },
    { key: "created_at", title: security.since, render: ({ created_at }) => moment(created_at), hideBelow: "md" },
    { key: "last_seen_at", title: security.lastSeen, render: ({ last_seen_at }) => moment(last_seen_at) },
    {
      key: "end",
      title: security.end,
      align: "right",
      render: ({ session_id, current, user_agent }) =>
        !current && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={security.endSession(deviceName(user_agent) ?? security.unknownDevice)}
            onClick={() => end.mutate(`/sessions/${session_id}`)}
          >
            {security.end}
          </Button>
        ),
    },
  ];
  const endOthers = (
    <Button variant="default" loading={end.isPending} onClick={() => end.mutate("/sessions")}>
      {security.endOthers}
    </Button>
  );
  const sessions = data?.sessions ?? [];
  return (
    <Panel title={security.sessionsTitle} flush actions={sessions.length > 1 && endOthers}>
      <Text c="dimmed" px="md" pb="sm">
        {security.sessionsHint}
      </Text>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} m="md" />
      ) : (
        <DataTable
          caption={security.sessionsTitle}
          columns={columns}
          rows={sessions}
          rowKey={({ session_id }) => session_id}
          isLoading={isPending}
        />
      )}
    </Panel>
  );
}
