import { writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Writes a font config for the browser. Sans-serif text uses Open Sans, which the browser package contains. Monospace
 * text uses DejaVu Sans Mono, which must be installed on the machine.
 */
export function writeFonts(folder: string): string {
  const file = join(folder, "fonts.conf");
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${join(tmpdir(), "fonts")}</dir><dir>/usr/share/fonts</dir>
<dir>${join(homedir(), ".local/share/fonts")}</dir>
<cachedir>${join(folder, "font-cache")}</cachedir>
${alias("system-ui", "Open Sans")}${alias("sans-serif", "Open Sans")}
${alias("ui-monospace", "DejaVu Sans Mono")}${alias("monospace", "DejaVu Sans Mono")}
</fontconfig>\n`,
  );
  return file;
}

function alias(wanted: string, given: string): string {
  return `<alias binding="strong"><family>${wanted}</family><prefer><family>${given}</family></prefer></alias>`;
}
