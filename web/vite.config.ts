// Builds the web app into the Python package, which serves it at `/`.
import { fileURLToPath } from "node:url";

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

import { serviceWorker } from "./scripts/serviceWorker.ts";

const server = process.env.CARRETE_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react(), serviceWorker()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  worker: { format: "es" },
  build: {
    outDir: "../src/carrete/web_dist",
    emptyOutDir: true,
    target: "es2022",
    // The content security policy knows only 'self': nothing may be inlined as a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // The API gets the host name that the browser used and compares `Origin` with it: it refuses requests of other pages.
  server: { proxy: { "/api": { target: server, changeOrigin: false } } },
});
