// Forms that send to the server: what it refuses appears at the field, and nothing that was typed is lost.
// What belongs here: between Mantine's form and the API. Fields bear the names that the wire has for them.
import { useForm, type UseFormInput, type UseFormReturnType } from "@mantine/form";
import { useState, type FormEvent } from "react";
import { ApiError } from "../api/client.ts";
import { plainSentence } from "./nested-errors.ts";

type Options<Values, Answer> = {
  readonly initialValues: Values;
  /** Checks in the browser, for what is sure to be refused. The server checks everything again. */
  readonly validate?: UseFormInput<Values>["validate"];
  readonly submit: (values: Values) => Promise<Answer>;
  readonly onDone: (answer: Answer, form: UseFormReturnType<Values>) => unknown;
};

export type ApiForm<Values> = {
  readonly form: UseFormReturnType<Values>;
  /** For `<form onSubmit>`. A second press while the first is under way does nothing. */
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
  readonly isSending: boolean;
  /** What is wrong with the whole, or with a field that the form does not have. For `FormError`. */
  readonly error: Error | null;
};

/** A form with a server behind it. Bind fields with `{...form.getInputProps("account_number")}`. */
export function useApiForm<Values extends Record<string, unknown>, Answer>(
  options: Options<Values, Answer>,
): ApiForm<Values> {
  const { initialValues, validate } = options;
  const form: UseFormReturnType<Values> = useForm<Values>({
    initialValues,
    ...(validate ? { validate } : {}),
    // A change inside a list clears what was wrong with the list, as a change of a field does by itself.
    onValuesChange: (values) => {
      for (const name of Object.keys(form.errors)) if (Array.isArray(values[name])) form.clearFieldError(name);
    },
  });
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);

  const send = async (values: Values): Promise<void> => {
    if (isSending) return;
    setSending(true);
    setError(null);
    try {
      const answer = await options.submit(values);
      await options.onDone(answer, form);
    } catch (thrown) {
      showFailure(thrown as Error);
    } finally {
      setSending(false);
    }
  };
  const showFailure = (failure: Error): void => {
    const refused = failure instanceof ApiError ? Object.entries(failure.fields) : [];
    const fields = Object.fromEntries(refused.map(([name, message]) => [name, plainSentence(name, message)]));
    form.setErrors(fields);
    const isShown =
      Object.keys(fields).length > 0 && Object.keys(fields).every((name) => hasField(initialValues, name));
    if (!isShown) setError(failure);
    const [first] = Object.keys(fields);
    // The field may be in a list of rows; the form then has no single place to go to.
    if (first !== undefined) form.getInputNode(first)?.focus();
  };
  return { form, onSubmit: (event) => form.onSubmit((values) => void send(values))(event), isSending, error };
}

/** Whether the form has the field, which may be inside others: `particular_rows.0.amount`. */
function hasField(values: unknown, path: string): boolean {
  return (
    path.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], values) !==
    undefined
  );
}
