/** What a cancel has stopped, in numbers. */
export function stopped({ running, queued }: { running: number; queued: number }): string {
  if (queued === 0) return `${running} running`;
  if (running === 0) return `${queued} queued`;
  return `${running} running, ${queued} queued`;
}
