package dev.holdfast.backend.sqlite.binding;

/** The bounds of this backend: what it keeps in memory, and how much it does at once. */
public final class SqliteBounds {

  // ---------------------------------------------------------------- statements

  /**
   * Total length of the texts of a connection's idle statements. The reference keeps 1 MiB for each
   * of its objects. Here thousands of connections may be open in one process, and a prepared
   * statement takes many times the memory of its text. An object has dozens of texts of about a
   * hundred characters; the cache holds hundreds of them.
   */
  public static final int STATEMENT_TEXTS_LENGTH_MAX = 64 * 1_024;

  /** Larger bindings are released when the statement ends: hundreds of idle statements are kept. */
  static final int BINDING_BYTES_KEPT_MAX = 1_024;

  /** Total length of the split and checked texts that all objects share. */
  public static final int SCRIPTS_LENGTH_MAX = 1_024 * 1_024;

  /** Number of schemas that all objects share. */
  public static final int SCHEMAS_MAX = 256;

  /** Plans kept for a schema; a program that generates more texts than this gains nothing. */
  public static final int PLANS_MAX = 2_000;

  /** Longest program of a statement, in instructions of SQLite. */
  public static final int INSTRUCTIONS_MAX = 25_000;

  /** The same for our own statements; as many as the longest text may have: 24 bytes each. */
  public static final int LIFTED_INSTRUCTIONS_MAX = 1_000_000;

  /** Longest of our statements, in bytes: it may name all columns of a table twice. */
  public static final int OWN_STATEMENT_BYTES_MAX = 16 * 1_024 * 1_024;

  /** Columns in our own statements: its key and a row id in addition to all columns of a table. */
  public static final int LIFTED_COLUMNS_MAX = 8_000;

  /**
   * Longest value in the runtime's own statements, in the schema and in values of keys, even if the
   * limit for statements of the application is shorter.
   */
  public static final int OWN_VALUE_BYTES_MAX = 1_024 * 1_024;

  /**
   * From this limit on, values are long enough for applications that know their statements. Below
   * it, values are kept so short that one instruction cannot take longer than a statement may.
   */
  public static final int BOUNDED_TIME_BYTES_MAX = 1_024 * 1_024;

  /** Shortest limit of a value that a statement gets; a lower one would refuse nearly any row. */
  public static final int VALUE_BYTES_MIN = 256;

  // ---------------------------------------------------------------- files of others

  /** Instructions that a check outside of a runtime may run, whatever the size of the file. */
  public static final long FILE_STEPS = 10_000_000;

  /**
   * Instructions that a check or a copy may run for each byte of the file. A row of ten bytes takes
   * a hundred instructions without expressions, and a thousand with long ones.
   */
  public static final long FILE_STEPS_PER_BYTE = 1_000;

  /** Instructions of one check: a hundred tables take a tenth of them. */
  public static final int FILE_INSTRUCTIONS_MAX = 250_000;

  /** A value that an expression of a file makes is at most this many times as long as the file. */
  public static final int VALUES_PER_FILE = 4;

  /** One instruction of a check may take this part of the time of a statement: two seconds. */
  public static final int INSTRUCTION_TIME_PART = 30;

  /** Instructions between two progress calls, each of which may make a value of 8 MiB. */
  public static final int STEPS_BETWEEN_FILE_QUESTIONS = 64;

  // ---------------------------------------------------------------- running statements

  /** Instructions between two progress calls: about ten microseconds, at a cost below 1 %. */
  public static final int STEPS_BETWEEN_QUESTIONS = 2_048;

  /** The same where only the number of instructions bounds the number of rows read. */
  public static final int STEPS_BETWEEN_COUNTS = 128;

  /** The same for statements where one instruction may take a tenth of a second. */
  public static final int STEPS_BETWEEN_LONG_ONES = 16;

  /** Instructions after which the clock is read, and files are checked if that is due. */
  public static final long STEPS_BETWEEN_CLOCKS = 2_048;

  /** Instructions after which files are checked: a check takes ten microseconds. */
  public static final long STEPS_BETWEEN_FILES = 65_536;

  /** The same in time. */
  public static final long NANOS_BETWEEN_FILES = 5_000_000;

  /** One in this many of the short steps from row to row is measured. */
  public static final int ROWS_PER_SAMPLE = 16;

  /** Open cursors of a turn: each has a statement, with 10 to 100 KiB of native memory. */
  public static final int CURSORS_MAX = 128;

  /** Maximum number of characters of a statement in the error of a migration. */
  public static final int STATEMENT_SHOWN_MAX = 200;

  /** Rows of open cursors that are read into memory when their object waits. */
  public static final long CURSOR_BYTES_KEPT_MAX = 4L * 1_024 * 1_024;

  // ---------------------------------------------------------------- open databases

  /**
   * A log of this length, 2 MiB, is copied once in a few hundred commits, at no noticeable cost.
   */
  public static final int LOG_FRAMES_MAX = 512;

  /**
   * What all logs may have in total, 128 MiB, as long as that leaves the least or more for each.
   * When the logs of 1,000 objects had 2 GiB, each page written was new to the page cache: a
   * quarter of the processor time of a commit.
   */
  public static final int LOG_FRAMES_IN_ALL = 32 * 1_024;

  /** With many open databases each log is copied earlier, but not before this length. */
  public static final int LOG_FRAMES_MIN = 64;

  /** From this length on, a turn waits until the journal is durable enough for the copy. */
  public static final int LOG_FRAMES_WAITED_FOR = 8 * LOG_FRAMES_MAX;

  /**
   * With more unsaved objects than this many times the open ones, objects are saved without a
   * request of the journal.
   */
  public static final int UNSAVED_PER_OPEN_MAX = 4;

  // ---------------------------------------------------------------- catalog

  /**
   * Number of changes that is worth a transaction. Many objects postpone their alarm again and
   * again: the more changes wait, the more of them are outdated before they are written.
   */
  public static final int CATALOG_WAITING_MAX = 4_000;

  /** Bytes of the file that are checked at a time; other work can run in between. */
  public static final int CATALOG_PART_BYTES = 1 << 20;

  /** Buffer for the copy of the log. */
  public static final int CATALOG_BUFFER_BYTES = 256 << 10;

  private SqliteBounds() {}
}
