-- Which taps a tablet had signed and not seen answered when it told the end of their session: their signatures, as in
-- `Carrete-Tap`, with a blank between them. No other tap of that session is accepted any more. A session without a row
-- was ended without such a list. Only late taps are looked up here.
CREATE TABLE unsent_taps (
    session_id $KEY PRIMARY KEY,
    signatures TEXT NOT NULL,
    told_at TEXT NOT NULL
);
