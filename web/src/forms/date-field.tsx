// A date that is typed as people write it, or chosen in the browser's own calendar. What may be typed is the server's
// own src/platform/as-typed.ts.
import { ActionIcon, TextInput, type TextInputProps } from "@mantine/core";
import { useRef, useState } from "react";
import { typedDate } from "../../../src/platform/as-typed.ts";
import { useSession } from "../api/session.ts";
import { CalendarIcon } from "../components/icons.tsx";
import { dateOfBrowser } from "../format/time.ts";
import { parts } from "../strings/shell.ts";
import classes from "./date-field.module.css";

type Props = Omit<TextInputProps, "value" | "onChange" | "min" | "max" | "type"> & {
  /** YYYY-MM-DD, or nothing. */
  readonly value?: string;
  /** Gets YYYY-MM-DD or nothing. In a form it also gets invalid text, which the server then refuses. */
  readonly onChange?: (value: string) => void;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  /** For filters: invalid text is not passed on. */
  readonly onlyDates?: boolean;
};

const ISO = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const IN_FULL = /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4})$/;

/** `2026-04-01` is `01/04/2026`. Any other text is returned unchanged. */
function shown(value: string): string {
  return ISO.test(value) ? value.split("-").toReversed().join("/") : value;
}

/** A date. It is parsed once it is complete, or when the field is left. */
export function DateField({ value = "", onChange, min, max, onlyDates = false, error, ...props }: Props) {
  const today = useToday();
  const picker = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(shown(value));
  const [known, setKnown] = useState(value);
  // No error while somebody types.
  const [isTyping, setTyping] = useState(false);
  const isWrong = !isTyping && typed.trim() !== "" && typedDate(typed, today) === null;
  if (value !== known) {
    setKnown(value);
    if (value !== typedDate(typed, today)) setTyped(shown(value));
  }
  const pass = (next: string): void => {
    if (next === value || (onlyDates && next !== "" && !ISO.test(next))) return;
    setKnown(next);
    onChange?.(next);
  };
  const read = (text: string): void => {
    setTyping(false);
    const date = typedDate(text, today);
    if (date !== null) setTyped(shown(date));
    pass(date ?? text.trim());
  };
  return (
    <TextInput
      autoComplete="off"
      placeholder={parts.dateForm}
      {...props}
      value={typed}
      error={isWrong ? parts.dateWrong : error}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        setTyping(true);
        if (text.trim() === "") pass("");
        else if (IN_FULL.test(text.trim()) && typedDate(text) !== null) pass(typedDate(text)!);
      }}
      onBlur={() => read(typed)}
      onKeyDown={({ key }) => {
        if (key === "Enter") read(typed);
      }}
      rightSectionWidth={30}
      rightSection={
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={parts.calendar}
            disabled={props.disabled ?? false}
            onClick={() => picker.current?.showPicker()}
          >
            <CalendarIcon size={16} />
          </ActionIcon>
          <input
            ref={picker}
            type="date"
            className={classes["picker"]}
            tabIndex={-1}
            aria-hidden="true"
            value={ISO.test(value) ? value : ""}
            min={min}
            max={max}
            onChange={({ currentTarget }) => read(currentTarget.value)}
          />
        </>
      }
    />
  );
}

/** The merchant's day; without a merchant, this browser's. */
function useToday(): string {
  const { merchant } = useSession();
  const [ofBrowser] = useState(() => dateOfBrowser(Date.now()));
  return merchant?.today ?? ofBrowser;
}
