/**
 * The milliseconds that this process works on something: what the machine does besides does not count, as
 * it would by the clock.
 */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
