/**
 * Milliseconds. Smaller differences between the clocks of the server and this device are ignored: the server sends its
 * time in whole seconds, and a response needs some time to arrive.
 */
const tolerance = 5_000;

/**
 * Returns the milliseconds to add to the clock of this device to get the time of the server. `date` is the header of a
 * response with the server's time, and `before` the result of the last call.
 */
export function clockCorrection(
  date: string | null,
  { now, before }: { now: number; before: number },
): number {
  const difference = Date.parse(date ?? "") - now;
  if (Number.isNaN(difference) || Math.abs(difference - before) < tolerance) return before;
  return Math.abs(difference) < tolerance ? 0 : difference;
}
