import { render } from "solid-js/web";
import { App } from "./app.tsx";
import { start } from "./state/start.ts";
import { listenToKeys } from "./views/overlay/keys.ts";

const root = document.getElementById("app");
if (root !== null) {
  start();
  listenToKeys();
  render(() => <App />, root);
}
