// Everything that a page of another site can make this browser send to Carrete, without the worker's knowing.
// `bodies` has the body for each path; the promise is kept when all that can be waited for has been answered.
// Beacons and forms cannot: whoever asks for an attack looks at the server to know when it has heard them all.

const NOTHING = () => undefined;

function attack(targets, bodies) {
  return Promise.allSettled(targets.map((target) => attackOne(target, bodies)));
}

async function attackOne(target, bodies) {
  const asked = Object.entries(bodies).map(([path, body]) => [target + path, JSON.stringify(body)]);
  for (const [url, json] of asked) forms(url, json);
  await Promise.allSettled(asked.flatMap(([url, json]) => posts(url, json)));
  await Promise.allSettled([sandboxed(target, bodies), ...streams(target)]);
}

function posts(url, json) {
  const send = (options) => fetch(url, { method: "POST", ...options }).catch(NOTHING);
  const typed = (type) => new Blob([json], { type });
  beacons(url, json, typed);
  return [
    send({ mode: "no-cors", body: json }),
    send({ mode: "no-cors", body: json, headers: { "Content-Type": "text/plain;a=application/json" } }),
    send({ mode: "no-cors", body: new Blob([json]) }),
    send({ mode: "no-cors", body: new Blob([json]), referrerPolicy: "no-referrer", keepalive: true }),
    send({ mode: "no-cors", body: typed("application/json"), credentials: "include" }),
    send({ body: json, headers: { "Content-Type": "application/json" } }),
    send({ body: json, headers: { "Content-Type": "application/json", "Idempotency-Key": "ajena" } }),
    send({ body: new Blob([json]) }),
    request(url, json),
  ];
}

function beacons(url, json, typed) {
  for (const body of [json, new Blob([json]), typed("text/plain"), typed("application/json")]) {
    try {
      navigator.sendBeacon(url, body);
    } catch {
      // this browser does not even try
    }
  }
}

function request(url, json) {
  return new Promise((done) => {
    const asked = new XMLHttpRequest();
    asked.onloadend = done;
    asked.open("POST", url);
    asked.setRequestHeader("Content-Type", "text/plain");
    asked.send(json);
  });
}

function forms(url, json) {
  for (const kind of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) form(url, json, kind);
}

// As text/plain, name=value is JSON: {…,"worker_nombre":"="}
function form(url, json, enctype) {
  const frame = document.createElement("iframe");
  frame.name = `frame-${Math.random()}`;
  const sent = Object.assign(document.createElement("form"), { action: url, method: "post", enctype, target: frame.name });
  const name = `${json.slice(0, -1)},"worker_nombre":"`;
  sent.append(Object.assign(document.createElement("input"), { name, value: '"}' }));
  document.body.append(frame, sent);
  sent.submit();
  frame.onload = () => frame.contentDocument ?? frame.remove(); // the answer has come: it is no page that we may see
}

function sandboxed(target, bodies) {
  return new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts allow-forms";
    frame.srcdoc = `<body><script>
      ${[posts, beacons, request, forms, form, streams, stream].join("\n")}
      const NOTHING = () => undefined;
      const attempts = Object.entries(${JSON.stringify(bodies)})
        .flatMap(([path, body]) => posts(${JSON.stringify(target)} + path, JSON.stringify(body)));
      forms(${JSON.stringify(target)} + "/api/occupation/tomar", ${JSON.stringify(JSON.stringify(bodies["/api/occupation/tomar"]))});
      Promise.allSettled([...attempts, ...streams(${JSON.stringify(target)})]).then(() => parent.postMessage("done", "*"));
    <\/script></body>`;
    globalThis.addEventListener("message", done, { once: true });
    document.body.append(frame);
  });
}

function streams(target) {
  const url = `${target}/api/sse/stream?since=0`;
  const opened = [stream(url, { mode: "cors" }), stream(url, { mode: "no-cors" }), image(url), source(url)];
  const late = new Promise((done) => setTimeout(done, 5000)); // one that was let in has no end
  return opened.map((each) => Promise.race([each, late]));

  function image(src) {
    return new Promise((done) => Object.assign(new Image(), { onload: done, onerror: done, src }));
  }
  function source(src) {
    return new Promise((done) => {
      const opened = new EventSource(src, { withCredentials: true });
      opened.onmessage = () => (globalThis.overheard = true);
      opened.onopen = () => (globalThis.overheard = true);
      opened.onerror = () => (opened.close(), done());
    });
  }
}

async function stream(url, options) {
  const answer = await fetch(url, options).catch(NOTHING);
  if (answer?.ok) globalThis.overheard = true;
  return answer?.status;
}
