-- The credentials and the list of zones. Times of expiry are milliseconds since 1970.

CREATE TABLE IF NOT EXISTS credential (
  kind TEXT, id TEXT, hash TEXT NOT NULL, zones TEXT NOT NULL, permissions TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS expiry (
  kind TEXT, id TEXT, millis INTEGER NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS zone (id TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS report_key (key BLOB NOT NULL)
