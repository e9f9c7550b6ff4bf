// Which screen an address shows. The wall board and the supervisor's page are loaded only where they are opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, notFound } from "@tanstack/react-router";

import { addressOf } from "@/features/supervision/address";
import { isOperacion } from "@/shop/operations";
import { Broken, NotFound } from "./Failures";
import { Frame } from "./Frame";
import { IdentifyPage } from "./IdentifyPage";
import { OperationPage } from "./OperationPage";
import { requireNoWorker, requireWorker } from "./routes";

/** Loaded at once, so that it is there when a worker has chosen their name; loaded again if that failed. */
let floorModule: Promise<typeof import("./floor")> | undefined;
const loadFloor = (): Promise<typeof import("./floor")> => (floorModule ??= import("./floor"));
loadFloor().catch(() => (floorModule = undefined));

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: Broken });

/** The screens of the floor share the bar on top. */
const floor = createRoute({ getParentRoute: () => root, id: "floor", component: Frame });

const identify = createRoute({
  getParentRoute: () => floor,
  path: "/",
  beforeLoad: requireNoWorker,
  component: IdentifyPage,
});

const operation = createRoute({
  getParentRoute: () => floor,
  path: "/operacion",
  beforeLoad: requireWorker,
  component: OperationPage,
});

/** The list stays while one of its spools is open: beside the spool where there is room, else behind it. */
const list = createRoute({
  getParentRoute: () => floor,
  path: "/trabajo/$operacion",
  beforeLoad: ({ params }) => {
    requireWorker();
    if (!isOperacion(params.operacion)) throw notFound();
  },
  component: lazyRouteComponent(loadFloor, "ListPage"),
});

const spool = createRoute({
  getParentRoute: () => list,
  path: "/$tag",
  component: lazyRouteComponent(loadFloor, "SpoolPage"),
});

const board = createRoute({
  getParentRoute: () => root,
  path: "/tablero",
  component: lazyRouteComponent(() => import("./BoardPage"), "BoardPage"),
});

const supervision = createRoute({
  getParentRoute: () => root,
  path: "/supervision",
  validateSearch: addressOf,
  component: lazyRouteComponent(() => import("./SupervisionPage"), "SupervisionPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    floor.addChildren([identify, operation, list.addChildren([spool])]),
    board,
    supervision,
  ]),
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
