-- The tables of the firewall of a zone, as in zone.sql.

-- The firewall: filters and the rules that use them, in the order of seq.
CREATE TABLE IF NOT EXISTS filter (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, expression TEXT NOT NULL UNIQUE,
  paused INTEGER NOT NULL, description TEXT, ref TEXT
);

CREATE TABLE IF NOT EXISTS rule (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, filter_id TEXT NOT NULL,
  action TEXT NOT NULL, priority INTEGER, paused INTEGER NOT NULL, description TEXT,
  ref TEXT, products TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS rule_by_filter ON rule (filter_id);

-- Rulesets, a row for each version; the rules are JSON.
CREATE TABLE IF NOT EXISTS ruleset (
  id TEXT NOT NULL, version INTEGER NOT NULL, latest INTEGER NOT NULL, kind TEXT NOT NULL,
  phase TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
  last_updated TEXT NOT NULL, rules TEXT NOT NULL, PRIMARY KEY (id, version)
) WITHOUT ROWID;

-- The migration from the previous managed rules: their document, and how far it is.
CREATE TABLE IF NOT EXISTS legacy (document TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS migration (state TEXT NOT NULL);
