package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.file.SpareLogs;
import dev.holdfast.backend.sqlite.wal.CommitLog;
import dev.holdfast.backend.sqlite.wal.MemoryPages;
import dev.holdfast.backend.sqlite.wal.WalCommit;
import dev.holdfast.backend.sqlite.wal.WalFile;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The open database of one object: its connection, what its commits have written since, and its
 * claim. Everything except the claim is confined to the holder of the claim: a turn, or a thread
 * that saves or closes the database. The claim publishes the writes of one holder to the next.
 */
public final class OpenDatabase {

  private static final int IDLE = 0;
  private static final int IN_TURN = 1;
  private static final int IN_MAINTENANCE = 2;
  private static final int CLOSED = 3;

  private static final VarHandle USE;

  static {
    try {
      USE = MethodHandles.lookup().findVarHandle(OpenDatabase.class, "use", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final SqliteLibrary library;
  private final ObjectFiles files;
  private final ObjectKey key;
  private final Path file;
  private final ObjectErrors errors;
  private final PageSums sums;

  private volatile int use = IN_TURN;

  /** Set by each turn, cleared by the search for a database to close. */
  private volatile boolean recentlyUsed = true;

  /** A thread wants the object saved and found it in use; its turn passes that on when it ends. */
  private volatile boolean saveWanted;

  // Confined to the holder of the claim.
  private ObjectConnection connection;

  private CommitLog log;

  /** Null if SQLite has created the log itself, or there is none. */
  private SpareLogs.@Nullable Lent lentLog;

  private final SealedPages pages;
  private long lastPosition;

  private boolean inDoubt;
  private long batchBytes;

  /** Whether an attempt to copy the log may not have finished. */
  private boolean partlyCopied;

  /** Whether the log has commits of migrations that are in no batch. */
  private boolean provisional;

  /** Where they end in the log; -1 if not all were made. */
  private int provisionalEnd;

  /** Whether its turn waits, so that it does not count among the open databases. */
  private boolean beyondBound;

  private OpenDatabase(
      ObjectKey key, Path file, Parts parts, ObjectConnection connection, CommitLog log) {
    this.library = parts.library();
    this.files = parts.files();
    this.key = key;
    this.file = file;
    this.sums = parts.sums();
    this.lastPosition = sums.position();
    this.errors = new ObjectErrors(key, file);
    this.pages = new SealedPages(files, file, parts.sizeBytes());
    this.connection = connection;
    this.log = log;
  }

  /**
   * What a database is opened with.
   *
   * @param sizeBytes the size of the file; 0 if there is none
   */
  private record Parts(SqliteLibrary library, ObjectFiles files, PageSums sums, long sizeBytes) {}

  /**
   * Opens the database of an object, for a turn: a small one in memory, where a new one begins
   * without a file. Blocks in native code.
   *
   * @param memoryBytesMax up to which size; 0 for never
   * @throws FileRefusedException if the file is not what was saved
   */
  static OpenDatabase open(
      SqliteLibrary library, ObjectFiles files, SavedFiles saved, ObjectKey key, int memoryBytesMax)
      throws IOException, SqliteException {
    Path file = files.database(key);
    SavedFiles.Checked checked = saved.check(key, file, memoryBytesMax);
    PageSums known = checked == null ? null : checked.sums();
    boolean isInMemory =
        memoryBytesMax > 0 && (known == null || known.fileBytes() <= memoryBytesMax);
    if (isInMemory) {
      byte[] image = ObjectFiles.emptyDatabase();
      if (checked != null) {
        files.removeWal(file); // left by an unclean stop
        byte[] found = checked.image();
        image = found != null ? found : files.read(file, checked.sums());
      }
      return openInMemory(library, files, key, file, known, image, memoryBytesMax);
    }
    long sizeBytes = known != null ? known.fileBytes() : files.prepare(file);
    PageSums sums = known != null ? known : files.readSums(file, sizeBytes);
    Parts parts = new Parts(library, files, sums, sizeBytes);
    SpareLogs.Lent lentLog = files.prepareLog(file);
    OpenDatabase database = null;
    try {
      database =
          new OpenDatabase(
              key,
              file,
              parts,
              ObjectConnection.open(library, file),
              new WalFile(ObjectFiles.wal(file)));
      database.lentLog = lentLog;
      return database;
    } finally {
      if (database == null && lentLog != null) {
        lentLog.giveBack();
      }
    }
  }

  private static OpenDatabase openInMemory(
      SqliteLibrary library,
      ObjectFiles files,
      ObjectKey key,
      Path file,
      @Nullable PageSums known,
      byte[] image,
      int bytesMax)
      throws SqliteException {
    ObjectConnection connection =
        ObjectConnection.openInMemory(library, MemoryPages.forMemory(image));
    MemoryPages pages =
        new MemoryPages(image, bytesMax, known == null, connection.connectionOfImage());
    PageSums sums = known == null ? ObjectFiles.emptySums() : known;
    Parts parts = new Parts(library, files, sums, known == null ? 0 : known.fileBytes());
    return new OpenDatabase(key, file, parts, connection, pages);
  }

  public ObjectKey key() {
    return key;
  }

  public Path file() {
    return file;
  }

  public ObjectErrors errors() {
    return errors;
  }

  CommitLog log() {
    return log;
  }

  public ObjectConnection connection() {
    return connection;
  }

  /** {@return whether a turn may use the database now; false if it is closed or being saved} */
  public boolean claimForTurn() {
    if (!USE.compareAndSet(this, IDLE, IN_TURN)) {
      return false;
    }
    if (!recentlyUsed) {
      recentlyUsed = true;
    }
    return true;
  }

  /** {@return whether the caller may now save or close the database} */
  public boolean claimForMaintenance() {
    return USE.compareAndSet(this, IDLE, IN_MAINTENANCE);
  }

  /** Ends a claim. */
  void unclaim() {
    use = IDLE;
  }

  /** Ends the claim and all later ones. */
  void retire() {
    use = CLOSED;
  }

  boolean isIdle() {
    return use == IDLE;
  }

  public boolean isClosed() {
    return use == CLOSED;
  }

  boolean isInTurn() {
    return use == IN_TURN;
  }

  /** {@return whether a turn has used it since the last call; clears the flag} */
  boolean takeRecentlyUsed() {
    boolean was = recentlyUsed;
    recentlyUsed = false;
    return was;
  }

  /** {@return whether it does not count among the open databases until its claim ends} */
  boolean isBeyondBound() {
    return beyondBound;
  }

  void setBeyondBound(boolean beyond) {
    beyondBound = beyond;
  }

  public boolean isSaveWanted() {
    return saveWanted;
  }

  public void wantSave(boolean wanted) {
    saveWanted = wanted;
  }

  /**
   * {@return the position of the last batch that has changed its pages; {@link
   * dev.holdfast.spi.Journal#START} if none has}
   */
  public long lastPosition() {
    return lastPosition;
  }

  /** {@return the size in pages after the last sealed batch, 0 for a newly created file} */
  public int pageCount(int pageBytes) {
    return pages.count(pageBytes);
  }

  /** {@return the pages that the next batch is made against} */
  SealedPages pages() {
    return pages;
  }

  /** Records that from now on the journal may have a batch that is not recorded here. */
  void sealing(long bytes) {
    inDoubt = true;
    batchBytes = bytes;
  }

  /** {@return the size of the last batch, in bytes} */
  public long batchBytes() {
    return batchBytes;
  }

  /** Records that the journal has refused the batch. */
  void notSealed() {
    inDoubt = false;
  }

  /**
   * {@return whether an error ended the sealing of a batch when the journal may have had it, so
   * that the database can neither be used nor reverted}
   */
  public boolean isInDoubt() {
    return inDoubt;
  }

  /**
   * {@return whether the log has commits that are in no batch and must not reach the file: commits
   * of {@code DeferredMigrations}}
   */
  public boolean isProvisional() {
    return provisional;
  }

  /**
   * Records that commits follow that are in no batch. They are dropped unless {@code
   * provisionalIsWhole} follows.
   */
  public void beginProvisional() {
    provisional = true;
    provisionalEnd = -1;
  }

  /** Records that all provisional commits were made. */
  public void provisionalIsWhole(BatchSealer sealer) throws IOException {
    provisionalEnd = sealer.endOfCommits(this);
  }

  /** {@return whether provisional commits were begun, and not all of them were made} */
  public boolean isPartlyProvisional() {
    return provisional && provisionalEnd < 0;
  }

  /**
   * Reads what was committed after the last batch, including provisional commits.
   *
   * @return whether there is something to seal: provisional commits alone need no batch
   */
  boolean readCommit(WalCommit commit) throws IOException {
    return provisional
        ? log.readAll(commit) && log.end(commit) != provisionalEnd
        : log.read(commit);
  }

  /** Records a commit, and the provisional ones before it, as sealed. */
  void sealed(WalCommit commit, long position) {
    provisional = false;
    log.accept(commit);
    pages.sealed(commit);
    lastPosition = position;
    inDoubt = false;
  }

  /** Records that the database has every batch up to a position; an earlier one changes nothing. */
  void reach(long position) {
    lastPosition = Math.max(lastPosition, position);
  }

  /** Records a batch that changed no page. */
  void sealedWithoutPages(long position) {
    if (log instanceof MemoryPages memory) {
      memory.needFile();
    }
    lastPosition = position;
    inDoubt = false;
  }

  /**
   * {@return whether the log holds at least this many frames that were not copied, or the database
   * is too large to stay in memory}
   *
   * @param frames how many, at least 1
   */
  public boolean isTrimDue(int frames) {
    return switch (log) {
      case WalFile wal -> wal.hasUncopiedFrames(frames);
      case MemoryPages memory -> memory.isTooLarge();
    };
  }

  /**
   * Copies the log into the file, as {@link #copyWal}. A database in memory is open as a file from
   * then on.
   */
  public void trim() throws IOException, SqliteException {
    copyWal();
    if (!(log instanceof MemoryPages memory)) {
      return;
    }
    memory.needFile();
    memory.copyInto(files, file);
    SpareLogs.Lent lent = files.prepareLog(file);
    ObjectConnection inMemory = connection;
    boolean opened = false;
    try {
      connection = ObjectConnection.open(library, file);
      opened = true;
    } finally {
      if (!opened && lent != null) {
        lent.giveBack();
      }
    }
    lentLog = lent;
    log = new WalFile(ObjectFiles.wal(file));
    inMemory.close();
  }

  /**
   * Copies the log into the file, without a sync; drops provisional commits first. All batches must
   * be durable in the journal.
   */
  public void copyWal() throws IOException, SqliteException {
    if (provisional) {
      revert(library);
    }
    boolean isNews = pages.isNews() && log.hasUncopied();
    int pageCount = isNews ? pages.count(sums.pageBytes()) : 0;
    // Before the copy: after it the next write restarts the log, and these would be lost.
    int[] written = isNews ? log.sums(pageCount) : new int[0];
    partlyCopied = true;
    switch (log) {
      case WalFile wal -> {
        wal.copying();
        connection.copyWal();
      }
      case MemoryPages memory -> memory.copyInto(files, file);
    }
    synchronized (sums) { // at once, for a thread that saves them meanwhile
      if (isNews) {
        sums.resize(pageCount);
        for (int at = 0; at < written.length; at += 2) {
          sums.set(written[at], written[at + 1]);
        }
      }
      sums.reach(lastPosition);
    }
    partlyCopied = false;
    if (log instanceof WalFile wal) {
      wal.allCopied();
    }
  }

  /** {@return whether a copy of the log failed, so that the file may have some of its pages} */
  public boolean isPartlyCopied() {
    return partlyCopied;
  }

  /** {@return the checksums of the pages in the file, as of the last copy of the log} */
  public PageSums sums() {
    return sums;
  }

  /** Begins a new base: from here on, pages are journaled whole when they are first written. */
  public void beginBase() {
    pages.beginBase();
  }

  /**
   * Reverts what was committed but not sealed: closes the connection, truncates the log after the
   * last sealed commit, and opens it again, upon which SQLite recovers from the rest of the log.
   */
  void revert(SqliteLibrary library) throws IOException, SqliteException {
    connection.abandon();
    switch (log) {
      case WalFile wal -> {
        wal.cutToAccepted();
        connection = ObjectConnection.open(library, file);
      }
      case MemoryPages memory -> {
        byte[] image = MemoryPages.forMemory(memory.accepted());
        connection = ObjectConnection.openInMemory(library, image);
        memory.reopened(connection.connectionOfImage());
      }
    }
    provisional = false; // not before: the next copy of the log opens it again
  }

  /** Changes the file while no connection has it open. The log must have been trimmed. */
  public void rewrite(FileWork work) throws IOException, SqliteException {
    if (!(log instanceof WalFile wal)) {
      throw new IllegalStateException("The database of " + key + " is in memory.");
    }
    wal.forget();
    connection.close();
    work.run();
    connection = ObjectConnection.open(library, file);
  }

  /** Work on a file that is not open. */
  public interface FileWork {
    void run() throws IOException;
  }

  /**
   * What a batch has changed in the file.
   *
   * @param changed the numbers of the pages
   * @param pageBytes the size of a page
   * @param pageCount how many pages the file has now
   */
  public record Written(BitSet changed, int pageBytes, int pageCount) {}

  /** Records a batch as sealed that was written to the file, not through the connection. */
  public void restored(Written batch, long position) throws IOException {
    BitSet written = batch.changed();
    try (PageFile opened = files.open(file, Mode.READ, batch.pageBytes())) {
      synchronized (sums) {
        sums.resize(batch.pageCount());
        for (int page = written.nextSetBit(1); page >= 0; page = written.nextSetBit(page + 1)) {
          sums.set(page, opened.sum(page));
        }
        sums.reach(position);
      }
    }
    pages.sealed(written, batch.pageCount());
    lastPosition = position;
  }

  /** Closes the database; the log must have been copied. */
  public void close() throws IOException, SqliteException {
    retire();
    boolean isSmall = log instanceof MemoryPages memory && !memory.isTooLarge();
    try {
      log.close();
    } finally {
      if (isSmall) {
        connection.closeForOthers();
      } else {
        connection.close();
      }
    }
    if (lentLog != null) {
      lentLog.giveBack();
    }
  }

  /** Closes the database and leaves file and log as they are; the log is not trusted later. */
  public void abandon() throws IOException, SqliteException {
    retire();
    try {
      log.close();
    } finally {
      connection.abandon();
    }
  }
}
