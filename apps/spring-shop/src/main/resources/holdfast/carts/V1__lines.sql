CREATE TABLE lines (
  article TEXT PRIMARY KEY,
  quantity INTEGER NOT NULL CHECK (quantity > 0)
);
