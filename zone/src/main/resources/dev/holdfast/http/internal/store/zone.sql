-- The tables of a zone. A zone has all of them from its first start; a column that is added later
-- needs an ALTER TABLE of its own, since existing zones have their tables already.

-- What the operator has decided.
CREATE TABLE IF NOT EXISTS profile (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, rules_max INTEGER NOT NULL,
  policies_max INTEGER NOT NULL, matches_allowed INTEGER NOT NULL
) WITHOUT ROWID;

-- Counts the writes, one row.
CREATE TABLE IF NOT EXISTS configuration (version INTEGER NOT NULL);
