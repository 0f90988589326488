/**
 * Thrown if the run has ended or belongs to another process. All remaining work on it is pointless. As the reason of
 * the run's signal, it means that another process may already continue the run.
 */
export class RunLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RunLost";
  }
}
