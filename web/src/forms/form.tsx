// Forms that send to the server: refusals appear at their fields, and no input is lost. Fields have the names of the API.
import { Alert, Group, Stack, Text, TextInput, type TextInputProps } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { typedField } from "../../../src/platform/as-typed.ts";
import { ApiError } from "../api/client.ts";
import { useChanged } from "../api/queries.ts";
import { Action } from "../components/actions.tsx";
import { ErrorNotice, Notice } from "../components/notices.tsx";
import { inWords } from "../format/money.ts";
import { sayOfField } from "../format/refusal.ts";
import { momentOf } from "../format/time.ts";
import { doubts as words } from "../strings/doubts.ts";
import { parts } from "../strings/shell.ts";
import { unsaved } from "../strings/unsaved.ts";
import { stillDoubted, type Asked } from "./doubts.ts";
import { useDraft, type Draft } from "./draft.ts";

import { LeaveGuard } from "./leave-guard.tsx";
import { focusFirst, ownErrors, type Rules, shownErrors, valueAt } from "./form-errors.ts";

export type FormOptions<Values, Answer> = {
  readonly initialValues: Values;
  /** Checks in the browser, for values that are certain to be refused. The server checks everything again. */
  readonly validate?: Rules<Values>;
  readonly submit: (values: Values) => Promise<Answer>;
  /** Possible mistakes, as sentences: shown before the form is sent; pressing the button again sends it anyway. */
  readonly doubts?: (values: Values) => readonly string[];
  /** The same for mistakes that only the server can find; it is asked once when the form is sent. */
  readonly serverDoubts?: (values: Values) => Promise<readonly string[]>;
  /** Shown if the form was saved already: its answer was lost, and it was edited since. */
  readonly savedAlready?: string;
  /** The paths that the form changes: everything below them is fetched again. */
  readonly changes?: readonly string[];
  /** The message after saving; none for `null`. */
  readonly done?: string | ((answer: Answer) => string | null);
  readonly onDone?: (answer: Answer, form: UseFormReturnType<Values>) => unknown;
  /** The name of the browser's draft of the values, without secrets; for long forms. */
  readonly draft?: string;
  readonly secrets?: readonly (keyof Values)[];
};

/**
 * The values with phones, PIN codes and the like in the spelling that the server takes. What a form saves passes through
 * here by itself; a form that asks for a preview passes its values through here too, or the preview refuses what saving takes.
 */
export function asTyped<Values>(values: Values): Values {
  if (Array.isArray(values)) return values.map((each) => asTyped<unknown>(each)) as Values;
  if (typeof values !== "object" || values === null || Object.getPrototypeOf(values) !== Object.prototype)
    return values;
  const members = Object.entries(values as Record<string, unknown>);
  return Object.fromEntries(
    members.map(([name, value]) => [name, typeof value === "string" ? typedField(name, value) : asTyped(value)]),
  ) as Values;
}

/** A member of the values, or a place within it: `particular_rows.0.amount`. */
type FieldName<Values> = (keyof Values & string) | `${keyof Values & string}.${string}`;

export type ApiForm<Values> = {
  readonly form: UseFormReturnType<Values>;
  readonly field: ReturnType<typeof fieldsOf<Values>>;
  readonly check: ReturnType<typeof checksOf<Values>>;
  /** For `<form onSubmit>`. Does nothing while a submission is in progress. */
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
  /** Checks the fields, and shows their errors. */
  readonly hasErrors: (event?: FormEvent<HTMLFormElement>) => boolean;
  /** Whether the fields are valid, without showing errors. */
  readonly isRight: (node: HTMLFormElement) => boolean;
  readonly isSending: boolean;
  /** The error of the whole form, or of a field that it does not have. For `Form`. */
  readonly error: Error | null;
  /** Whether there are unsaved changes. */
  readonly isChanged: () => boolean;
  /** `null` where the browser keeps none. */
  readonly draft: Draft | null;
  /** The doubts that are shown, until the form is changed or sent. */
  readonly doubts: readonly string[];
};

/** A function that makes the props of a form's fields: `<TextInput {...field("email", words.email)} />`. */
export function fieldsOf<Values>(form: Pick<UseFormReturnType<Values>, "getInputProps">) {
  return (name: FieldName<Values>, label: ReactNode, description?: ReactNode) => ({
    label,
    description,
    ...form.getInputProps(name),
  });
}

/** The same for checkboxes. */
export function checksOf<Values>(form: Pick<UseFormReturnType<Values>, "getInputProps">) {
  return (name: FieldName<Values>, label: ReactNode, description?: ReactNode) => ({
    label,
    description,
    ...form.getInputProps(name, { type: "checkbox" }),
  });
}

/** A form with a server behind it. */
export function useApiForm<Values extends Record<string, unknown>, Answer>(
  options: FormOptions<Values, Answer>,
): ApiForm<Values> {
  const { initialValues, changes = [], done = null } = options;
  const changed = useChanged();
  const node = useRef<HTMLFormElement | null>(null);
  const form: UseFormReturnType<Values> = useForm<Values>({
    initialValues,
    validate: (values) => errorsIn(node.current, values, options),
    // A change inside a list clears the list's error.
    onValuesChange: (values) => {
      draft.keep();
      for (const name of Object.keys(form.errors)) if (Array.isArray(values[name])) form.clearFieldError(name);
    },
  });
  const draft = useDraft(options.draft ?? null, form, initialValues, options.secrets);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const doubts = useDoubts(form.values, options.doubts, options.serverDoubts);
  const send = async (values: Values): Promise<void> => {
    if (isSending) return;
    setSending(true);
    setError(null);
    try {
      if (!(await doubts.areKnown(values))) return;
      const answer = await options.submit(asTyped(values));
      // The values are saved: the page may be left.
      form.resetDirty();
      draft.forget();
      if (changes.length > 0) await changed(...changes);
      tell(typeof done === "function" ? done(answer) : done);
      await options.onDone?.(answer, form);
    } catch (thrown) {
      showFailure(thrown as Error);
    } finally {
      setSending(false);
    }
  };
  const showFailure = (thrown: Error): void => {
    if (thrown instanceof ApiError && thrown.code === "idempotency_conflict" && options.savedAlready !== undefined) {
      return setError(new Error(options.savedAlready));
    }
    const failure = inFormsWords(thrown);
    const fields = failure instanceof ApiError ? failure.fields : {};
    form.setErrors(fields);
    setError(errorOfWhole(thrown, failure, initialValues));
    focusFirst(node.current, fields);
  };
  return {
    form,
    field: fieldsOf(form),
    check: checksOf(form),
    onSubmit: (event) => {
      // A dialog's form must not submit the form that opened the dialog.
      event?.stopPropagation();
      node.current = event?.currentTarget ?? null;
      form.onSubmit(send, (errors) => focusFirst(node.current, errors))(event);
    },
    hasErrors: (event) => {
      node.current = event?.currentTarget ?? null;
      return form.validate().hasErrors;
    },
    isRight: (shown) => Object.keys(errorsIn(shown, form.values, options)).length === 0,
    isSending,
    error,
    isChanged: () => form.isDirty(),
    draft: options.draft === undefined ? null : draft,
    doubts: doubts.shown,
  };
}

/** The errors of the fields that a form shows, and by its own rules. */
function errorsIn<Values extends object>(
  shown: HTMLFormElement | null,
  values: Values,
  { initialValues, validate }: Pick<FormOptions<Values, unknown>, "initialValues" | "validate">,
) {
  return { ...shownErrors(shown, values, initialValues), ...ownErrors(values, validate) };
}

function tell(message: string | null): void {
  if (message !== null) notifications.show({ color: "green", message });
}

/** The doubts to show before values are sent, except for those that were shown before. */
function useDoubts<Values>(
  values: Values,
  find: (values: Values) => readonly string[] = () => [],
  ask: (values: Values) => Promise<readonly string[]> = () => Promise.resolve([]),
) {
  const [asked, setAsked] = useState<Asked<Values>>({ own: [], ofServer: [], of: values });
  return {
    shown: stillDoubted(asked, values, find),
    /** Whether there are no new doubts. New ones are shown from now on. */
    areKnown: async (sent: Values): Promise<boolean> => {
      const found = { own: find(sent), ofServer: await ask(asTyped(sent)), of: sent };
      const known = [...asked.own, ...asked.ofServer];
      const areKnown = [...found.own, ...found.ofServer].every((doubt) => known.includes(doubt));
      if (!areKnown) setAsked(found);
      return areKnown;
    },
  };
}

/** The error above the fields: the server's sentence if no field is marked, ours if only some are. */
function errorOfWhole(thrown: Error, failure: Error, initialValues: unknown): Error | null {
  const names = failure instanceof ApiError ? Object.keys(failure.fields) : [];
  const marked = names.filter((name) => valueAt(initialValues, name) !== undefined);
  return marked.length === 0 ? thrown : marked.length < names.length ? failure : null;
}

/** For a refusal in the step after a form: errors of fields are shown in the form, which is opened again. */
export function backTo(form: Pick<UseFormReturnType<never>, "setErrors">, goBack: () => void) {
  return (error: unknown): never => {
    if (error instanceof ApiError && Object.keys(error.fields).length > 0) {
      const failure = inFormsWords(error);
      if (failure instanceof ApiError) form.setErrors(failure.fields);
      goBack();
    }
    throw error;
  };
}

export type FormProps = {
  readonly of: Pick<ApiForm<never>, "onSubmit" | "isSending" | "error"> &
    Partial<Pick<ApiForm<never>, "isChanged" | "draft" | "doubts">>;
  /** The label of the submit button; `null` for a read-only form. */
  readonly label: string | null;
  /** Another button that sends. Its name is that of the event's submitter. It comes after the first, which Enter presses. */
  readonly second?: { readonly label: string; readonly name: string };
  readonly danger?: boolean;
  readonly onCancel?: () => void;
  readonly gap?: "md" | "lg";
  /** No wider than this, in pixels. */
  readonly maw?: number;
  readonly cancelLabel?: string;
  /** The title of the error if sending fails: "Couldn't sign you in". */
  readonly failed?: string;
  /** Shown first, above the error. */
  readonly intro?: ReactNode;
  readonly hint?: ReactNode;
  /** Below the buttons. */
  readonly footer?: ReactNode;
  /** On the line of the buttons. */
  readonly aside?: ReactNode;
  /** Without fields the form is a question, and Enter must not answer it. */
  readonly isQuestion?: boolean;
  readonly noValidate?: boolean;
  readonly children?: ReactNode;
};

/** Fields with the form's error above them, and the buttons below. While it sends, the buttons are disabled. */
export function Form({ of, aside, isQuestion = false, ...props }: FormProps) {
  const {
    gap = "md",
    maw,
    intro,
    hint,
    footer,
    noValidate = true,
    failed = parts.formFailed,
    children,
    ...buttons
  } = props;
  return (
    <form onSubmit={of.onSubmit} noValidate={noValidate}>
      <Stack gap={gap} maw={maw}>
        {of.isChanged && <LeaveGuard isChanged={of.isChanged} hasDraft={Boolean(of.draft)} />}
        {of.draft && <DraftNotice draft={of.draft} />}
        {intro}
        {hint !== undefined && (
          <Text component="div" c="dimmed">
            {hint}
          </Text>
        )}
        {of.error && <ErrorNotice error={of.error} title={isQuestion ? undefined : failed} />}
        {children}
        {of.doubts && of.doubts.length > 0 && <Doubts doubts={of.doubts} />}
        <Group justify={aside ? "space-between" : "flex-end"} gap="xs">
          {aside}
          <SubmitRow of={of} isQuestion={isQuestion} {...buttons} />
        </Group>
        {footer}
      </Stack>
    </form>
  );
}

/**
 * What may be a slip: pressing the button again saves all the same. It takes the focus when it appears, so that it is seen and read
 * out wherever the form was scrolled to.
 */
function Doubts({ doubts }: { readonly doubts: readonly string[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: "center" });
  }, []);
  return (
    <Alert ref={place} tabIndex={-1} color="yellow" title={words.title} role="alert">
      {doubts.map((doubt) => (
        <Text key={doubt} size="sm">
          {doubt}
        </Text>
      ))}
    </Alert>
  );
}

/** Says that the form began with a draft. */
function DraftNotice({ draft }: { readonly draft: Draft }) {
  if (draft.restoredAt === null) return null;
  return (
    <Notice>
      <Group justify="space-between" gap="sm">
        <Text size="sm">{unsaved.restored(momentOf(draft.restoredAt))}</Text>
        <Action label={unsaved.discard} size="xs" onClick={draft.discard} />
      </Group>
    </Notice>
  );
}

type SubmitProps = Pick<FormProps, "label" | "second" | "danger" | "onCancel" | "cancelLabel" | "isQuestion"> & {
  readonly of: Pick<ApiForm<never>, "isSending"> & Partial<Pick<ApiForm<never>, "doubts">>;
};

/** The buttons that send the form, and the one that leaves it. What is doubted is sent by the one that was pressed first. */
function SubmitRow({ of, label: usual, second, danger = false, isQuestion = false, ...props }: SubmitProps) {
  const { onCancel, cancelLabel = parts.cancel } = props;
  const label = usual !== null && of.doubts && of.doubts.length > 0 ? words.goOn : usual;
  return (
    <Group justify="flex-end" gap="xs">
      {onCancel && (
        <Action
          label={cancelLabel}
          onClick={onCancel}
          disabled={of.isSending}
          data-autofocus={isQuestion || undefined}
        />
      )}
      {label !== null && (
        <Action label={label} primary type="submit" loading={of.isSending} {...(danger ? { color: "red.9" } : {})} />
      )}
      {second && label === usual && <Action {...second} type="submit" disabled={of.isSending} />}
    </Group>
  );
}

type FieldProps = TextInputProps;

/** An amount of rupees, kept as text so that no float touches it. The amount in words below shows a zero too many. */
export function MoneyField({ description, ...props }: FieldProps) {
  const words = typeof props.value === "string" && props.value.trim() !== "" ? inWords(props.value) : null;
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      leftSection="₹"
      description={words ?? description}
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...props}
    />
  );
}

/** A field's path as a form has it, without what the whole request puts before it. */
function formPath(path: string): string {
  return path.replace(/^invoice(\[\d+\])?\./, "").replaceAll(/\[(\d+)\]/g, ".$1");
}

/** The sentence without the field's path at its beginning, to show at the field. */
function plainSentence(path: string, message: string): string {
  return sayOfField(message.startsWith(path) ? message.slice(path.length).replace(/^[:\s]+/, "") : message);
}

/** A refusal with its fields by their names in the form, and a sentence that speaks of no paths. Other errors stay. */
function inFormsWords(error: Error): Error {
  if (!(error instanceof ApiError)) return error;
  const fields = Object.entries(error.fields).map(([path, message]) => ({
    path: formPath(path),
    message: plainSentence(path, message),
  }));
  const request = error.requestId === null ? {} : { request_id: error.requestId };
  const sentence = error.code === "validation_failed" ? parts.correctFields : error.message;
  return new ApiError(error.status, { message: sentence, code: error.code, fields, ...request });
}

/** For a request that is not a form's own: `api("POST", …).catch(namingFields)`. */
export function namingFields(error: Error): never {
  throw inFormsWords(error);
}
