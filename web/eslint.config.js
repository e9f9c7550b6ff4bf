// Type-aware rules, and the zones: a zone imports only zones below it, and features do not import each other.
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

/** From top to bottom: a zone may import the zones after it. The leaves do not import each other. */
const ZONES = ["app", "features", "shop", "offline", "session", "taps", "live", "api", "ui", "i18n", "storage"];
const LEAVES = ["api", "ui", "i18n"];

function zone(name) {
  const above = ZONES.slice(0, ZONES.indexOf(name) + 1);
  const beside = LEAVES.includes(name) ? LEAVES : [];
  const forbidden = [...new Set([...above, ...beside])].map((other) => `@/${other}/*`);
  return {
    files: [`src/${name}/**/*.{ts,tsx}`],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            { group: forbidden, message: `${name} may import only what lies below it; its own files as "./…".` },
            { group: ["../*"], message: 'Other zones as "@/…", own files as "./…".' },
          ],
        },
      ],
    },
  };
}

export default tseslint.config(
  { ignores: ["node_modules", "../src", "src/api/schema.ts"] }, // schema.ts is generated
  {
    files: ["src/**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked, reactHooks.configs.flat["recommended-latest"]],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // The router redirects by exceptions.
      "@typescript-eslint/only-throw-error": [
        "error",
        { allow: [{ from: "package", package: "@tanstack/router-core", name: ["Redirect", "NotFoundError"] }] },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "react-hooks/incompatible-library": "off", // this app is built without the React compiler
      "no-restricted-properties": [
        "error",
        { object: "crypto", property: "randomUUID", message: "Pages on plain http do not have it." },
      ],
      "no-restricted-globals": [
        "error",
        ...["localStorage", "sessionStorage", "indexedDB"].map((name) => ({ name, message: "Use @/storage: a browser may forbid it." })),
      ],
    },
  },
  ...ZONES.map(zone),
  { files: ["src/storage/*.ts"], rules: { "no-restricted-globals": "off" } },
);
