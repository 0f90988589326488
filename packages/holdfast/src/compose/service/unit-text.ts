/** The command that a service manager starts. */
export interface ServiceCommand {
  /** Path of Node. */
  readonly node: string;
  /** Path of the program. */
  readonly program: string;
  readonly dataFolder: string;
  /** PATH for the commands of agents. */
  readonly path: string;
  /** File for the log of a launchd agent. systemd keeps logs itself. */
  readonly log: string;
}

/** First line of a file that `holdfast service install` has written. */
export const marker =
  "Written by `holdfast service install`. Remove it with `holdfast service uninstall`.";

export const unitName = "holdfast.service";
export const agentLabel = "dev.holdfast.server";

/** Returns a systemd user unit. */
export function systemdUnit(command: ServiceCommand): string {
  const { node, program, dataFolder, path } = command;
  const words = [node, program, "serve", "--data", dataFolder].map(commandWord).join(" ");
  return `# ${marker}
[Unit]
Description=Holdfast server

[Service]
ExecStart=${words}
Environment=${quoted(`PATH=${path}`)}
Restart=on-failure
# Active runs have 30 s to end. Unfinished runs continue after the next start.
TimeoutStopSec=45

[Install]
WantedBy=default.target
`;
}

/** Quotes a word of a command line. Doubles dollar signs, because a single one would start a variable. */
function commandWord(word: string): string {
  return quoted(word.replaceAll("$", "$$$$"));
}

/** Quotes a value for systemd, in which % starts a specifier. */
function quoted(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return `"${escaped}"`;
}

/** Returns a launchd agent. */
export function launchdAgent(command: ServiceCommand): string {
  const { node, program, dataFolder, path, log } = command;
  const words = [node, program, "serve", "--data", dataFolder];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${marker} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${agentLabel}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xml(word)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${xml(path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`;
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
