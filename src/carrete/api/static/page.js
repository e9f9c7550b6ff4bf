// Asks the API every few seconds and shows the answer; text only, so that a tag can never be markup.
const REFRESH_MS = 3000;
const el = (id) => document.getElementById(id);

function fill(body, rows) {
  body.replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement("tr");
      row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text ?? "" })));
      return row;
    }),
  );
}

const age = (minutes) => (minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`);

async function getJson(path) {
  const response = await fetch(path, { signal: AbortSignal.timeout(5000) });
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail);
  return body;
}

async function showOccupied() {
  const { occupied, total } = await getJson("/api/dashboard/occupied");
  fill(
    el("occupied"),
    occupied.map((o) => [o.tag_spool, o.ocupado_por, o.operacion, age(o.minutos), o.estado_detalle]),
  );
  el("state").textContent = `${total} ocupados · ${new Date().toLocaleTimeString("es-CL")}`;
}

async function showFound() {
  const q = el("q").value.trim();
  el("results").hidden = q === "";
  if (q === "") return;
  const { spools, total } = await getJson(`/api/spools?limit=50&q=${encodeURIComponent(q)}`);
  if (q !== el("q").value.trim()) return; // a newer question is on its way
  el("found").textContent = `Encontrados: ${total}`;
  fill(el("spools"), spools.map((s) => [s.tag_spool, s.ot, s.nv, s.version_workflow, s.estado_detalle]));
}

async function refresh() {
  try {
    await Promise.all([showOccupied(), showFound()]);
  } catch (error) {
    el("state").textContent = `Sin respuesta: ${error.message}`;
  }
}

el("q").addEventListener("input", () => showFound().catch(refresh));
refresh();
setInterval(refresh, REFRESH_MS);
