import { render } from "solid-js/web";

const root = document.getElementById("app");
if (root !== null) render(() => <p>hello</p>, root);
