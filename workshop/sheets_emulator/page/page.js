// The workbook as an editable grid. Everything goes through /_control, as a person's hands; nothing counts for quota.
"use strict";

const PAGE_ROWS = 200;
const REFRESH_MS = 1000;
const LOG_SHOWN = 30;
const state = { tab: "", revision: -1, from: 0, tabs: [], row: 0, column: 0, editing: false, seen: new Map() };
const byId = (id) => document.getElementById(id);

async function control(method, path, body) {
  const options = { method, headers: { "Content-Type": "application/json" } };
  if (body) options.body = JSON.stringify(body);
  const answer = await fetch(`/_control/${path}`, options);
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.error.message);
  return content;
}

const person = (act, body) => control("POST", `person/${act}`, { sheet: state.tab, ...body });

async function attempt(doing) {
  byId("message").textContent = "";
  try {
    await doing();
  } catch (error) {
    byId("message").textContent = error.message;
  }
  await refresh(true);
}

function letters(column) {
  let text = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(65 + ((rest - 1) % 26)) + text;
  }
  return text;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// ─── showing ────────────────────────────────────────────────────────────────────────────────────────────────

async function refresh(force = false) {
  if (state.editing && !force) return;
  const book = await control("GET", "workbook");
  byId("title").textContent = book.title;
  byId("revision").textContent = `revision ${book.revision}`;
  showTabs(book.tabs);
  const known = force ? -1 : state.revision;
  const query = new URLSearchParams({ sheet: state.tab, from: state.from, rows: PAGE_ROWS, revision: known });
  const grid = await control("GET", `grid?${query}`);
  if (grid.rows && !state.editing) showGrid(grid);
  state.revision = grid.revision;
  await showLog();
}

function showTabs(tabs) {
  state.tabs = tabs;
  if (!tabs.some((tab) => tab.title === state.tab)) choose(tabs[0].title);
  byId("tabs").replaceChildren(
    ...tabs.map((tab) => {
      const button = element("button", { textContent: `${tab.title} (${Math.max(tab.used - 1, 0)})` });
      button.setAttribute("role", "tab");
      button.setAttribute("aria-selected", String(tab.title === state.tab));
      button.addEventListener("click", () => {
        choose(tab.title);
        refresh(true);
      });
      return button;
    }),
  );
}

function choose(title) {
  Object.assign(state, { tab: title, from: 0, row: 0, column: 0, revision: -1, seen: new Map() });
}

function showGrid(grid) {
  const written = new Map(grid.written.map(([row, column, byPerson, at]) => [`${row}:${column}`, { byPerson, at }]));
  const height = Math.min(Math.max(grid.rows.length + 5, 20), PAGE_ROWS, grid.rowCount - state.from);
  const head = element("tr", {}, element("th", { textContent: "" }));
  for (let column = 0; column < grid.columnCount; column += 1) head.append(columnHead(column));
  const body = element("tbody", {});
  for (let place = 0; place < height; place += 1) body.append(gridRow(grid, written, place));
  byId("grid").replaceChildren(element("table", { className: state.from ? "" : "headed" }, element("thead", {}, head), body));
  byId("shown").textContent = `rows ${state.from + 1} to ${state.from + height} of ${grid.rowCount}`;
  state.seen = written;
}

function columnHead(column) {
  const head = element("th", { textContent: letters(column), className: column === state.column ? "chosen" : "" });
  head.addEventListener("click", () => {
    state.column = column;
    refresh(true);
  });
  return head;
}

function gridRow(grid, written, place) {
  const row = state.from + place;
  const head = element("th", { textContent: String(row + 1) });
  head.addEventListener("click", () => {
    state.row = row;
    refresh(true);
  });
  const line = element("tr", { className: row === state.row ? "chosen" : "" }, head);
  for (let column = 0; column < grid.columnCount; column += 1) {
    const value = (grid.rows[place] || [])[column] ?? "";
    line.append(cell(row, column, value, written.get(`${row}:${column}`)));
  }
  return line;
}

function cell(row, column, value, mark) {
  const made = element("td", { textContent: String(value), tabIndex: 0, title: String(value) });
  if (mark) made.classList.add(mark.byPerson ? "person" : "api");
  const before = state.seen.get(`${row}:${column}`);
  if (mark && state.revision >= 0 && mark.at > state.revision && (!before || before.at !== mark.at)) made.classList.add("fresh");
  const begin = () => edit(made, row, column, value);
  made.addEventListener("click", begin);
  made.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target === made) begin();
  });
  return made;
}

async function showLog() {
  const { requests } = await control("GET", "log?after=0");
  byId("log").replaceChildren(
    ...requests.slice(-LOG_SHOWN).reverse().map((one) => {
      const path = one.path.replace(/^\/v4\/spreadsheets\/[^/:]+/, "");
      const text = `${one.method} ${path} → ${one.cut || one.status}${one.fault ? ` (${one.fault})` : ""}, ${Math.round(one.ms)} ms`;
      return element("li", { textContent: text, className: one.status === 200 ? "" : "bad" });
    }),
  );
}

// ─── editing ────────────────────────────────────────────────────────────────────────────────────────────────

function edit(place, row, column, value) {
  if (state.editing) return;
  Object.assign(state, { editing: true, row, column });
  const input = element("input", { value: String(value) });
  input.setAttribute("aria-label", `${letters(column)}${row + 1}`);
  place.replaceChildren(input);
  input.select();
  let done = false;
  const end = (keep) => {
    if (done) return;
    done = true;
    state.editing = false;
    const typed = input.value;
    attempt(async () => {
      if (keep && typed !== String(value)) await person("edit", { cell: `${letters(column)}${row + 1}`, value: typed });
    });
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") end(true);
    if (event.key === "Escape") end(false);
  });
  input.addEventListener("blur", () => end(true));
}

const ACTS = {
  insert: () => person("insert_rows", { at: state.row + 1 }),
  delete: () => person("delete_rows", { at: state.row + 1 }),
  ascending: () => person("sort", { column: state.column + 1 }),
  descending: () => person("sort", { column: state.column + 1, descending: true }),
  undo: () => person("undo", {}),
  outage: () => control("POST", "outage", { mode: "reset", for_s: 30 }),
  back: async () => { state.from = Math.max(state.from - PAGE_ROWS, 0); },
  forth: async () => {
    const tab = state.tabs.find((one) => one.title === state.tab);
    if (tab && state.from + PAGE_ROWS < tab.rows) state.from += PAGE_ROWS;
  },
};

byId("tools").addEventListener("click", ({ target }) => {
  if (target.dataset.act) attempt(ACTS[target.dataset.act]);
  if (target.dataset.fault) attempt(() => control("POST", "fault", { fault: target.dataset.fault, kind: "write" }));
});

async function begin() {
  const hints = await control("GET", "hints");
  byId("hints").textContent = hints.environment || "";
  await refresh(true);
  setInterval(() => refresh().catch((error) => { byId("message").textContent = error.message; }), REFRESH_MS);
}

begin();
