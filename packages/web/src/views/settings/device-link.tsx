import { createResource, Show } from "solid-js";
import type { JSX } from "solid-js";
import { t } from "../../i18n/text.ts";
import { holdfast } from "../../state/client.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { QrCode } from "../../ui/qr-code.tsx";
import { Loaded } from "./loaded.tsx";

/** Shows a link, also as a QR code, that signs another device in. The link works once, for a few minutes. */
export function DeviceLink(props: { onClose: () => void }): JSX.Element {
  const [link] = createResource(async () => reachable((await holdfast.link()).url));
  return (
    <Dialog title={t().access.otherDevice} onClose={() => props.onClose()}>
      <div class="stack">
        <p>{t().access.linkText}</p>
        <Loaded resource={link}>
          {(url) => (
            <>
              <Show when={isLocal(url())}>
                <p class="problem">{t().access.linkLocal}</p>
              </Show>
              <QrCode text={url()} label={t().access.qr} />
              <pre class="command">
                <code>{url()}</code>
                <CopyButton text={url} />
              </pre>
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

/** Replaces the address in the link by the address of this page, if the server knows only its loopback address. */
function reachable(link: string): string {
  const { pathname, hash } = new URL(link);
  return isLocal(link) ? `${location.origin}${pathname}${hash}` : link;
}

/** Whether the address can be opened only on the server's own machine. */
function isLocal(address: string): boolean {
  return /^(?:localhost|127\.|\[::1\])/.test(new URL(address).hostname);
}
