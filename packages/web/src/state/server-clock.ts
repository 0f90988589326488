import { createSignal } from "solid-js";

/** Milliseconds to add to the clock of this device to get the time of the server. */
const [correction, setCorrection] = createSignal(0);

/**
 * Milliseconds. Smaller differences between the clocks of the server and this device are ignored: the server sends its
 * time in whole seconds, and a response needs some time to arrive.
 */
const tolerance = 5_000;

/** Compares the clock of this device with the time that the server has sent. */
export function compareClocks(response: Response): void {
  const difference = Date.parse(response.headers.get("date") ?? "") - Date.now();
  if (Number.isNaN(difference) || Math.abs(difference - correction()) < tolerance) return;
  setCorrection(Math.abs(difference) < tolerance ? 0 : difference);
}

/**
 * Converts a time of this device to a time of the server. Events have times of the server, and the clock of this device
 * may be wrong. Reactive.
 */
export function serverTime(deviceTime: number): number {
  return deviceTime + correction();
}

export function serverNow(): number {
  return serverTime(Date.now());
}
