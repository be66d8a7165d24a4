// A form that asks once more before it sends: first the details, then the question in the same dialog.
import { useState } from "react";
import { useApiForm, type ApiForm, type FormOptions } from "./form.tsx";

type Words = { readonly next: string; readonly submit: string };
type AskedForm<Values> = ApiForm<Values> & {
  /** Whether the question is shown, and sends what was typed. */
  readonly isAsked: boolean;
  /** For `Form`: which of the two steps its buttons belong to. */
  readonly step: {
    readonly of: ApiForm<Values>;
    readonly label: string;
    readonly onCancel: () => void;
    readonly noValidate: false;
  };
};

/** As `useApiForm`. What is refused is shown at the details; back from the question leads there, too. */
export function useAskedForm<Values extends Record<string, unknown>, Answer>(
  options: Omit<FormOptions<Values, Answer>, "onDone">,
  words: Words,
  onClose: () => void,
): AskedForm<Values> {
  const [isAsked, setAsked] = useState(false);
  const sent = useApiForm({
    ...options,
    submit: (values: Values) =>
      options.submit(values).catch((error: unknown) => {
        setAsked(false);
        throw error;
      }),
    onDone: onClose,
  });
  const ask: ApiForm<Values>["onSubmit"] = (event) => {
    event?.preventDefault();
    setAsked(true);
  };
  return {
    ...sent,
    isAsked,
    step: {
      of: isAsked ? sent : { ...sent, onSubmit: ask },
      label: isAsked ? words.submit : words.next,
      onCancel: () => (isAsked ? setAsked(false) : onClose()),
      noValidate: false,
    },
  };
}
