// Which screen an address shows. The wall board and the supervisor's page are loaded only where they are opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";

import { Broken, NotFound } from "./Failures";
import { Frame } from "./Frame";
import { IdentifyPage } from "./IdentifyPage";

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: Broken });

/** The screens of the floor share the bar on top. */
const floor = createRoute({ getParentRoute: () => root, id: "floor", component: Frame });

const identify = createRoute({ getParentRoute: () => floor, path: "/", component: IdentifyPage });

const board = createRoute({
  getParentRoute: () => root,
  path: "/tablero",
  component: lazyRouteComponent(() => import("@/features/board/Board"), "Board"),
});

const supervision = createRoute({
  getParentRoute: () => root,
  path: "/supervision",
  component: lazyRouteComponent(() => import("@/features/supervision/Supervision"), "Supervision"),
});

export const router = createRouter({
  routeTree: root.addChildren([floor.addChildren([identify]), board, supervision]),
  defaultErrorComponent: Broken,
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
