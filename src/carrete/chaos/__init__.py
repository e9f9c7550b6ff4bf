"""`carrete chaos`: everything goes wrong at random, by a seed, and what is promised must still hold."""
