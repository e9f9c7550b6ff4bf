"""Labels with a code that scanners read: for spools, and cards with the badge of each person.

`stock` is the paper, `qr` the code, `fitting` the size of the words, `drawing` puts both on pages, `pdf` writes them.
`badges` are the cards of people, `printed` records in the ledger which labels were printed, as people confirm."""
