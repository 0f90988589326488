/** Creates a promise with an empty error handler: without any handler, its rejection would end the process. */
export function handledPromise<Value>(): PromiseWithResolvers<Value> {
  const made = Promise.withResolvers<Value>();
  made.promise.catch(() => {});
  return made;
}
