// What commands say of a change that a second person has to approve.
// What belongs here: the sentence.

/** Says that something waits, and how it is approved. */
export function waitsForApproval(what: string, approvalId: bigint): string {
  return `${what} waits for a second person: \`nodal approval approve\` or \`reject\`, with --approval ${approvalId}. Until then nothing of it is in force.`;
}
