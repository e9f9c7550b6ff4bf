// The tags of a pasted list: one in each line, each once, in their order.
export const tagsIn = (list: string): string[] => [...new Set(list.split("\n").map((line) => line.trim()))].filter((line) => line !== "");
