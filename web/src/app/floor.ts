// The screens of the work itself, loaded as one piece beside the first screen.
export { ListPage } from "./ListPage";
export { SpoolPage } from "./SpoolPage";
