// The screens on which workers work, built as one file that loads beside the first screen.
export { ListPage } from "./ListPage";
export { SpoolPage } from "./SpoolPage";
