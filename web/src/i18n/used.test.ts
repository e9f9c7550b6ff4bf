import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { es as esFloor } from "./es";
import { esOffice } from "./office";

const es = { ...esFloor, ...esOffice };

type Tree = { [name: string]: string | Tree };

const source = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.startsWith("i18n"))
  .map((path) => readFileSync(`src/${path}`, "utf8"))
  .join("\n");

const keysOf = (tree: Tree, path = ""): string[] =>
  Object.entries(tree).flatMap(([name, found]) =>
    typeof found === "string" ? [path + name] : keysOf(found, `${path}${name}.`),
  );

/** Written out, as a template (`state.${…}`), or through its plural. */
const used = (key: string): boolean =>
  source.includes(`"${key.replace(/_(one|other)$/, "")}"`) || source.includes(`\`${key.replace(/[^.]+$/, "")}\${`);

describe("the catalogue", () => {
  it("has no sentence that nobody reads", () => {
    expect(keysOf(es).filter((key) => !used(key))).toEqual([]);
  });
});
