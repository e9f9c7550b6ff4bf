"""The text of the page in English."""

from __future__ import annotations

from carrete.api.server.trust_page.guides import DeviceGuide, PageWords, TrustStep

ENGLISH = PageWords(
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
