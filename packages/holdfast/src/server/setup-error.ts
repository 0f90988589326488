/** A problem with starting or reaching a server, which the user can fix. */
export class SetupError extends Error {
  readonly code:
    | "listen"
    | "noServer"
    | "serverAddress"
    | "serverRunning"
    | "serverStart"
    | "service"
    | "unauthorized"
    | "unsafeFile"
    | "unusableFolder";

  constructor(code: SetupError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SetupError";
    this.code = code;
  }
}
