// Numbers as the shop writes them, in both languages: `5 851.5`.

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const decimal = (n: number): string => number.format(n).replaceAll(",", "\u00a0");
