import { describe, expect, it } from "vitest";

import { en as enFloor } from "./en";
import { es as esFloor } from "./es";
import { enOffice, esOffice } from "./office";

const es = { ...esFloor, ...esOffice };
const en = { ...enFloor, ...enOffice };

type Tree = { [name: string]: string | Tree };

function sentences(tree: Tree, path = ""): [string, string][] {
  return Object.entries(tree).flatMap(([name, found]) =>
    typeof found === "string" ? [[`${path}${name}`, found] as [string, string]] : sentences(found, `${path}${name}.`),
  );
}
const blanks = (text: string): string[] => [...text.matchAll(/{{(\w+)}}/g)].map((found) => found[1] ?? "").sort();

const spanish = new Map(sentences(es));
const english = new Map(sentences(en));

describe("the two catalogues", () => {
  it("have no sentence of the office under a name of the floor", () => {
    expect(Object.keys(esOffice).filter((name) => name in esFloor)).toEqual([]);
  });

  it("have the same sentences", () => {
    expect([...english.keys()].sort()).toEqual([...spanish.keys()].sort());
  });

  it("leave no sentence empty", () => {
    for (const [key, text] of [...spanish, ...english]) expect(text.trim(), key).not.toBe("");
  });

  it("fill in the same blanks", () => {
    for (const [key, text] of spanish) expect(blanks(english.get(key) ?? ""), key).toEqual(blanks(text));
  });

  it("keep the counter of the joints as the floor knows it", () => {
    expect(es.joints.counter).toBe("Seleccionadas: {{selected}}/{{total}} | Pulgadas: {{inches}}");
  });
});
