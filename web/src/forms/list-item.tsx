// A member of a list in a form, such as a row: moved and removed with mouse or keys.
import { ActionIcon, Box, Group } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { KeyboardEvent, ReactNode } from "react";
import { ArrowDownIcon, ArrowUpIcon, CrossIcon } from "../components/icons.tsx";
import classes from "./list-item.module.css";

type ListForm = Pick<
  UseFormReturnType<Record<string, unknown>>,
  "insertListItem" | "removeListItem" | "reorderListItem"
>;

/** What can be done with the members of a list; the focus follows. */
export type FieldList = {
  readonly name: string;
  readonly count: number;
  readonly add: (item: unknown) => void;
  readonly move: (from: number, to: number) => void;
  readonly remove: (place: number) => void;
};

/** The list that a form has under a name, of `count` members. */
export function fieldList(form: ListForm, name: string, count: number): FieldList {
  const focus = (place: number): void => {
    const field = `[data-list-item="${name}.${place}"] input`;
    requestAnimationFrame(() => document.querySelector<HTMLInputElement>(field)?.focus());
  };
  return {
    name,
    count,
    add: (item) => {
      form.insertListItem(name, item);
      focus(count);
    },
    move: (from, to) => {
      if (to < 0 || to >= count) return;
      form.reorderListItem(name, { from, to });
      focus(to);
    },
    remove: (place) => {
      form.removeListItem(name, place);
      focus(Math.max(0, place - 1));
    },
  };
}

type Props = {
  readonly list: FieldList;
  /** Counted from 0; the words count from 1. */
  readonly place: number;
  readonly words: {
    readonly legend: (place: number) => string;
    readonly up: (place: number) => string;
    readonly down: (place: number) => string;
    readonly remove: (place: number) => string;
  };
  /** How many members have to stay. */
  readonly least: number;
  /** The fields, with the buttons at their place. */
  readonly children: (buttons: ReactNode) => ReactNode;
  /** Where the frame is not that of a card. */
  readonly className?: string | undefined;
  readonly buttonsClassName?: string | undefined;
};

/** The frame around a member's fields. */
export function ListItem({ list, place, words, least, children, className, buttonsClassName }: Props) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    list.move(place, event.key === "ArrowUp" ? place - 1 : place + 1);
  };
  const buttons = [
    { label: words.up, icon: <ArrowUpIcon />, isOff: place === 0, act: () => list.move(place, place - 1) },
    {
      label: words.down,
      icon: <ArrowDownIcon />,
      isOff: place === list.count - 1,
      act: () => list.move(place, place + 1),
    },
    { label: words.remove, icon: <CrossIcon />, isOff: list.count <= least, act: () => list.remove(place) },
  ];
  return (
    <Box
      component="fieldset"
      className={`${classes["item"]} ${className ?? ""}`}
      data-list-item={`${list.name}.${place}`}
      onKeyDown={onKeyDown}
    >
      <legend className={classes["legend"]}>{words.legend(place + 1)}</legend>
      {children(
        <Group gap={4} wrap="nowrap" className={buttonsClassName}>
          {buttons.map(({ label, icon, isOff, act }) => (
            <ActionIcon
              key={label(place + 1)}
              variant="default"
              size="lg"
              disabled={isOff}
              aria-label={label(place + 1)}
              onClick={act}
            >
              {icon}
            </ActionIcon>
          ))}
        </Group>,
      )}
    </Box>
  );
}
