// When a session ends, a dialog asks to sign in again, and the page keeps what was typed. The dialog is for the same login: another one starts on a
// new page.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, keepCsrfToken, whenSignedOut } from "../api/client.ts";
import { sessionQuery, useSession, type StepAnswer } from "../api/session.ts";
import { Part } from "../components/part.tsx";
import { signInAddress } from "./place.ts";

type Step = "none" | "password" | "code";

const load = async () => (await import("./sign-in-again.tsx")).SignInAgain;

/** Nothing while there is a session. */
export function SessionEnded() {
  const session = useSession();
  const queries = useQueryClient();
  const [step, setStep] = useState<Step>("none");
  useEffect(() => {
    whenSignedOut(() => {
      setStep((now) => (now === "none" ? "password" : now));
      return true;
    });
    return () =>
      whenSignedOut(() => {
        location.assign(signInAddress());
        return false;
      });
  }, []);
  const goOn = async ({ state, csrf_token }: StepAnswer): Promise<void> => {
    keepCsrfToken(csrf_token);
    if (state === "second_factor") return setStep("code");
    const opened = state === "signed_in" ? await api("GET", "/session") : null;
    // Another user, or one who has to choose a password first, can't continue on this page.
    if (opened?.id !== session.id || opened.kind !== session.kind) return location.assign(signInAddress("/"));
    queries.setQueryData(sessionQuery.queryKey, opened);
    setStep("none");
    await queries.invalidateQueries();
  };
  return <Part load={load} wanted={step !== "none"} of={{ step, onDone: goOn }} />;
}
