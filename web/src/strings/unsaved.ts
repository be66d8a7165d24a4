// Texts that keep people from losing changes: leaving a form, drafts, an expired session, a conflicting edit.

export const unsaved = {
  leaveTitle: "Leave without saving?",
  leaveText: "Your changes on this page aren't saved.",
  leaveDraft: "Unsaved changes. We'll keep a draft on this device for 7 days.",
  stay: "Stay on page",
  leave: "Leave",
  restored: (when: string) => `Your draft from ${when}. It isn’t saved yet.`,
  discard: "Discard draft",
  sessionTitle: "Your session expired",
  sessionText: "Sign in to continue. Your changes are still here; save again when you're back.",
  otherAccount: "Use another account",
  changedTitle: "This invoice changed while you were editing",
  changedText: "Choose which version to keep.",
  what: "Field",
  theirs: "Theirs",
  yours: "Mine",
  nothing: "–",
  saveMine: "Keep mine",
  takeTheirs: "Use theirs",
  noDifference: "Both versions look the same.",
} as const;
