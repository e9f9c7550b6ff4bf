"""The text of the page, in Spanish and English, with the four steps of each kind of device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["es", "en"]
Frame = Literal["tablet", "window", "terminal"]


@dataclass(frozen=True, slots=True)
class TrustStep:
    """`shown` are the lines of the drawing; the line with the number `touched` is the one to touch or to type."""

    text: str
    title: str
    shown: tuple[str, ...]
    touched: int = 0
    frame: Frame | None = None  # where it is not the guide's


@dataclass(frozen=True, slots=True)
class DeviceGuide:
    name: str
    frame: Frame
    file: str
    steps: tuple[TrustStep, TrustStep, TrustStep, TrustStep]


@dataclass(frozen=True, slots=True)
class PageWords:
    title: str
    other_language: str
    why_title: str
    why: tuple[str, ...]
    check_title: str
    check: str
    device_title: str
    download: str
    go_title: str
    go: str
    go_button: str
    not_here: str
    back: str
    guides: tuple[DeviceGuide, ...]


def words(language: Language) -> PageWords:
    return _SPANISH if language == "es" else _ENGLISH


_SPANISH = PageWords(
    title="Confiar en este servidor",
    other_language="English",
    why_title="¿Por qué?",
    why=(
        "Carrete usa HTTPS para que nadie en la red pueda leer un PIN ni hacerse pasar por otra persona.",
        "El certificado lo firma una autoridad propia de este servidor. Cada tablet o computador "
        "debe instalarla una vez. "
        "Sólo sirve para este servidor, nombres .local y direcciones privadas; para ningún sitio de internet.",
    ),
    check_title="Huella de la autoridad",
    check=(
        "Compárela con la que muestra la pantalla del servidor (carrete serve). Si no es igual, no "
        "instale nada y avise."
    ),
    device_title="¿Qué equipo es este?",
    download="Descargar",
    go_title="Listo",
    go=(
        "Cuando la autoridad esté instalada, Carrete abre sin advertencias. Guarde esta dirección en "
        "la pantalla de inicio."
    ),
    go_button="Abrir Carrete",
    not_here="Aquí no hay nada más que esa página.",
    back="Ir a la página",
    guides=(
        DeviceGuide(
            "Android",
            "tablet",
            "carrete.crt",
            (
                TrustStep(
                    "Toque «Descargar carrete.crt». El archivo queda en Descargas.",
                    "Confiar en este servidor",
                    ("Android", "Descargar carrete.crt", "Huella"),
                    1,
                ),
                TrustStep(
                    "Abra Ajustes, busque «certificado» y elija «Instalar un certificado» (en "
                    "Seguridad, Cifrado y credenciales).",
                    "Ajustes · Seguridad",
                    ("Bloqueo de pantalla", "Cifrado y credenciales", "Instalar un certificado"),
                    2,
                ),
                TrustStep(
                    "Elija «Certificado de CA», «Instalar de todos modos» y luego carrete.crt en Descargas.",
                    "Instalar un certificado",
                    ("Certificado de CA", "VPN y apps", "Wi-Fi"),
                    0,
                ),
                TrustStep(
                    "En «Credenciales de confianza», «Usuario», abra Carrete y compare la huella SHA-256.",
                    "Credenciales de confianza",
                    ("Sistema", "Usuario", "Carrete · SHA-256"),
                    2,
                ),
            ),
        ),
        DeviceGuide(
            "iPad",
            "tablet",
            "carrete.crt",
            (
                TrustStep(
                    "En Safari, toque «Descargar carrete.crt» y luego «Permitir».",
                    "Safari",
                    ("Este sitio quiere descargar", "un perfil", "Permitir"),
                    2,
                ),
                TrustStep(
                    "Abra Ajustes, toque «Perfil descargado», compare la huella en «Más detalles» y toque «Instalar».",
                    "Ajustes",
                    ("Perfil descargado", "Wi-Fi", "General"),
                    0,
                ),
                TrustStep(
                    "En Ajustes, General, Información, abra «Ajustes de confianza de los certificados».",
                    "General · Información",
                    ("Nombre", "Versión de iPadOS", "Confianza de certificados"),
                    2,
                ),
                TrustStep(
                    "Active el interruptor de Carrete y toque «Continuar».",
                    "Confianza de certificados",
                    ("Activar confianza total", "Carrete   ●", "Continuar"),
                    1,
                ),
            ),
        ),
        DeviceGuide(
            "Windows",
            "window",
            "carrete.crt",
            (
                TrustStep(
                    "Descargue carrete.crt, ábralo y compare la huella. Elija «Instalar certificado…».",
                    "Certificado",
                    ("Emitido para: Carrete", "Válido por 10 años", "Instalar certificado…"),
                    2,
                ),
                TrustStep(
                    "Elija «Equipo local» y «Siguiente».",
                    "Asistente para importar",
                    ("Usuario actual", "Equipo local", "Siguiente"),
                    1,
                ),
                TrustStep(
                    "Elija «Colocar todos los certificados en el siguiente almacén», «Examinar…», «Entidades de "
                    "certificación raíz de confianza».",
                    "Almacén de certificados",
                    ("Personal", "Raíz de confianza", "Confianza empresarial"),
                    1,
                ),
                TrustStep(
                    "Elija «Finalizar» y abra el navegador de nuevo.",
                    "Asistente para importar",
                    ("Raíz de confianza", "Carrete", "Finalizar"),
                    2,
                ),
            ),
        ),
        DeviceGuide(
            "Linux",
            "terminal",
            "carrete.pem",
            (
                TrustStep(
                    "Descargue carrete.pem y compare la huella: openssl x509 -in carrete.pem -noout "
                    "-fingerprint -sha256",
                    "Terminal",
                    ("$ openssl x509 \\", "    -in carrete.pem -noout \\", "    -fingerprint -sha256"),
                    2,
                ),
                TrustStep(
                    "Para el sistema: sudo cp carrete.pem /usr/local/share/ca-certificates/carrete.crt y luego sudo "
                    "update-ca-certificates",
                    "Terminal",
                    ("$ sudo cp carrete.pem …/carrete.crt", "$ sudo update-ca-certificates", "1 added, 0 removed"),
                    1,
                ),
                TrustStep(
                    'Para Chromium: certutil -d sql:$HOME/.pki/nssdb -A -t "C,," -n Carrete -i carrete.pem',
                    "Terminal",
                    ("$ certutil -d sql:~/.pki/nssdb \\", '    -A -t "C,," -n Carrete \\', "    -i carrete.pem"),
                    2,
                ),
                TrustStep(
                    "Para Firefox: Ajustes, Privacidad y seguridad, Ver certificados, Autoridades, Importar.",
                    "Firefox · Autoridades",
                    ("Ver certificados", "Autoridades", "Importar… carrete.pem"),
                    2,
                    "window",
                ),
            ),
        ),
    ),
)

_ENGLISH = PageWords(
    title="Trust this server",
    other_language="Español",
    why_title="Why?",
    why=(
        "Carrete uses HTTPS, so that nobody on the network can read a PIN or pretend to be somebody else.",
        "The certificate is signed by an authority of this server's own. Each tablet or computer "
        "installs it once. It is "
        "good for this server, .local names and private addresses only; for no site on the internet.",
    ),
    check_title="The authority's fingerprint",
    check=(
        "Compare it with the one on the server's screen (carrete serve). If they differ, install "
        "nothing and tell somebody."
    ),
    device_title="Which device is this?",
    download="Download",
    go_title="Done",
    go="Once the authority is installed, Carrete opens without a warning. Keep this address on the home screen.",
    go_button="Open Carrete",
    not_here="There is nothing here but that page.",
    back="Go to the page",
    guides=(
        DeviceGuide(
            "Android",
            "tablet",
            "carrete.crt",
            (
                TrustStep(
                    "Touch “Download carrete.crt”. The file is in Downloads then.",
                    "Trust this server",
                    ("Android", "Download carrete.crt", "Fingerprint"),
                    1,
                ),
                TrustStep(
                    "Open Settings, search for “certificate” and choose “Install a certificate” (in "
                    "Security, Encryption "
                    "& credentials).",
                    "Settings · Security",
                    ("Screen lock", "Encryption & credentials", "Install a certificate"),
                    2,
                ),
                TrustStep(
                    "Choose “CA certificate”, “Install anyway”, and then carrete.crt in Downloads.",
                    "Install a certificate",
                    ("CA certificate", "VPN & app user", "Wi-Fi"),
                    0,
                ),
                TrustStep(
                    "In “Trusted credentials”, “User”, open Carrete and compare the SHA-256 fingerprint.",
                    "Trusted credentials",
                    ("System", "User", "Carrete · SHA-256"),
                    2,
                ),
            ),
        ),
        DeviceGuide(
            "iPad",
            "tablet",
            "carrete.crt",
            (
                TrustStep(
                    "In Safari, touch “Download carrete.crt” and then “Allow”.",
                    "Safari",
                    ("This website is trying to", "download a profile", "Allow"),
                    2,
                ),
                TrustStep(
                    "Open Settings, touch “Profile Downloaded”, compare the fingerprint in “More "
                    "Details”, touch “Install”.",
                    "Settings",
                    ("Profile Downloaded", "Wi-Fi", "General"),
                    0,
                ),
                TrustStep(
                    "In Settings, General, About, open “Certificate Trust Settings”.",
                    "General · About",
                    ("Name", "iPadOS Version", "Certificate Trust Settings"),
                    2,
                ),
                TrustStep(
                    "Turn the switch of Carrete on and touch “Continue”.",
                    "Certificate Trust Settings",
                    ("Enable full trust", "Carrete   ●", "Continue"),
                    1,
                ),
            ),
        ),
        DeviceGuide(
            "Windows",
            "window",
            "carrete.crt",
            (
                TrustStep(
                    "Download carrete.crt, open it and compare the fingerprint. Choose “Install Certificate…”.",
                    "Certificate",
                    ("Issued to: Carrete", "Valid for 10 years", "Install Certificate…"),
                    2,
                ),
                TrustStep(
                    "Choose “Local Machine” and “Next”.",
                    "Certificate Import Wizard",
                    ("Current User", "Local Machine", "Next"),
                    1,
                ),
                TrustStep(
                    "Choose “Place all certificates in the following store”, “Browse…”, “Trusted Root Certification "
                    "Authorities”.",
                    "Certificate Store",
                    ("Personal", "Trusted Root", "Enterprise Trust"),
                    1,
                ),
                TrustStep(
                    "Choose “Finish” and open the browser again.",
                    "Certificate Import Wizard",
                    ("Trusted Root", "Carrete", "Finish"),
                    2,
                ),
            ),
        ),
        DeviceGuide(
            "Linux",
            "terminal",
            "carrete.pem",
            (
                TrustStep(
                    "Download carrete.pem and compare the fingerprint: openssl x509 -in carrete.pem "
                    "-noout -fingerprint "
                    "-sha256",
                    "Terminal",
                    ("$ openssl x509 \\", "    -in carrete.pem -noout \\", "    -fingerprint -sha256"),
                    2,
                ),
                TrustStep(
                    "For the system: sudo cp carrete.pem /usr/local/share/ca-certificates/carrete.crt, then sudo "
                    "update-ca-certificates",
                    "Terminal",
                    ("$ sudo cp carrete.pem …/carrete.crt", "$ sudo update-ca-certificates", "1 added, 0 removed"),
                    1,
                ),
                TrustStep(
                    'For Chromium: certutil -d sql:$HOME/.pki/nssdb -A -t "C,," -n Carrete -i carrete.pem',
                    "Terminal",
                    ("$ certutil -d sql:~/.pki/nssdb \\", '    -A -t "C,," -n Carrete \\', "    -i carrete.pem"),
                    2,
                ),
                TrustStep(
                    "For Firefox: Settings, Privacy & Security, View Certificates, Authorities, Import.",
                    "Firefox · Authorities",
                    ("View Certificates", "Authorities", "Import… carrete.pem"),
                    2,
                    "window",
                ),
            ),
        ),
    ),
)
