package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.file.SpareLogs;
import dev.holdfast.backend.sqlite.wal.WalCommit;
import dev.holdfast.backend.sqlite.wal.WalFile;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The open database of one object: its connection, the content of its {@code -wal} file, and its
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
  private final WalFile wal;
  private final PageSums sums;

  /** Null if SQLite has created the log itself. */
  private final SpareLogs.@Nullable Lent lentLog;

  private volatile int use = IN_TURN;

  /** Set by each turn, cleared by the search for a database to close. */
  private volatile boolean recentlyUsed = true;

  /** A thread wants the object saved and found it in use; its turn passes that on when it ends. */
  private volatile boolean saveWanted;

  // Confined to the holder of the claim.
  private ObjectConnection connection;

  private final SealedPages pages;
  private long lastPosition = Journal.START;

  private boolean inDoubt;
  private long batchBytes;

  /** Whether an attempt to copy the log may not have finished. */
  private boolean partlyCopied;

  /** Whether the log has commits of migrations that are in no batch. */
  private boolean provisional;

  /** Where they end in the log. */
  private int provisionalEndFrame;

  /** Whether its turn waits, so that it does not count among the open databases. */
  private boolean beyondBound;

  private OpenDatabase(
      ObjectKey key, Path file, Parts parts, long sizeBytes, ObjectConnection connection) {
    this.library = parts.library();
    this.files = parts.files();
    this.key = key;
    this.file = file;
    this.lentLog = parts.lentLog();
    this.sums = parts.sums();
    this.errors = new ObjectErrors(key, file);
    this.wal = new WalFile(ObjectFiles.wal(file));
    this.pages = new SealedPages(files, file, wal, sizeBytes);
    this.connection = connection;
  }

  private record Parts(
      SqliteLibrary library, ObjectFiles files, SpareLogs.@Nullable Lent lentLog, PageSums sums) {}

  /**
   * Opens the database of an object, for a turn. Blocks in native code.
   *
   * @throws FileRefusedException if the file is not what was saved
   */
  static OpenDatabase open(
      SqliteLibrary library, ObjectFiles files, SavedFiles saved, ObjectKey key)
      throws IOException, SqliteException {
    Path file = files.database(key);
    PageSums known = saved.check(key, file);
    long sizeBytes = known != null ? known.fileBytes() : files.prepare(file);
    PageSums sums = known != null ? known : files.readSums(file, sizeBytes);
    SpareLogs.Lent lentLog = files.prepareLog(file);
    OpenDatabase database = null;
    try {
      database =
          new OpenDatabase(
              key,
              file,
              new Parts(library, files, lentLog, sums),
              sizeBytes,
              ObjectConnection.open(library, file));
      return database;
    } finally {
      if (database == null && lentLog != null) {
        lentLog.giveBack();
      }
    }
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

  public WalFile wal() {
    return wal;
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

  /** {@return the position of the last batch sealed here; {@link Journal#START} if none was} */
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
   * {@return whether the log has commits that are in no batch and must not reach the file: those of
   * {@code DeferredMigrations}}
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
    provisionalEndFrame = -1;
  }

  /** Records that all provisional commits were made. */
  public void provisionalIsWhole(BatchSealer sealer) throws IOException {
    provisionalEndFrame = sealer.endOfCommits(this);
  }

  /** {@return whether provisional commits were begun, and not all of them were made} */
  public boolean isPartlyProvisional() {
    return provisional && provisionalEndFrame < 0;
  }

  /**
   * Reads what was committed after the last batch, including provisional commits.
   *
   * @return whether there is something to seal: provisional commits alone need no batch
   */
  boolean readCommit(WalCommit commit) throws IOException {
    return provisional
        ? wal.readAll(commit) && commit.endFrame() != provisionalEndFrame
        : wal.read(commit);
  }

  /** Records a commit, and the provisional ones before it, as sealed. */
  void sealed(WalCommit commit, long position) {
    provisional = false;
    wal.accept(commit);
    pages.sealed(commit);
    lastPosition = position;
    inDoubt = false;
  }

  /** Records a batch that changed no page. */
  void sealedWithoutPages(long position) {
    lastPosition = position;
    inDoubt = false;
  }

  /**
   * Copies the log into the file, without a sync; drops provisional commits first. All batches must
   * be durable in the journal.
   */
  public void copyWal() throws IOException, SqliteException {
    if (provisional) {
      revert(library);
    }
    boolean isNews = pages.isNews() && wal.hasUncopiedFrames(1);
    int pageCount = isNews ? pages.count(sums.pageBytes()) : 0;
    // Before the copy: after it the next write restarts the log, and these would be lost.
    int[] written = isNews ? wal.sums(pageCount) : new int[0];
    wal.copying();
    partlyCopied = true;
    connection.copyWal();
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
    wal.allCopied();
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
    wal.cutToAccepted();
    connection = ObjectConnection.open(library, file);
    provisional = false; // not before: the next copy of the log opens it again
  }

  /** Changes the file while no connection has it open. The log must have been copied. */
  public void rewrite(SqliteLibrary library, FileWork work) throws IOException, SqliteException {
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
    try {
      wal.close();
    } finally {
      connection.close();
    }
    if (lentLog != null) {
      lentLog.giveBack();
    }
  }

  /** Closes the database and leaves file and log as they are; the log is not trusted later. */
  public void abandon() throws IOException, SqliteException {
    retire();
    try {
      wal.close();
    } finally {
      connection.abandon();
    }
  }
}
