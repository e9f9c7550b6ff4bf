// Which screen an address shows. The wall board, the supervisor's page and the administrator's are loaded only where they are opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, notFound, Outlet } from "@tanstack/react-router";

import { addressOf } from "@/features/supervision/address";
import { isOperacion } from "@/shop/operations";
import { Broken, NotFound } from "./Failures";
import { DeviceGate } from "./DeviceGate";
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
const floor = createRoute({
  getParentRoute: () => root,
  id: "floor",
  component: () => (
    <DeviceGate people>
      <Frame />
    </DeviceGate>
  ),
});

/** Screens that need an enrolled device, without the bar of the floor. */
const enrolled = <Id extends string>(people: boolean, id: Id) =>
  createRoute({
    getParentRoute: () => root,
    id,
    component: () => (
      <DeviceGate people={people}>
        <Outlet />
      </DeviceGate>
    ),
  });
const wall = enrolled(false, "wall");
const office = enrolled(true, "office");

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
  getParentRoute: () => wall,
  path: "/tablero",
  component: lazyRouteComponent(() => import("./BoardPage"), "BoardPage"),
});

const supervision = createRoute({
  getParentRoute: () => office,
  path: "/supervision",
  validateSearch: addressOf,
  component: lazyRouteComponent(() => import("./SupervisionPage"), "SupervisionPage"),
});

const devices = createRoute({
  getParentRoute: () => office,
  path: "/equipos",
  component: lazyRouteComponent(() => import("./DevicesPage"), "DevicesPage"),
});

const enrol = createRoute({
  getParentRoute: () => root,
  path: "/inscribir",
  component: lazyRouteComponent(() => import("./EnrolPage"), "EnrolPage"),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: "/configurar",
  component: lazyRouteComponent(() => import("./SetupPage"), "SetupPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    floor.addChildren([identify, operation, list.addChildren([spool])]),
    wall.addChildren([board]),
    office.addChildren([supervision, devices]),
    enrol,
    setup,
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
