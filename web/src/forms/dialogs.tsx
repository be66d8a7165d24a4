// Dialogs: a form, a confirmation before something that can't be undone or moves money, and secrets that are shown once.
import { Code, CopyButton, Group, Modal, type ModalProps, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Action } from "../components/actions.tsx";
import { type Fact, Facts, Money } from "../components/values.tsx";
import { inWords } from "../format/money.ts";
import { parts } from "../strings/shell.ts";
import { FreeToLeave } from "./leave-guard.tsx";
import { type ApiForm, Form, type FormOptions, type FormProps, useApiForm } from "./form.tsx";
import { SIZE, WEIGHT } from "../app/tokens.ts";

type FrameProps = {
  readonly title: string;
  readonly size?: ModalProps["size"];
  readonly fullScreen?: boolean;
  readonly onClose: () => void;
  /** A stray click beside it does not close it. */
  readonly closeOnClickOutside?: boolean;
  readonly withCloseButton?: boolean;
  readonly children: ReactNode;
};

/** The frame of every dialog that can be left. */
export function Dialog({ children, ...rest }: FrameProps) {
  return (
    <Modal opened closeButtonProps={{ "aria-label": parts.close }} {...rest}>
      <FreeToLeave value={true}>{children}</FreeToLeave>
    </Modal>
  );
}

type FormDialogProps<Values, Answer> = FormOptions<Values, Answer> &
  Omit<FrameProps, "children"> &
  Pick<FormProps, "danger" | "cancelLabel" | "intro" | "hint" | "footer"> & {
    /** The label of the submit button, if it is not the title. */
    readonly label?: string;
    /** The fields; without them the dialog is a question. */
    readonly children?: (sent: ApiForm<Values>) => ReactNode;
  };

/** A form in a dialog, which closes once the server has accepted it. */
export function FormDialog<Values extends Record<string, unknown>, Answer>(props: FormDialogProps<Values, Answer>) {
  const { title, size, label = title, danger, cancelLabel, intro, hint, footer, onClose, children, ...options } = props;
  const sent = useApiForm({ ...options, onDone: options.onDone ?? onClose });
  const close = (): void => {
    if (!sent.isSending) onClose();
  };
  const said = { label, danger, cancelLabel, intro, hint, footer };
  return (
    <Dialog title={title} size={size} onClose={close} closeOnClickOutside={!sent.isChanged()}>
      <Form of={sent} onCancel={close} isQuestion={!children} {...said}>
        {children?.(sent)}
      </Form>
    </Dialog>
  );
}

type QuestionProps<Answer> = Pick<
  FormDialogProps<object, Answer>,
  "title" | "label" | "danger" | "hint" | "changes" | "done" | "onClose"
> & {
  /** Sends the request. A failure is shown and keeps the dialog open. */
  readonly submit: () => Promise<Answer>;
  readonly onDone?: (answer: Answer) => unknown;
};

/** Asks before something that can't be undone, or that others will notice. `text`: what will happen. */
export function ConfirmDialog<Answer>({ text, ...rest }: QuestionProps<Answer> & { readonly text: ReactNode }) {
  return <FormDialog initialValues={{}} intro={<Text component="div">{text}</Text>} {...rest} />;
}

type MoneyProps<Answer> = QuestionProps<Answer> & {
  /** A wire amount: `"590.00"`. */
  readonly amount: string;
  /** The payee, the source and the reference. */
  readonly facts?: readonly Fact[];
};

/** Asks before money moves: how much, in digits and in words, and to whom. */
export function ConfirmMoney<Answer>({ amount, facts = [], ...rest }: MoneyProps<Answer>) {
  const intro = (
    <>
      <AmountInWords amount={amount} />
      {facts.length > 0 && <Facts facts={facts} />}
    </>
  );
  return <FormDialog initialValues={{}} intro={intro} {...rest} />;
}

/** An amount that a dialog is about: digits can be misread, words can't. */
export function AmountInWords({ amount }: { readonly amount: string }) {
  return (
    <div>
      <Text fz={SIZE.figure} lh="xl" fw={WEIGHT.strong}>
        <Money amount={amount} />
      </Text>
      <Text>{inWords(amount)}</Text>
    </div>
  );
}

type SecretProps = {
  readonly title: string;
  readonly hint: string;
  readonly secrets: readonly { readonly label: string; readonly value: string }[];
  readonly onClose: () => void;
};

/** Shows secrets once: keys, first passwords. A stray click or key does not make them vanish. */
export function SecretDialog({ title, hint, secrets, onClose }: SecretProps) {
  const stays = { withCloseButton: false, closeOnClickOutside: false, closeOnEscape: false };
  return (
    <Modal opened onClose={onClose} title={title} {...stays}>
      <Stack gap="md">
        <Text>{hint}</Text>
        {secrets.map(({ label, value }) => (
          <div key={label}>
            <Text size="sm" fw={WEIGHT.strong}>
              {label}
            </Text>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Code flex={1} style={{ overflowWrap: "anywhere" }} fz="sm">
                {value}
              </Code>
              <CopyButton value={value}>
                {({ copied, copy }) => (
                  <Action
                    label={copied ? parts.copied : parts.copy}
                    size="compact-sm"
                    onClick={copy}
                    aria-label={parts.copyOf(label)}
                  />
                )}
              </CopyButton>
            </Group>
          </div>
        ))}
        <Group justify="flex-end">
          <Action label={parts.secretKept} primary onClick={onClose} />
        </Group>
      </Stack>
    </Modal>
  );
}

type Words = { readonly next: string; readonly submit: string };
type DialogForm<Values> = ApiForm<Values> & {
  /** Whether the question is shown, and sends what was typed. */
  readonly isConfirming: boolean;
  /** For `Form`: the step that its buttons belong to. */
  readonly step: {
    readonly of: ApiForm<Values>;
    readonly label: string;
    readonly onCancel: () => void;
    readonly noValidate: false;
  };
};

/** As `useApiForm`. A refusal is shown with the fields; "back" from the question returns to them, too. */
export function useDialogForm<Values extends Record<string, unknown>, Answer>(
  options: Omit<FormOptions<Values, Answer>, "onDone">,
  words: Words,
  onClose: () => void,
): DialogForm<Values> {
  const [isConfirming, setConfirming] = useState(false);
  const sent = useApiForm({
    ...options,
    submit: (values: Values) =>
      options.submit(values).catch((error: unknown) => {
        setConfirming(false);
        throw error;
      }),
    onDone: onClose,
  });
  const ask: ApiForm<Values>["onSubmit"] = (event) => {
    event?.preventDefault();
    if (!sent.hasErrors(event)) setConfirming(true);
  };
  return {
    ...sent,
    isConfirming,
    step: {
      of: isConfirming ? sent : { ...sent, onSubmit: ask },
      label: isConfirming ? words.submit : words.next,
      onCancel: () => (isConfirming ? setConfirming(false) : onClose()),
      noValidate: false,
    },
  };
}
