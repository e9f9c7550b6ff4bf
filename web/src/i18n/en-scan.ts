// The sentences about scanning codes, in English.
import type { esScan } from "./es-scan";

export const enScan: typeof esScan = {
  scan: {
    open: "Scan",
    title: "Show the code to the camera",
    picture: "Picture of the camera",
    hint: "In the middle of the picture: QR, Data Matrix or bar code.",
    camera: {
      insecure: "Browsers give the camera to https pages only. Use a reader that types, or open Carrete with https.",
      denied: "The browser does not allow the camera. Allow it for this page at the lock beside the address.",
      missing: "This device has no camera. Use a reader that types, or search in the list.",
      busy: "The camera does not answer: another program may be using it.",
      decoder: "What reads the codes could not be loaded. Check the connection and try again.",
    },
    unknown: "This code is of no spool",
    unasked: "No connection: nobody knows whose code this is",
    read: "What was read:",
    near: "Nearly the same; what differs is marked:",
    instead: "read was",
    is_badge: "It is a badge",
    sign_in_first: "Spool {{tag}}: say who you are and it opens.",
  },
};
