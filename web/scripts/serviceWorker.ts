// A plugin of the build: makes `sw.js` beside the page, with the list of the app's files and a version that is a hash of them.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { build, type Plugin } from "vite";

const SOURCE = fileURLToPath(new URL("../src/worker/sw.ts", import.meta.url));
const PUBLIC = fileURLToPath(new URL("../public", import.meta.url));

interface Precache {
  version: string;
  files: string[];
}

/** The worker itself is built apart: it may share no file with the page. */
async function builtWorker(precache: Precache): Promise<string> {
  const built = await build({
    configFile: false,
    publicDir: false,
    logLevel: "error",
    define: { __PRECACHE__: JSON.stringify(precache) },
    build: {
      write: false,
      target: "es2022",
      lib: { entry: SOURCE, formats: ["iife"], name: "worker", fileName: () => "sw.js" },
    },
  });
  const [{ output } = { output: [] }] = [built].flat() as { output: { code?: string }[] }[];
  const code = output[0]?.code;
  if (!code) throw new Error("the service worker was not built");
  return code;
}

export function serviceWorker(): Plugin {
  return {
    name: "carrete-service-worker",
    apply: "build",
    enforce: "post",
    async generateBundle(_options, bundle) {
      const hash = createHash("sha256");
      const files: string[] = [];
      for (const [name, file] of Object.entries(bundle).sort(([a], [b]) => (a < b ? -1 : 1))) {
        files.push(`/${name}`);
        hash.update(name).update(file.type === "chunk" ? file.code : file.source);
      }
      for (const name of readdirSync(PUBLIC).sort()) {
        files.push(`/${name}`);
        hash.update(name).update(readFileSync(`${PUBLIC}/${name}`));
      }
      const precache = { version: hash.digest("hex").slice(0, 16), files };
      if (!files.includes("/index.html")) throw new Error("the page is missing among the files of the service worker");
      this.emitFile({ type: "asset", fileName: "sw.js", source: await builtWorker(precache) });
    },
  };
}
