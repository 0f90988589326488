import { takePictures } from "./screenshots/take-pictures.ts";

// Takes the screenshots for docs/ and the README: real runs of the coding agent on a small project,
// with a scripted model.
await takePictures(process.argv[2] ?? new URL("../docs/images/", import.meta.url).pathname);
