package dev.holdfast.archiver;

import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archiver.ArchiveFiles.Chunk;
import dev.holdfast.archiver.Generation.Origin;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.statistics.ArchiveStatistics.State;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the records of a journal to an archive, each time up to the durable end. After a failure
 * the next call continues: every step can be repeated, also one that was done without an answer.
 *
 * <p>{@link #run} is confined to one thread; all else is thread-safe.
 */
final class ArchiveWriter {

  /** A chunk has at least one group, and no further one beyond this size. */
  private static final int CHUNK_BYTES = 4 << 20;

  private final ArchiveFiles files;
  private final Lineage lineage;
  private final JournalTail journal;
  private final TimeSource time;
  private final Identity identity;
  private final BaseWriter bases;
  private final Trimming trimming;
  private final BooleanSupplier isClosing;
  private final long intervalNanos;
  private final @Nullable Duration retention;

  /** Everything that was durable at this time is archived. */
  private volatile long coveredNanos;

  private volatile State state = State.STARTING;
  private volatile long position;
  private volatile @Nullable String reason;

  /** The number of the generation that this runtime has tried to take; 0 for none. */
  private long attempted;

  /** The number of the newest generation when the gap was found; later ones are of others. */
  private long gapAfter;

  private volatile @Nullable Generation generation;
  private final AtomicLong chunks = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  private long purgeBefore;
  private long purgedBefore;

  /**
   * What distinguishes this runtime from others.
   *
   * @param owner a random number
   * @param openedMillis when it was opened, milliseconds since 1970
   * @param epoch the ownership of a shard; {@link ShardEpoch#NONE} for none
   * @param host where it runs; may ask a name server
   */
  record Identity(long owner, long openedMillis, ShardEpoch epoch, Supplier<String> host) {}

  ArchiveWriter(
      ArchiveOptions options,
      JournalTail journal,
      TimeSource time,
      Identity identity,
      BaseWriter.Host host) {
    this.files = new ArchiveFiles(options.store());
    this.lineage = new Lineage(files);
    this.journal = journal;
    this.time = time;
    this.identity = identity;
    this.bases = new BaseWriter(files, options, time, host);
    this.trimming = new Trimming(files, options, time);
    this.isClosing = host.isClosing();
    this.intervalNanos = Archiver.nanosOf(options.interval());
    this.retention =
        options.retention().equals(ArchiveOptions.FOREVER) ? null : options.retention();
    this.coveredNanos = time.monotonicNanos();
  }

  /**
   * Archives what is durable now, and makes a base image if one is due.
   *
   * @throws IOException if the store, the journal or the disk fails; some of it may be archived
   */
  void run() throws IOException {
    run(/* isLast= */ false);
  }

  /** As {@link #run()}; the last time without a base image. */
  void run(boolean isLast) throws IOException {
    try {
      if (state == State.STARTING || state == State.GAP) {
        begin(isLast);
      }
      Generation own = generation;
      if (own != null && archive(own) && !isLast) {
        makeBase(own);
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      failures.incrementAndGet();
      throw e;
    }
  }

  // ---------------------------------------------------------------- beginning a generation

  private void begin(boolean isLast) throws IOException {
    Generation own = attempted == 0 ? null : files.generation(attempted);
    if (own == null || own.owner() != identity.owner()) {
      own = takeNext(isLast);
    }
    if (own != null) {
      bases.begin(own);
      position = own.firstPosition() - 1;
      generation = own;
      state = State.RUNNING;
    }
  }

  /** {@return this runtime's generation; null if it must not, or cannot yet, archive here} */
  private @Nullable Generation takeNext(boolean isLast) throws IOException {
    Generation newest = files.newest();
    while (true) {
      if (newest != null && newest.journalId() != journal.journalId()) {
        stop(
            files
                + " has the archive of another data directory, written by "
                + newest.describe()
                + ". Give each data directory its own place");
        return null;
      }
      long number = newest == null ? 1 : newest.number() + 1;
      if (files.hasChunks(number)) {
        // By a rule that deletes old entries, say: its chunks would be taken for this runtime's.
        stop(
            files
                + " has records of generation "
                + number
                + ", but the entry of the generation was deleted. Keep other programs from"
                + " deleting entries, and name a new place");
        return null;
      }
      if (newest != null && isOpenedLater(newest)) {
        stopFor(newest); // to take the next generation would stop it
        return null;
      }
      Origin origin = lineage.commonWith(journal, newest);
      long first = origin.position() + 1;
      long wholeFrom = journal.wholeFrom(origin.position());
      if (first < wholeFrom) {
        // What this runtime has archived cannot be compared any more, and is known.
        gap(Math.max(origin.position(), generation == null ? 0 : position), number - 1);
        BaseWriter.Staged base = isLast ? null : bases.staged(wholeFrom);
        if (base == null) {
          return null;
        }
        first = base.firstPosition();
      }
      Generation own =
          new Generation(
              number,
              journal.journalId(),
              identity.owner(),
              // After a gap: the generation before it was that of the moments until now.
              generation == null ? identity.openedMillis() : time.wallMillis(),
              origin,
              first,
              identity.epoch(),
              identity.host().get());
      attempted = number; // if the answer is lost, the entry may be there, and not be the newest
      newest = files.take(own) ? own : files.generation(number);
      if (newest != null && newest.owner() == identity.owner()) {
        return newest;
      }
    }
  }

  /** {@return whether the runtime of a generation was opened after this one} */
  private boolean isOpenedLater(Generation newest) {
    if (identity.epoch().isAfter(newest.epoch())) {
      return false; // it has lost the shard, whenever it took the number
    }
    boolean isAfterGap = state == State.GAP && newest.number() > gapAfter;
    return isAfterGap || newest.epoch().isAfter(identity.epoch());
  }

  // ---------------------------------------------------------------- archiving

  /** {@return whether everything is archived; false if this runtime must not go on} */
  private boolean archive(Generation own) throws IOException {
    long beginNanos = time.monotonicNanos();
    long end = journal.durablePosition();
    do {
      // Before each chunk: to catch up can take hours, and a newer generation must be seen.
      if (state != State.RUNNING || isSuperseded(own) || !addNext(own, end)) {
        return false;
      }
    } while (position < end);
    coveredNanos = beginNanos;
    return true;
  }

  /** {@return whether there is no gap} */
  private boolean addNext(Generation own, long end) throws IOException {
    if (position >= end) {
      return true;
    }
    JournalChunk chunk = journal.read(position + 1, CHUNK_BYTES);
    boolean isPurged = chunk != null && chunk.hasPurgedAfter(position);
    if (chunk != null && !isPurged) {
      add(own, chunk);
    } else if (isPurged || journal.oldestPosition() > position + 1) {
      bases.abandon();
      attempted = 0;
      gap(position, own.number());
    } else {
      throw new IOException("Record " + (position + 1) + " of the journal cannot be read");
    }
    return state == State.RUNNING;
  }

  private boolean isSuperseded(Generation own) throws IOException {
    Generation next = files.generation(own.number() + 1);
    stopFor(next);
    return next != null;
  }

  private void stopFor(@Nullable Generation newer) {
    if (newer != null) {
      stop(
          "Another runtime archives to "
              + files
              + ": "
              + newer.describe()
              + ". If this one is the right one, close the other and open this one again");
    }
  }

  private void add(Generation own, JournalChunk chunk) throws IOException {
    if (files.add(own.number(), chunk)) {
      chunks.incrementAndGet();
      bytes.addAndGet(chunk.bytes().length);
      bases.added(chunk.bytes().length);
      position = chunk.lastPosition();
    } else {
      // Added by an earlier call that failed without an answer, when the journal was shorter.
      Chunk earlier = new Chunk(own.number(), chunk.firstPosition(), 0);
      position = files.read(earlier, journal.journalId()).lastPosition();
    }
  }

  // ---------------------------------------------------------------- base images

  /** Deletes every moment before a position, in one of the next runs. */
  void purgeBefore(long position) {
    purgeBefore = Math.max(purgeBefore, position);
    bases.require(position);
  }

  /** {@return before which position every moment was deleted} */
  long purgedBefore() {
    return purgedBefore;
  }

  private void makeBase(Generation own) throws IOException {
    Base made =
        bases.run(
            own,
            new BaseWriter.Chunks() {
              @Override
              public boolean catchUp() throws IOException {
                return archive(own);
              }

              @Override
              public long position() {
                return position;
              }

              @Override
              public long millisOf(long ofPosition) throws IOException {
                JournalChunk chunk = journal.read(ofPosition, 0);
                JournalRecord record = chunk == null ? null : chunk.record(ofPosition);
                return record == null ? 0 : record.wallMillis();
              }
            });
    if (purgeBefore > purgedBefore && bases.has(purgeBefore)) {
      trimming.runToLatest(own, () -> mayDelete(own));
      purgedBefore = purgeBefore;
    }
    trimming.run(own, made != null, () -> mayDelete(own));
  }

  /**
   * {@return whether this runtime still owns the archive} To delete many entries can take longer
   * than an interval: what became durable meanwhile is archived in between.
   */
  private boolean mayDelete(Generation own) throws IOException {
    boolean isDue = time.monotonicNanos() - coveredNanos >= intervalNanos;
    return !isClosing.getAsBoolean() && (isDue ? archive(own) : !isSuperseded(own));
  }

  private void stop(String why) {
    reason = why;
    state = State.STOPPED;
  }

  private void gap(long archived, long newestNumber) {
    gapAfter = newestNumber;
    reason =
        "Records "
            + (archived + 1)
            + " to "
            + (journal.wholeFrom(archived) - 1)
            + " were dropped or purged from the journal before they were archived; "
            + files
            + " ends at position "
            + archived
            + ", and goes on with a base image";
    state = State.GAP;
  }

  // ---------------------------------------------------------------- reports

  State state() {
    return state;
  }

  /** {@return why the archive is stopped or has a gap; null if neither} */
  @Nullable String reason() {
    return reason;
  }

  /** {@return up to where everything is archived; 0 if that is not known} */
  long position() {
    return position;
  }

  /** {@return the first position that a base image on the disk needs; none if there is no image} */
  long baseFloor() {
    return bases.floor();
  }

  /** {@return why the files could not be copied for a base image; null if they could} */
  @Nullable Throwable imageFailure() {
    return bases.copyFailure();
  }

  /** {@return whether what is archived now can be restored} */
  boolean isRestorable() {
    return bases.isRestorable();
  }

  /** {@return how the archive goes on after a gap; the gap may be that of an earlier runtime} */
  String restarted() {
    Generation own = generation;
    String why = reason;
    return files
        + " goes on with position "
        + (own == null ? 0 : own.firstPosition())
        + " and a base image"
        + (why == null
            ? ""
            : ", because " + why.substring(0, 1).toLowerCase(Locale.ROOT) + why.substring(1))
        + ". Moments from the base image on can be restored when it is complete.";
  }

  /**
   * Waits until no file is copied any more, and deletes copies.
   *
   * @param isLast whether the thread that archives has ended
   */
  void close(boolean isLast) throws IOException {
    bases.close(isLast);
  }

  /** {@return every record that was durable this long ago is archived; 0 if all are} */
  long lagNanos() {
    return state != State.STARTING && position >= journal.durablePosition()
        ? 0
        : time.monotonicNanos() - coveredNanos;
  }

  ArchiveStatistics statistics() {
    Generation own = generation;
    return new ArchiveStatistics(
        state,
        own == null ? 0 : own.number(),
        position,
        bases.position(),
        lagNanos(),
        chunks.get(),
        bytes.get(),
        failures.get(),
        retention);
  }
}
