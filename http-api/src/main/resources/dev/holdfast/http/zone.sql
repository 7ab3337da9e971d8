-- The tables of a zone. A zone has all of them from its first start; a column that is added later
-- needs an ALTER TABLE of its own, since existing zones have their tables already.

-- What the operator has decided.
CREATE TABLE IF NOT EXISTS profile (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL, rules_max INTEGER NOT NULL,
  policies_max INTEGER NOT NULL, matches_allowed INTEGER NOT NULL
) WITHOUT ROWID;

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

-- Counts the writes, one row.
CREATE TABLE IF NOT EXISTS configuration (version INTEGER NOT NULL);

-- Page monitoring. Settings are one row, policies are in the order of seq.
CREATE TABLE IF NOT EXISTS settings (
  enabled INTEGER NOT NULL, vendor_endpoint INTEGER NOT NULL,
  connection_path INTEGER NOT NULL, updated_at TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS policy (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, description TEXT NOT NULL,
  action TEXT NOT NULL, expression TEXT NOT NULL, enabled INTEGER NOT NULL,
  enabled_as_text INTEGER NOT NULL, value TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS violation (
  policy_id TEXT, url TEXT, page_host TEXT, resource_type TEXT, page_url TEXT NOT NULL,
  action TEXT NOT NULL, count INTEGER NOT NULL, last_seen_at TEXT NOT NULL,
  PRIMARY KEY (policy_id, url, page_host, resource_type)
) WITHOUT ROWID;

-- Scripts and connections that pages use; pages and versions are JSON.
CREATE TABLE IF NOT EXISTS detection (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, url TEXT NOT NULL, page_host TEXT NOT NULL,
  added_at TEXT NOT NULL, first_seen_micros INTEGER NOT NULL,
  last_seen_micros INTEGER NOT NULL, first_page_url TEXT NOT NULL, page_urls TEXT NOT NULL,
  status TEXT NOT NULL, reports INTEGER NOT NULL, versions TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS detection_by_age ON detection (status, last_seen_micros);

-- Cookies as they are shown, in JSON, with what they are searched by.
CREATE TABLE IF NOT EXISTS cookie (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, host TEXT NOT NULL, domain TEXT NOT NULL,
  path TEXT NOT NULL, status TEXT NOT NULL, last_seen_micros INTEGER NOT NULL,
  shown TEXT NOT NULL, UNIQUE (name, host, domain, path)
) WITHOUT ROWID;

-- What visitors have made the zone write in the hour.
CREATE TABLE IF NOT EXISTS visitor_spending (
  purpose TEXT PRIMARY KEY, began_micros INTEGER NOT NULL, bytes INTEGER NOT NULL
) WITHOUT ROWID
