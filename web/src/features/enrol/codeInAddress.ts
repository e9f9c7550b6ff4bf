// A code in the fragment of the address, `/inscribir#CODE`: browsers do not send it to the server with the page.

/** Reads the code once and takes it out of the address, so that it stays in no history. */
export function takeCode(): string {
  const code = decodeURIComponent(location.hash.slice(1)).trim();
  if (code !== "") history.replaceState(history.state, "", location.pathname);
  return code;
}
