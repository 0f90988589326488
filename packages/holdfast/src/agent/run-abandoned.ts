/**
 * Ends this attempt of a run as if its process had been killed: the runtime stops executing the run and writes nothing.
 * After `silence` milliseconds the runtime releases the run, and the next attempt resumes it from the log. The demo
 * agent simulates a crash with this error, without harm to other runs.
 */
export class RunAbandoned extends Error {
  readonly silence: number;

  constructor(silence: number) {
    super("the demo agent abandoned its run to simulate a crash");
    this.name = "RunAbandoned";
    this.silence = silence;
  }
}
