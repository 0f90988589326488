/** What a cancel has stopped, in numbers. */
export function stopped({ running, queued }: { running: number; queued: number }): string {
  if (queued === 0) return ` ${running} 个运行中`;
  if (running === 0) return ` ${queued} 个排队`;
  return ` ${running} 个运行中、${queued} 个排队`;
}
