import type { JSX } from "solid-js";
import { qrMatrix } from "../model/qr-matrix.ts";

/** Width of the light border that QR scanners need. The unit is one small square of the code. */
const border = 4;

/** Draws a text as a QR code. */
export function QrCode(props: { text: string; label: string }): JSX.Element {
  const rows = () => qrMatrix(props.text);
  const size = (): number => rows().length + 2 * border;
  const path = (): string =>
    rows()
      .flatMap((row, y) => row.map((on, x) => (on ? `M${x + border} ${y + border}h1v1h-1z` : "")))
      .join("");
  return (
    <svg
      class="qr-code"
      role="img"
      aria-label={props.label}
      viewBox={`0 0 ${size()} ${size()}`}
      shape-rendering="crispEdges"
    >
      <path d={path()} />
    </svg>
  );
}
