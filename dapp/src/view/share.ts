// Sends the link to the open table on: by the device's share sheet, or as a copy.
import { hostOf } from "../invitation.ts";
import { fullLink } from "../link.ts";
import { change, openTable, state } from "../state.ts";
import { text } from "../text.ts";

/** The link to the open table. At a free one it says who invites: the player whose wallet is connected. */
export function invitationLink(): string {
  const table = openTable();
  return table === null ? location.href : fullLink(table, hostOf(state));
}

/** What this device does best: its share sheet, or a copy. */
export const invite = (): Promise<void> => (canShare() ? shareLink() : copyLink());

export async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(invitationLink());
    change({ notice: { kind: "copied" } });
  } catch {
    // No permission, or no secure connection.
    change({ notice: { kind: "notCopied" } });
  }
}

const canShare = (): boolean => typeof navigator.share === "function";

async function shareLink(): Promise<void> {
  try {
    await navigator.share({ title: text.title, text: text.invite.message, url: invitationLink() });
  } catch (error) {
    // Closing the sheet is an AbortError, and no reason to do something else.
    if (!(error instanceof DOMException && error.name === "AbortError")) await copyLink();
  }
}
