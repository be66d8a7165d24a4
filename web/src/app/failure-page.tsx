// Pages for special states: not found, forbidden, failed, loading.
import { Center, Loader, Stack, Text, Title } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import { Action } from "../components/actions.tsx";
import { ErrorNotice } from "../components/notices.tsx";
import { shell } from "../strings/shell.ts";
import { basePath } from "./place.ts";

type MessageProps = { readonly title: string; readonly children?: ReactNode; readonly action?: ReactNode };

function Message({ title, children, action }: MessageProps) {
  useEffect(() => {
    document.title = `${title} · ${shell.product}`;
  }, [title]);
  return (
    <Center component="section" mih="50vh" p="md">
      <Stack align="center" gap="sm" maw={480} ta="center">
        <Title order={1}>{title}</Title>
        {children}
        {action}
      </Stack>
    </Center>
  );
}

function HomeButton() {
  return <Action label={shell.goHome} href={basePath()} />;
}

/** For unknown addresses and missing records. */
export function NotFoundPage() {
  return (
    <Message title={shell.notFoundTitle} action={<HomeButton />}>
      <Text c="dimmed">{shell.notFoundText}</Text>
    </Message>
  );
}

/** For pages that the user's role does not allow. */
export function ForbiddenPage() {
  const { role } = useSession();
  return (
    <Message title={shell.forbiddenTitle} action={<HomeButton />}>
      <Text c="dimmed">{shell.forbiddenText(role)}</Text>
    </Message>
  );
}

/** Shows an error that any page throws. */
export function FailurePage({ error: thrown, reset }: ErrorComponentProps) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  // The address decides what a page requests: an invalid id counts as not found too.
  const isNowhere = error instanceof ApiError && (error.status === 404 || error.code === "validation_failed");
  if (isNowhere) return <NotFoundPage />;
  if (error instanceof ApiError && error.status === 403) return <ForbiddenPage />;
  // A page's files have other names after an update.
  const isOutdated = /dynamically imported module|module script/i.test(error.message);
  const reload = <Action label={shell.reload} primary onClick={() => location.reload()} />;
  if (isOutdated) {
    return (
      <Message title={shell.newVersionTitle} action={reload}>
        <Text c="dimmed">{shell.newVersionText}</Text>
      </Message>
    );
  }
  return (
    <Message title={shell.failedTitle} action={reload}>
      <ErrorNotice error={error} onRetry={reset} />
    </Message>
  );
}

export function LoadingPage() {
  return (
    <Center mih="50vh">
      <Loader aria-label={shell.loading} role="status" />
    </Center>
  );
}
