package dev.holdfast.backend.sqlite.wal;

/** Constants of {@code docs/formats/sqlite-batch.md}. */
final class BatchFormat {

  static final int VERSION = 1;

  static final int HEADER_BYTES = 16;
  static final int HAS_CATALOG_CHANGE = 1;
  static final int HAS_PARTS = 2;

  static final int ENTRY_HEADER_BYTES = 8;
  static final int RANGE_BYTES = 4;

  static final int REDO = 1;
  static final int REDO_FROM_ZEROS = 2;
  static final int UNDO = 4;
  static final int UNDO_FROM_ZEROS = 8;
  static final int UNDO_HAS_RANGES_OF_REDO = 16;
  static final int ALL_FLAGS = 31;

  private BatchFormat() {}
}
