/** What a promise brings, or null if that takes longer. */
export async function within<Value>(
  milliseconds: number,
  promise: Promise<Value>,
): Promise<Value | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), milliseconds);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
