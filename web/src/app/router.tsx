// Which screen an address shows. The wall board, the supervisor's page and the administrator's are loaded only where they are opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, notFound, Outlet, redirect } from "@tanstack/react-router";

import { accessFilter } from "@/features/administration-accesses/filter";
import { chosenPerson } from "@/features/administration-people/address";
import { dossierAddress } from "@/features/dossier/address";
import { openWhenSignedIn } from "@/features/scan/awaitingTag";
import { addressOf } from "@/features/supervision/address";
import { isOperacion } from "@/shop/operations";
import { Broken, NotFound } from "./Failures";
import { DeviceGate } from "./DeviceGate";
import { Frame } from "./Frame";
import { IdentifyPage } from "./IdentifyPage";
import { OperationPage } from "./OperationPage";
import { Root } from "./Root";
import { requireNoWorker, requireWorker } from "./routes";

/** Loaded at once, so that it is there when a worker has chosen their name; loaded again if that failed. */
let floorModule: Promise<typeof import("./floor")> | undefined;
const loadFloor = (): Promise<typeof import("./floor")> => (floorModule ??= import("./floor"));
loadFloor().catch(() => (floorModule = undefined));

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: Broken });

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

const myDay = createRoute({
  getParentRoute: () => floor,
  path: "/mi-dia",
  beforeLoad: requireWorker,
  component: lazyRouteComponent(() => import("./MyDayPage"), "MyDayPage"),
});

const exams = createRoute({
  getParentRoute: () => floor,
  path: "/ensayos",
  beforeLoad: requireWorker,
  component: lazyRouteComponent(() => import("./NdtPage"), "NdtPage"),
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

/** The address in the code of a label: the spool opens for the operation at hand, once somebody is signed in. */
const scanned = createRoute({
  getParentRoute: () => root,
  path: "/s/$tag",
  beforeLoad: ({ params }) => {
    openWhenSignedIn(params.tag);
    throw redirect({ to: "/" }); // which leads on to the worker's own screen
  },
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

const labels = createRoute({
  getParentRoute: () => office,
  path: "/etiquetas",
  component: lazyRouteComponent(() => import("./LabelsPage"), "LabelsPage"),
});

const dossier = createRoute({
  getParentRoute: () => office,
  path: "/dossier",
  validateSearch: dossierAddress,
  component: lazyRouteComponent(() => import("./DossierPage"), "DossierPage"),
});

const drawing = createRoute({
  getParentRoute: () => office,
  path: "/plano/$tag",
  component: lazyRouteComponent(() => import("./DrawingPage"), "DrawingPage"),
});

const administration = createRoute({
  getParentRoute: () => office,
  path: "/administracion",
  component: lazyRouteComponent(() => import("./AdministrationPage"), "AdministrationPage"),
});

const administrationHome = createRoute({
  getParentRoute: () => administration,
  path: "/",
  component: lazyRouteComponent(() => import("./AdministrationHome"), "AdministrationHome"),
});

const people = createRoute({
  getParentRoute: () => administration,
  path: "/personas",
  validateSearch: chosenPerson,
  component: lazyRouteComponent(() => import("./PeopleSection"), "PeopleSection"),
});

const welding = createRoute({
  getParentRoute: () => administration,
  path: "/soldadura",
  component: lazyRouteComponent(() => import("./WeldingSection"), "WeldingSection"),
});

const devices = createRoute({
  getParentRoute: () => administration,
  path: "/dispositivos",
  component: lazyRouteComponent(() => import("./DevicesSection"), "DevicesSection"),
});

const workbook = createRoute({
  getParentRoute: () => administration,
  path: "/planilla",
  component: lazyRouteComponent(() => import("./WorkbookSection"), "WorkbookSection"),
});

const shopSettings = createRoute({
  getParentRoute: () => administration,
  path: "/ajustes",
  component: lazyRouteComponent(() => import("./ShopSettingsSection"), "ShopSettingsSection"),
});

const backup = createRoute({
  getParentRoute: () => administration,
  path: "/respaldo",
  component: lazyRouteComponent(() => import("./BackupSection"), "BackupSection"),
});

const integrations = createRoute({
  getParentRoute: () => administration,
  path: "/integraciones",
  component: lazyRouteComponent(() => import("./IntegrationsSection"), "IntegrationsSection"),
});

const accesses = createRoute({
  getParentRoute: () => administration,
  path: "/accesos",
  validateSearch: accessFilter,
  component: lazyRouteComponent(() => import("./AccessesSection"), "AccessesSection"),
});

const system = createRoute({
  getParentRoute: () => administration,
  path: "/sistema",
  component: lazyRouteComponent(() => import("./SystemSection"), "SystemSection"),
});

const firstSteps = createRoute({
  getParentRoute: () => administration,
  path: "/primeros-pasos",
  component: lazyRouteComponent(() => import("./FirstStepsSection"), "FirstStepsSection"),
});

/** The address of the devices before there was a page for the administrator. */
const formerDevices = createRoute({
  getParentRoute: () => root,
  path: "/equipos",
  beforeLoad: () => {
    throw redirect({ to: "/administracion/dispositivos" });
  },
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
    floor.addChildren([identify, operation, myDay, exams, list.addChildren([spool])]),
    wall.addChildren([board]),
    office.addChildren([
      supervision,
      labels,
      dossier,
      drawing,
      administration.addChildren([
        administrationHome,
        people,
        welding,
        devices,
        workbook,
        shopSettings,
        backup,
        integrations,
        accesses,
        system,
        firstSteps,
      ]),
    ]),
    scanned,
    formerDevices,
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
