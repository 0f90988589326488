import { showHelp } from "./read-arguments.ts";
import { takeEveryView } from "./screenshots/every-view.ts";
import { takePictures } from "./screenshots/take-pictures.ts";

showHelp(`node scripts/bootstrap.mjs scripts/screenshots.ts [FOLDER]
node scripts/bootstrap.mjs scripts/screenshots.ts --every-view FOLDER

Takes the pictures of docs/ and the README: real runs of the coding agent on a small project, with
a scripted model.

  --every-view    Take every view in the light and the dark theme, on a phone, on a tablet and in
                  Chinese instead, to look at them`);

const [first, second] = process.argv.slice(2);
if (first === "--every-view" && second !== undefined) await takeEveryView(second);
else await takePictures(first ?? new URL("../docs/images/", import.meta.url).pathname);
