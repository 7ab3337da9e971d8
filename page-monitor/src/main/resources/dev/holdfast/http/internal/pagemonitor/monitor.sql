-- The tables of the page monitor of a zone, as in zone.sql.

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
