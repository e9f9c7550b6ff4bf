"""Who acts, from which device, and how we know: devices, PINs, sessions, tokens, privileges, access events.

`lookups` answers who a cookie or token belongs to (`lookup_queries` asks the ledger), `sign_in` begins a session,
`taps` checks a signed tap. What a route needs is said in `carrete.api.access_table`."""
