package dev.holdfast.backend.sqlite;

import dev.holdfast.TimeSource;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryHistory;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A process with a SQLite backend on a journal in memory, which can be closed, crash, and be opened
 * again. Confined to the thread that runs the test.
 */
public final class SqliteHost implements AutoCloseable {

  private final Path root;
  private final SqliteBackend.Access access;
  private final Disk disk;
  private final int openMax;
  private final int memoryBytesMax;
  private final Durability durability;
  private final StorageThreads threads = new StorageThreads(2);
  private TimeSource time = new VirtualClock();
  private boolean isRebuilding;
  private int directories;
  private int numbers;

  public InMemoryJournal journal;
  public SqliteBackend backend;
  private Path directory;

  public SqliteHost(Path root, int openMax) {
    this(root, openMax, new FileDisk());
  }

  SqliteHost(Path root, int openMax, Disk disk) {
    this(root, openMax, disk, Durability.ON_WAIT);
  }

  SqliteHost(Path root, int openMax, Disk disk, Durability durability) {
    this(root, openMax, new SqliteBackend.Access(disk, SqliteLibrary.jdbc()), durability);
  }

  public SqliteHost(Path root, int openMax, SqliteLibrary library, Durability durability) {
    this(root, openMax, new SqliteBackend.Access(new FileDisk(), library), durability);
  }

  SqliteHost(Path root, int openMax, SqliteBackend.Access access, Durability durability) {
    this(root, openMax, access, durability, SqliteOptions.MEMORY_BYTES_MAX);
  }

  private SqliteHost(
      Path root,
      int openMax,
      SqliteBackend.Access access,
      Durability durability,
      int memoryBytesMax) {
    this.memoryBytesMax = memoryBytesMax;
    this.durability = durability;
    this.access = access;
    this.disk = access.disk();
    this.root = root;
    this.openMax = openMax;
    this.directory = root.resolve("data-0");
    this.journal = new InMemoryJournal(durability);
    this.backend = open();
  }

  /** Opens every database as a file with a log, as those that are not small. */
  public static SqliteHost withLogs(
      Path root, int openMax, SqliteBackend.Access access, Durability durability) {
    return new SqliteHost(root, openMax, access, durability, /* memoryBytesMax= */ 0);
  }

  /** Opens every database as a file with a log, as those that are not small. */
  public static SqliteHost withLogs(Path root, int openMax, Disk disk) {
    return withLogs(
        root, openMax, new SqliteBackend.Access(disk, SqliteLibrary.jdbc()), Durability.ON_WAIT);
  }

  /** Opens databases in memory up to a size. */
  static SqliteHost of(Path root, int openMax, int memoryBytesMax) {
    return new SqliteHost(
        root,
        openMax,
        new SqliteBackend.Access(new FileDisk(), SqliteLibrary.jdbc()),
        Durability.ON_WAIT,
        memoryBytesMax);
  }

  public ObjectStore store(int number) {
    return backend.store(Objects.object(number));
  }

  public Path file(ObjectKey key) {
    return new ObjectFiles(disk, directory).database(key);
  }

  /** {@return the threads that native calls run on} */
  StorageThreads threads() {
    return threads;
  }

  /** Closes and opens again, with another clock for measuring statements. */
  public void restart(TimeSource clock) {
    time = clock;
    restart();
  }

  /** From the next opening on damaged files are rebuilt from the journal. */
  void rebuildLater() {
    isRebuilding = true;
  }

  /** {@return a number that was not returned before} */
  int nextNumber() {
    return ++numbers;
  }

  public Path directory() {
    return directory;
  }

  /** {@return whether the journal need not keep any batch} */
  boolean isSaved() {
    long mark = backend.lowWaterMark();
    return journal.records().stream()
        .noneMatch(record -> record.kind().isBatch() && record.position() >= mark);
  }

  /** Closes normally and opens again. */
  public void restart() {
    backend.close();
    journal.trimBefore(backend.lowWaterMark());
    reopen();
  }

  /** Opens after a normal close. */
  public void reopen() {
    journal.close();
    journal = journal.crash();
    backend = open();
  }

  /** Ends the process; the journal has everything up to a position. */
  public void crashAt(long position) {
    crashAt(position, _ -> {});
  }

  /** Ends the process, and changes the files before they are opened again. */
  public void crashAt(long position, Consumer<SqliteHost> damage) {
    backend.awaitIdle();
    Path image = root.resolve("data-" + ++directories);
    copy(directory, image);
    InMemoryJournal left = journal.prefix(position);
    journal.crash();
    backend.close();
    directory = image;
    journal = left;
    damage.accept(this);
    backend = open();
  }

  @Override
  public void close() {
    try (threads) {
      if (journal.failure() == null) {
        // With manual durability nothing else would end the waiting appends.
        journal.makeAllDurable();
        backend.awaitIdle();
        journal.makeAllDurable();
        if (durability == Durability.MANUAL) {
          journal.crash(); // or closing would wait for what it appends
        }
      }
      backend.close();
    }
  }

  private SqliteBackend open() {
    SqliteBackend opened =
        new SqliteBackend(
            journal,
            threads,
            time,
            access,
            new SqliteOptions(directory, openMax, null, memoryBytesMax));
    if (isRebuilding) {
      opened.rebuildFrom(new InMemoryHistory(journal));
    }
    opened.recover(journal);
    return opened;
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> paths = Files.exists(from) ? Files.walk(from) : Stream.<Path>empty()) {
      for (Path source : (Iterable<Path>) paths::iterator) {
        Path target = to.resolve(from.relativize(source).toString());
        if (Files.isDirectory(source)) {
          Files.createDirectories(target);
        } else {
          Files.copy(source, target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
