/** Formats a count with all digits, in groups as both languages write them: 12,345. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
