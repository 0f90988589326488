import { takePictures } from "./screenshots/take-pictures.ts";

// Takes the pictures of the web page that docs/ and the README show: real runs of the coding agent
// on a small project, with a model that says what a script says.
await takePictures(process.argv[2] ?? new URL("../docs/images/", import.meta.url).pathname);
