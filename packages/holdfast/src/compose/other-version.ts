import type { FoundServer } from "../server/discovery.ts";

/** A running server of possibly another version, and the functions to replace it. */
export interface OtherVersion<Found> {
  readonly found: Found;
  readonly server: Pick<FoundServer, "version" | "url" | "isBackground">;
  /** Version of this program. */
  readonly own: string;
  /** Stops the server if it is idle. Returns false if it is not. */
  readonly stopIfIdle: () => Promise<boolean>;
  readonly restart: () => Promise<Found>;
  /** Called with a message for people. */
  readonly note: (text: string) => void;
}

/**
 * Replaces a background server of an older version if it is idle. Otherwise keeps the server, and tells people through
 * `note` what to do. A server with an active run is never stopped (M1).
 */
export async function replaceOldServer<Found>(options: OtherVersion<Found>): Promise<Found> {
  const { found, server, own, stopIfIdle, restart, note } = options;
  const { version, isBackground } = server;
  if (version === own) return found;
  if (isNewer(version, own) || !isBackground) {
    note(describeVersions(server, own));
    return found;
  }
  const versions = `the background server has version ${version}, and this command has version ${own}`;
  if (await stopIfIdle()) {
    note(`${versions}; the server was idle and is replaced`);
    return restart();
  }
  const advice = "to replace it, wait until it is idle, or run: holdfast server stop";
  note(`${versions}; the server is working, so this command uses it as it is; ${advice}`);
  return found;
}

/** Describes for people that the server has another version, and what to do. */
export function describeVersions(
  { version, url }: Pick<FoundServer, "version" | "url">,
  own: string,
): string {
  if (isNewer(version, own)) {
    const advice = "update this installation of Holdfast";
    return `the server at ${url} has version ${version}, and this command has the older version ${own}; ${advice}`;
  }
  const advice = "some functions may fail until the server is updated and restarted";
  return `the server at ${url} has version ${version}, and this command has the newer version ${own}; ${advice}`;
}

/** Compares versions such as 1.10.0. A version that cannot be parsed is never newer. */
export function isNewer(version: string, other: string): boolean {
  const [left, right] = [version, other].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number));
  for (const place of [0, 1, 2]) {
    const difference = (left?.[place] ?? 0) - (right?.[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
