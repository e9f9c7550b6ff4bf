"""A badge and code reader that acts as a keyboard: it presses the keys of the layout it was set up for, on a tablet
that may have another one."""

from __future__ import annotations

from enum import StrEnum

from playwright.sync_api import Page

ENTER = "\n"


class Layout(StrEnum):
    US = "US"
    SPANISH = "Spanish"


_DIGITS = {Layout.US: ")!@#$%^&*(", Layout.SPANISH: '=!"·$%&/()'}
_SIGNS = {
    Layout.US: {"Minus": "-_", "Slash": "/?", "Period": ".>", "Comma": ",<", "Semicolon": ";:", "Quote": "'\""},
    Layout.SPANISH: {"Minus": "'?", "Slash": "-_", "Period": ".:", "Comma": ",;", "Semicolon": "ñÑ", "Quote": "´¨"},
}
_DEAD = "´¨"


def _keys(layout: Layout) -> dict[tuple[str, bool], str]:
    """Position and Shift → the character."""
    keys = {(code, bool(shift)): signs[shift] for code, signs in _SIGNS[layout].items() for shift in (0, 1)}
    keys |= {(f"Digit{digit}", False): str(digit) for digit in range(10)}
    keys |= {(f"Digit{digit}", True): sign for digit, sign in enumerate(_DIGITS[layout])}
    keys |= {(f"Key{letter}", False): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    keys |= {(f"Key{letter}", True): letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    return {**keys, ("Space", False): " ", ("Enter", False): ENTER}


def read_code(page: Page, text: str, *, reader: Layout = Layout.US, tablet: Layout = Layout.US) -> None:
    """A thousand signs a second by the time of their events, whatever the machine is busy with. What no handler
    prevents is typed, or presses the button that has the focus, as the browser itself would do."""
    positions = {sign: place for place, sign in _keys(reader).items()}
    meant = _keys(tablet)
    presses = []
    for sign in text:
        code, shift = positions[sign]
        key = meant[code, shift]
        name = "Enter" if key == ENTER else "Dead" if key in _DEAD else key
        presses.append({"code": code, "shiftKey": shift, "key": name})
    page.evaluate(
        """presses => { const begun = performance.now(); presses.forEach(({key, code, shiftKey}, i) => {
            const on = document.activeElement ?? document.body;
            const event = new KeyboardEvent('keydown', {key, code, shiftKey, bubbles: true, cancelable: true});
            Object.defineProperty(event, 'timeStamp', {value: begun + i});
            if (!on.dispatchEvent(event)) return;
            if (on instanceof HTMLButtonElement && (key === 'Enter' || key === ' ')) on.click();
            else if (key.length === 1) document.execCommand('insertText', false, key);
        }) }""",
        presses,
    )
