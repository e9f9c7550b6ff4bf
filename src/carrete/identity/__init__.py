"""Who acts, from which device, and how we know: devices, PINs, sessions, tokens, privileges, access events.

`lookups` finds the owner of a cookie or token (`lookup_queries` reads the ledger), `sign_in` begins a session,
`taps` checks a signed tap. `carrete.api.access_table` has what each route needs."""
