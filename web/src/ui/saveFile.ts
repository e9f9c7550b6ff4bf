// Gives a file that was answered to the browser's downloads.

/** The browser reads the file after the click; then the memory is given back. */
const KEPT_MS = 60_000;

export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link); // a browser may ignore a click on a link that is in no page
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
