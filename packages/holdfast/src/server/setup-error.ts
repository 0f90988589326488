/** Why a server can't start or be reached, when whoever wants it can put that right. */
export class SetupError extends Error {
  readonly code:
    | "listen"
    | "noServer"
    | "serverAddress"
    | "serverRunning"
    | "unauthorized"
    | "unsafeFile"
    | "unusableFolder";

  constructor(code: SetupError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SetupError";
    this.code = code;
  }
}
