"""Files of tests that `make test` leaves to `make test-long`.

`make test` is kept short, so it has one short example of everything: each kind of campaign, the floor,
identity, the time without a connection and the administrator's pages in a browser. What is here repeats that in more
sizes, languages, modes, faults and orders, or follows a document for minutes. A single test of another file has the
mark `long`; a test of the browser that runs in the modes `open` and `pin` runs there in `open`; one that runs in both
modes on both databases runs there in `pin` on SQLite and in `open` on PostgreSQL; and what hardly depends on the
database runs there on PostgreSQL (`conftest.py`).
"""

from __future__ import annotations

LONG_FILES = (
    # Every screen in both themes and languages, at four sizes, with axe.
    "system/browser/test_administration_machine_screens.py",
    "system/browser/test_administration_screens.py",
    "system/browser/test_identity_screens.py",
    "system/browser/test_layout.py",
    "system/browser/test_offline_screens.py",
    "system/browser/test_screens.py",
    # The browser is killed again and again.
    "system/browser/test_identity_kills.py",
    "system/browser/test_offline_https.py",
    "system/browser/test_offline_kills.py",
    # The administrator's pages beyond people and roles.
    "system/browser/test_administration_access.py",
    "system/browser/test_administration_machine.py",
    "system/browser/test_administration_welding.py",
    "system/browser/test_administration_workbook.py",
    "system/browser/test_webhooks.py",
    # Other browsers, other pages, other moments.
    "system/browser/test_camera.py",
    "system/browser/test_dossier.py",
    "system/browser/test_foreign_pages.py",
    "system/browser/test_gloves.py",
    "system/browser/test_identity_device_mode.py",
    "system/browser/test_identity_enrol.py",
    "system/browser/test_identity_late_taps.py",
    "system/browser/test_inactive_worker.py",
    "system/browser/test_labels.py",
    "system/browser/test_left_open.py",
    "system/browser/test_notes.py",
    "system/browser/test_offline_storage.py",
    "system/browser/test_overdue.py",
    "system/browser/test_reader.py",
    "system/browser/test_right_buttons.py",
    "system/browser/test_server_state.py",
    "system/browser/test_service_worker.py",
    "system/browser/test_shift_end.py",
    "system/browser/test_shop_name.py",
    "system/browser/test_shop_time.py",
    "system/browser/test_speed.py",
    "system/browser/test_without_storage.py",
    "system/browser/test_workbook_card.py",
    "system/browser/test_workflow_changes.py",
    "system/browser/test_together.py",
    "system/browser/test_weld_day.py",
    "system/tls/test_chromium.py",
    "system/tls/test_own_network.py",
    # Documents that are followed step by step, and several machines.
    "system/operations/test_copies_and_upgrades.py",
    "system/operations/test_first_day.py",
    "system/operations/test_move_to_identity.py",
    "system/operations/test_several_machines.py",
    "system/operations/test_the_pc_died.py",
    # Hostile files of every kind, hundreds of generated workbooks, thousands of requests.
    "integration/workbook/test_bombs.py",
    "integration/workbook/test_preview.py",
    "integration/fuzz/test_openapi_on_postgres.py",
    "integration/fuzz/test_openapi_phases.py",
    # Many at once, for long.
    "integration/webhooks/test_processes.py",
    "system/races/test_sign_in_flood.py",
    # The measurements themselves.
    "integration/bench/test_bench.py",
    "integration/bench/test_bench_all.py",
    "integration/bench/test_bench_labels.py",
    "integration/bench/test_bench_tls.py",
)

# Files and folders whose tests are about what is made of values, not about how the ledger keeps them. In `make test`
# they run on SQLite; the tests of ledger, actions and API show that PostgreSQL answers the same statements alike.
ON_SQLITE_FIRST = (
    "integration/demo/",
    "integration/dossier/",
    "integration/trail/test_bad_",
    "integration/uploads/",
    "integration/workbook/test_exporting.py",
    "integration/workbook/test_ndt.py",
    "integration/workbook/test_quality_states.py",
    "integration/workbook/test_reading.py",
    "integration/workbook/test_welding.py",
)
