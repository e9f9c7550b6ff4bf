-- Repair rates count the first examination of a joint by each method. Those that a person asked for may be later ones; they are found here.
CREATE INDEX ndt_by_origin ON ndt (origin, result_day) WHERE round = 0 AND result_day IS NOT NULL;
