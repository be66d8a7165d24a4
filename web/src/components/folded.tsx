// A part of a page that is closed until the user opens it.
import { Paper, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./folded.module.css";

/** A panel that its title opens. */
export function Folded({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper component="details" withBorder className={classes["folded"]}>
      <summary>
        <Title order={2}>{title}</Title>
      </summary>
      <Stack gap="lg" p="md" pt={0}>
        {children}
      </Stack>
    </Paper>
  );
}
