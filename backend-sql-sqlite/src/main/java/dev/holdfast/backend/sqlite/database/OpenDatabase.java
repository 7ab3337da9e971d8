package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.wal.CommitLog;
import dev.holdfast.backend.sqlite.wal.WalCommit;
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

  /** What a database is used for. */
  private enum Use {
    IDLE,
    IN_TURN,
    IN_MAINTENANCE,
    CLOSED
  }

  /**
   * Commits of migrations that are in the log and in no batch.
   *
   * @param end where they end in the log; -1 if not all were made
   */
  private record Provisional(int end) {

    static final Provisional PARTLY = new Provisional(-1);
  }

  private static final VarHandle USE;

  static {
    try {
      USE = MethodHandles.lookup().findVarHandle(OpenDatabase.class, "use", Use.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ObjectFiles files;
  private final ObjectKey key;
  private final Path file;
  private final ObjectErrors errors;
  private final PageSums sums;

  private volatile Use use = Use.IN_TURN;

  /** Set by each turn, cleared by the search for a database to close. */
  private volatile boolean recentlyUsed = true;

  /** A thread wants the object saved and found it in use; its turn passes that on when it ends. */
  private volatile boolean saveWanted;

  // Confined to the holder of the claim.
  private DatabaseForm form;

  private final SealedPages pages;
  private long lastPosition;

  private boolean inDoubt;
  private long batchBytes;

  /** Whether an attempt to copy the log may not have finished. */
  private boolean partlyCopied;

  private @Nullable Provisional provisional;

  /** Whether its turn waits, so that it does not count among the open databases. */
  private boolean beyondBound;

  /**
   * @param sizeBytes the size of the file; 0 if there is none
   */
  private OpenDatabase(
      ObjectKey key, DatabaseForm.Place place, DatabaseForm form, PageSums sums, long sizeBytes) {
    this.files = place.files();
    this.key = key;
    this.file = place.file();
    this.sums = sums;
    this.lastPosition = sums.position();
    this.errors = new ObjectErrors(key, file);
    this.pages = new SealedPages(files, file, sizeBytes);
    this.form = form;
  }

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
    DatabaseForm.Place place = new DatabaseForm.Place(library, files, file);
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
      DatabaseForm form =
          DatabaseForm.InMemory.open(place, image, memoryBytesMax, /* isNew= */ known == null);
      return known == null
          ? new OpenDatabase(key, place, form, ObjectFiles.emptySums(), 0)
          : new OpenDatabase(key, place, form, known, known.fileBytes());
    }
    long sizeBytes = known != null ? known.fileBytes() : files.prepare(file);
    PageSums sums = known != null ? known : files.readSums(file, sizeBytes);
    return new OpenDatabase(key, place, DatabaseForm.InFile.open(place), sums, sizeBytes);
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
    return form.log();
  }

  public ObjectConnection connection() {
    return form.connection();
  }

  /** {@return whether a turn may use the database now; false if it is closed or being saved} */
  public boolean claimForTurn() {
    if (!USE.compareAndSet(this, Use.IDLE, Use.IN_TURN)) {
      return false;
    }
    if (!recentlyUsed) {
      recentlyUsed = true;
    }
    return true;
  }

  /** {@return whether the caller may now save or close the database} */
  public boolean claimForMaintenance() {
    return USE.compareAndSet(this, Use.IDLE, Use.IN_MAINTENANCE);
  }

  /** Ends a claim. */
  void unclaim() {
    use = Use.IDLE;
  }

  /** Ends the claim and all later ones. */
  void retire() {
    use = Use.CLOSED;
  }

  boolean isIdle() {
    return use == Use.IDLE;
  }

  public boolean isClosed() {
    return use == Use.CLOSED;
  }

  boolean isInTurn() {
    return use == Use.IN_TURN;
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
    return provisional != null;
  }

  /**
   * Records that commits follow that are in no batch. They are dropped unless {@code
   * provisionalIsWhole} follows.
   */
  public void beginProvisional() {
    provisional = Provisional.PARTLY;
  }

  /** Records that all provisional commits were made. */
  public void provisionalIsWhole(BatchSealer sealer) throws IOException {
    provisional = new Provisional(sealer.endOfCommits(this));
  }

  /** {@return whether provisional commits were begun, and not all of them were made} */
  public boolean isPartlyProvisional() {
    return Provisional.PARTLY.equals(provisional);
  }

  /**
   * Reads what was committed after the last batch, including provisional commits.
   *
   * @return whether there is something to seal: provisional commits alone need no batch
   */
  boolean readCommit(WalCommit commit) throws IOException {
    CommitLog log = form.log();
    Provisional before = provisional;
    return before == null
        ? log.read(commit)
        : log.readAll(commit) && log.end(commit) != before.end();
  }

  /** Records a commit, and the provisional ones before it, as sealed. */
  void sealed(WalCommit commit, long position) {
    provisional = null;
    form.log().accept(commit);
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
    form.needFile();
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
    return form.isTrimDue(frames);
  }

  /**
   * Copies the log into the file, as {@link #copyWal}. A database in memory is open as a file from
   * then on.
   */
  public void trim() throws IOException, SqliteException {
    copyWal();
    if (form instanceof DatabaseForm.InMemory inMemory) {
      form = inMemory.asFile();
      inMemory.connection().close();
    }
  }

  /**
   * Copies the log into the file, without a sync; drops provisional commits first. All batches must
   * be durable in the journal.
   */
  public void copyWal() throws IOException, SqliteException {
    if (provisional != null) {
      revert();
    }
    CommitLog log = form.log();
    boolean isNews = pages.isNews() && log.hasUncopied();
    int pageCount = isNews ? pages.count(sums.pageBytes()) : 0;
    // Before the copy: after it the next write restarts the log, and these would be lost.
    int[] written = isNews ? log.sums(pageCount) : new int[0];
    partlyCopied = true;
    form.copy();
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
    form.copied();
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
  void revert() throws IOException, SqliteException {
    form = form.reverted();
    provisional = null; // not before: the next copy of the log opens it again
  }

  /** Changes the file while no connection has it open. The log must have been trimmed. */
  public void rewrite(FileWork work) throws IOException, SqliteException {
    form = form.rewritten(work);
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
    form.close();
  }

  /** Closes the database and leaves file and log as they are; the log is not trusted later. */
  public void abandon() throws IOException, SqliteException {
    retire();
    form.abandon();
  }
}
