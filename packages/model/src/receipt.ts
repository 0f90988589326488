import type { Receipt } from "@holdfast/sdk";

/** Numbers of prompts that a cancel has stopped, by their state before the cancel. */
export interface ReceiptCount {
  readonly running: number;
  readonly queued: number;
  readonly background: number;
}

export function countReceipt({ covered, background, tree }: Receipt): ReceiptCount {
  const running = covered.filter(({ was }) => was === "running" || was === "takenIn").length;
  return {
    running,
    queued: covered.length - running,
    background: tree ? background.length : 0,
  };
}
