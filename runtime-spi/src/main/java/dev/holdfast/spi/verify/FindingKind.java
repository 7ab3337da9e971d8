package dev.holdfast.spi.verify;

import java.util.Locale;

/** What was found. The codes are stable: programs may depend on them. */
public enum FindingKind {
  /** An entry of an archive is not what was added, or is another one. */
  ARCHIVE_ENTRY_DAMAGED,
  /** An archive lacks a generation, or records between others. */
  ARCHIVE_ENTRY_LOST,
  /** A file of a backup, or its manifest, is not what it was when the backup was made. */
  BACKUP_DAMAGED,
  /** A segment of the journal, or all of it, is missing. */
  SEGMENT_MISSING,
  /** The header of a segment, its length or its name is wrong. */
  SEGMENT_DAMAGED,
  /** Records of the journal cannot be read, and later ones can. */
  RECORDS_DAMAGED,
  /** The last group of the journal is not whole. */
  TAIL_TORN,
  /** The journal ends before a position that was durable. */
  JOURNAL_SHORT,
  /** The mark of the journal is missing. */
  MARK_MISSING,
  /** The mark of the journal is damaged or contradicts the journal. */
  MARK_DAMAGED,
  /** The index of a segment is damaged or of another segment. */
  INDEX_DAMAGED,
  /** A file was written by another version. */
  VERSION_UNKNOWN,
  /** A record is whole, but its payload is not what its view writes. */
  PAYLOAD_MALFORMED,
  /** A record of an object is missing in the journal, though nothing has dropped it. */
  HISTORY_INCOMPLETE,
  /** The catalog of SQLite is missing. */
  CATALOG_MISSING,
  /** The catalog of SQLite is damaged. */
  CATALOG_DAMAGED,
  /** The catalog of SQLite does not belong to the journal. */
  CATALOG_FOREIGN,
  /** The catalog of SQLite disagrees with the objects. */
  CATALOG_DIFFERS,
  /** The database file of an object is missing. */
  OBJECT_MISSING,
  /** The database file of an object is not the one that was saved. */
  OBJECT_DAMAGED,
  /** A database file belongs to no object. */
  OBJECT_UNKNOWN,
  /** The database file of an object differs from what the journal says. */
  OBJECT_DIFFERS,
  /** The RocksDB database is missing or an older copy. */
  ROCKSDB_OLDER,
  /** The RocksDB database is damaged. */
  ROCKSDB_DAMAGED,
  /** The mark of the RocksDB database is damaged or missing. */
  ROCKSDB_MARK_DAMAGED,
  /** The RocksDB database or its mark does not belong to the journal. */
  ROCKSDB_FOREIGN,
  /** The catalog of RocksDB disagrees with itself or with the objects. */
  ROCKSDB_CATALOG_DIFFERS,
  /** A pair in RocksDB differs from what the journal says. */
  ROCKSDB_DIFFERS;

  /** {@return the stable code, such as {@code records-damaged}} */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
