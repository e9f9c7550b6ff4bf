"""The text of the page in Spanish."""

from __future__ import annotations

from carrete.api.server.trust_page.guides import DeviceGuide, PageWords, TrustStep

SPANISH = PageWords(
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
