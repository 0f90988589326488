export function notBuilt(): never {
  throw new Error("this part of the runtime is not built yet");
}
