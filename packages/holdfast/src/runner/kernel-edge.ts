// Rules of the kernel that layers above the runner apply as well.

export { allows } from "../kernel/directories.ts";
