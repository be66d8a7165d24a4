// What is said so that nothing typed gets lost: on leaving a form, of drafts, when a session ends, when somebody else saved first.

export const unsaved = {
  leaveTitle: "Leave without saving?",
  leaveText: "What you have changed on this page is not saved.",
  leaveDraft: "What you have typed is not saved. A draft of it stays in this browser for a week.",
  stay: "Stay on the page",
  leave: "Leave",
  restored: (when: string) => `This is your draft of ${when}. It is not saved yet.`,
  discard: "Discard the draft",
  sessionTitle: "Your session has ended",
  sessionText:
    "Sign in again and go on: what you have typed is still here. Then press the button of the form once more.",
  otherAccount: "Sign in as somebody else",
  changedTitle: "Somebody has saved this invoice meanwhile",
  changedText:
    "These differ from what you began with. Nothing of yours is lost: choose what the form goes on with, and save it then.",
  what: "What",
  theirs: "Saved meanwhile",
  yours: "Yours",
  nothing: "–",
  saveMine: "Go on with mine",
  takeTheirs: "Go on with what is saved",
  noDifference: "What is saved looks as what you began with.",
} as const;
