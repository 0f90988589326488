import { render } from "solid-js/web";
import { App } from "./app.tsx";
import { loadText } from "./i18n/text.ts";
import { followPageHeight } from "./state/page-height.ts";
import { signIn } from "./state/sign-in.ts";
import { start } from "./state/start.ts";
import { refuseStrayDrops } from "./views/composer/uploads.tsx";
import { listenToKeys } from "./views/overlay/keys.ts";

const root = document.getElementById("app");
if (root !== null) {
  await Promise.all([signIn(), loadText()]);
  start();
  listenToKeys();
  followPageHeight();
  refuseStrayDrops();
  render(() => <App />, root);
}
