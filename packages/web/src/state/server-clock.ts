import { clockCorrection } from "@holdfast/model/server-clock.ts";
import { createSignal } from "solid-js";

/** Milliseconds to add to the clock of this device to get the time of the server. */
const [correction, setCorrection] = createSignal(0);

/** Compares the clock of this device with the time that the server has sent. */
export function compareClocks(response: Response): void {
  const date = response.headers.get("date");
  setCorrection((before) => clockCorrection(date, { now: Date.now(), before }));
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
