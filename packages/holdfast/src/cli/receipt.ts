import type { Receipt } from "@holdfast/sdk";

/** What a cancel has covered, in words. */
export function receiptText(receipt: Pick<Receipt, "covered" | "background" | "tree">): string {
  const { covered, background, tree } = receipt;
  const running = covered.filter(({ was }) => was === "running" || was === "takenIn").length;
  const queued = covered.length - running;
  const stopped = [
    running > 0 ? `${running} running` : "",
    queued > 0 ? `${queued} queued` : "",
  ].filter((part) => part !== "");
  const text = stopped.length === 0 ? "nothing was left to stop" : `stopped ${stopped.join(", ")}`;
  if (background.length === 0) return text;
  const sessions = background.map((child) => child.sessionId).join(", ");
  const fate = tree ? "stopped in the background as well" : "still at work in the background";
  return `${text}; ${fate}: ${sessions}`;
}
