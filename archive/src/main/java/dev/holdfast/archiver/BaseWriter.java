package dev.holdfast.archiver;

import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archiver.ArchiveFiles.Chunk;
import dev.holdfast.archiver.BaseFiles.Place;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.backup.ViewImage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes base images, so that a restore does not redo all that was ever written: the files of the
 * views are copied on the disk of the data directory, and added to the archive from there, pack by
 * pack, with chunks of the journal in between.
 *
 * <p>Confined to the thread that archives, except that the copy is made by the executor, and {@link
 * #floor} is thread-safe.
 */
final class BaseWriter {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  /**
   * In the data directory, while an image is made: with a directory for each writer, as the thread
   * of an earlier one that waits for its store may end later. What a kill leaves is deleted at the
   * next opening.
   */
  static final String DIRECTORY = ArchiveProvider.BASE_DIRECTORY;

  /** After a copy that failed: a disk without room has none a moment later. */
  private static final Duration PAUSE = Duration.ofMinutes(10);

  private final ArchiveFiles files;
  private final BaseFiles bases;
  private final ArchiveOptions options;
  private final Host host;
  private final TimeSource time;
  private final ArchiveProvider.Files source;
  private final Path directory;
  private final StagedBase target;

  private volatile @Nullable CompletableFuture<Staged> copy;
  private @Nullable Staged staged;
  private StagedBase.@Nullable Packs packs;
  private volatile long floor = Long.MAX_VALUE;
  private long pausedUntilNanos;
  private boolean isPaused;

  /** Why the last copy failed; null if it did not. */
  private volatile @Nullable Throwable copyFailure;

  /** The newest image of the lineage; null if there is none. */
  private @Nullable Base last;

  /** The first position from which on the archive has every record of the lineage. */
  private long coveredFrom = 1;

  private volatile boolean isRestorable;
  private volatile long position;

  /** An image must need no record before this one; 0 if that does not matter. */
  private long requiredFrom;

  /**
   * The position of the newest image that the archive may have some of, in the present generation;
   * 0 if there is none. Another image of its position would have the same names.
   */
  private long begun;

  /** Appends a record, so that the image that is required has a position of its own. */
  private @Nullable CompletableFuture<Long> settling;

  private long bytesSince;
  private long sinceMillis;

  /**
   * What makes an image.
   *
   * @param files the files of the runtime
   * @param name of the writer's own directory
   * @param executor copies files, beside the thread that archives
   * @param isClosing whether work is to end soon; thread-safe
   */
  record Host(
      ArchiveProvider.Files files, String name, Executor executor, BooleanSupplier isClosing) {}

  /**
   * An image on the disk.
   *
   * @param image what it is
   * @param firstPosition the first record that it needs in a journal
   */
  record Staged(ViewImage image, long firstPosition) {}

  BaseWriter(ArchiveFiles files, ArchiveOptions options, TimeSource time, Host host) {
    this.files = files;
    this.bases = new BaseFiles(files);
    this.options = options;
    this.host = host;
    this.time = time;
    this.source = host.files();
    this.directory = source.directory().resolve(DIRECTORY).resolve(host.name());
    this.target = new StagedBase(source.disk(), directory, host.isClosing());
  }

  // ---------------------------------------------------------------- when one is due

  /** Reads what the lineage of a generation has since its newest image. */
  void begin(Generation own) throws IOException {
    last = null;
    begun = 0;
    bytesSince = 0;
    sinceMillis = own.openedMillis();
    long lastPosition = Long.MAX_VALUE;
    Generation generation = own;
    while (generation != null) {
      Base base = newest(generation, lastPosition);
      long from = base == null ? 0 : base.position();
      for (Chunk chunk : files.chunks(generation.number())) {
        boolean isSince = chunk.firstPosition() > from && chunk.firstPosition() <= lastPosition;
        bytesSince += isSince ? chunk.bytes() : 0;
      }
      coveredFrom = base == null ? generation.firstPosition() : base.firstPosition();
      if (base != null) {
        last = base;
        sinceMillis = base.millis();
      }
      isRestorable = base != null || coveredFrom == 1;
      position = from;
      if (base != null || generation.hasGap()) {
        return;
      }
      lastPosition = Math.min(lastPosition, generation.origin().position());
      long before = generation.origin().generation();
      generation = before == 0 ? null : files.generation(before);
    }
  }

  private @Nullable Base newest(Generation generation, long lastPosition) throws IOException {
    for (Place place : bases.complete(generation.number()).reversed()) {
      Base base = place.position() <= lastPosition ? bases.read(place) : null;
      if (base != null && !base.isGivenUp()) {
        return base;
      }
    }
    return null;
  }

  /** A chunk was added. */
  void added(long bytes) {
    bytesSince += bytes;
  }

  /** Makes images until one needs no record before a position. */
  void require(long firstPosition) {
    requiredFrom = Math.max(requiredFrom, firstPosition);
  }

  /** {@return whether the newest image needs no record before a position} */
  boolean has(long firstPosition) {
    Base newest = last;
    return newest != null && newest.firstPosition() >= firstPosition;
  }

  private boolean isDue(long archived) {
    if (requiredFrom > 0 && !has(requiredFrom)) {
      return !isPaused() && (isNew(archived) || settle());
    }
    if (bytesSince == 0 || !isNew(archived)) {
      return false;
    }
    Base before = last;
    if (before == null && coveredFrom > 1) {
      return true; // without one, nothing after the gap can be restored
    }
    long bytesMax = Math.max(options.baseBytes(), before == null ? 0 : before.bytes());
    Duration age = Duration.ofMillis(time.wallMillis() - sinceMillis);
    // By age as well: what is older than the retention can only be deleted behind an image.
    return bytesSince > bytesMax || age.compareTo(options.retention().dividedBy(2)) > 0;
  }

  /**
   * {@return whether an image would be later than all before it: an archive has one of a position}
   */
  private boolean isNew(long position) {
    Base newest = last;
    return position > Math.max(begun, newest == null ? 0 : newest.position());
  }

  /**
   * Lets a journal at rest get a later record. An image that was being copied when a purge was
   * asked for can end at the newest record and need earlier ones than the purge allows.
   *
   * @return false: it is not archived yet
   */
  private boolean settle() {
    CompletableFuture<Long> asked = settling;
    if (asked == null || asked.isDone()) {
      settling = source.settle().get();
    }
    return false;
  }

  /** {@return the position of the newest image of the lineage; 0 if there is none; thread-safe} */
  long position() {
    return position;
  }

  /** {@return whether moments after a gap can be restored; thread-safe} */
  boolean isRestorable() {
    return isRestorable;
  }

  // ---------------------------------------------------------------- copying files

  /** {@return why the last copy of the files failed; null if it did not} */
  @Nullable Throwable copyFailure() {
    return copyFailure;
  }

  /**
   * Copies the files, if that was not done yet.
   *
   * @param first the first record that the archive has or can have
   * @return the copied files; null while they are copied, and for a time after that has failed
   * @throws IOException if old copies cannot be deleted
   */
  @Nullable Staged staged(long first) throws IOException {
    CompletableFuture<Staged> running = copy;
    if (running != null) {
      if (!running.isDone()) {
        return null;
      }
      copy = null;
      take(running);
    }
    if (staged != null && staged.firstPosition() < first) {
      abandon(); // the journal has dropped records that this image needs
    }
    if (staged == null && !isPaused() && !host.isClosing().getAsBoolean()) {
      floor = first; // before the journal may drop it
      copy = CompletableFuture.supplyAsync(() -> copyFiles(first), host.executor());
      return copy.isDone() ? staged(first) : null;
    }
    return staged;
  }

  private void take(CompletableFuture<Staged> done) throws IOException {
    try {
      staged = done.join();
      packs = target.packs();
      copyFailure = null;
    } catch (CompletionException e) {
      copyFailure = e;
      abandon();
      pause();
      LOG.log(
          LogEvent.ARCHIVE_IMAGE_FAILED.level(),
          LogEvent.ARCHIVE_IMAGE_FAILED.line(
              "No base image was made for "
                  + files
                  + " ("
                  + e.getMessage()
                  + "). Chunks are archived, and a restore redoes more of them; the next try is in "
                  + PAUSE.toMinutes()
                  + " minutes."),
          e);
    }
  }

  private void pause() {
    isPaused = true;
    pausedUntilNanos = time.monotonicNanos() + PAUSE.toNanos();
  }

  private boolean isPaused() {
    isPaused = isPaused && time.monotonicNanos() - pausedUntilNanos < 0;
    return isPaused;
  }

  private Staged copyFiles(long first) {
    Staged[] made = new Staged[1];
    try {
      source.disk().createDirectories(directory);
      source
          .images()
          .copy(
              target.copies(),
              image -> {
                long needed =
                    Math.min(
                        image.position(),
                        Math.min(image.lowWaterMark(), source.historyFloor().getAsLong()));
                made[0] = new Staged(image, Math.max(first, needed));
                floor = made[0].firstPosition();
              });
    } catch (IOException e) {
      throw new CompletionException(e.getMessage(), e);
    }
    if (made[0].image().lowWaterMark() < first) {
      // The files of a new owner of a shard may be older than the image of the one before.
      throw new CompletionException(
          "The files need record "
              + made[0].image().lowWaterMark()
              + ", and the archive has them from "
              + first
              + " on",
          null);
    }
    if (made[0].firstPosition() > made[0].image().position()) {
      throw new IllegalStateException(
          "The journal has no record yet that the archive could begin with");
    }
    return made[0];
  }

  /** {@return the first position that an image on the disk needs; none if there is no image} */
  long floor() {
    return floor;
  }

  /** Forgets the image on the disk; one that is being copied is looked at when it is complete. */
  void abandon() throws IOException {
    if (copy == null) {
      staged = null;
      packs = null;
      floor = Long.MAX_VALUE;
      deleteCopies();
    }
  }

  private void deleteCopies() throws IOException {
    target.copies().delete();
    Path all = directory.getParent();
    if (all != null && source.disk().exists(all) && source.disk().list(all).isEmpty()) {
      source.disk().delete(all);
    }
  }

  /**
   * Waits until no file is copied any more: the files are about to be closed. Thread-safe.
   *
   * @param isLast whether the thread that archives has ended
   */
  void close(boolean isLast) throws IOException {
    CompletableFuture<Staged> running = copy;
    if (running != null) {
      running.handle((_, _) -> true).join();
    }
    if (isLast) {
      copy = null;
      abandon();
    }
  }

  // ---------------------------------------------------------------- adding it to the archive

  /** What an image needs of the chunks. */
  interface Chunks {

    /** {@return whether all durable records were archived; false if this must end} */
    boolean catchUp() throws IOException;

    /** {@return up to which position records are archived} */
    long position();

    /** {@return the time of a record, milliseconds since 1970} */
    long millisOf(long position) throws IOException;
  }

  /**
   * Makes an image if one is due, or goes on with one.
   *
   * @return the image; null if none was completed
   */
  @Nullable Base run(Generation own, Chunks chunks) throws IOException {
    // A purge wants no earlier history in it: not even what a requested restore needs, which only
    // the data directory has then.
    long first = has(requiredFrom) ? coveredFrom : Math.max(coveredFrom, requiredFrom);
    if (staged != null && staged.firstPosition() < first) {
      abandon();
    }
    if (staged == null && copy == null && !isDue(chunks.position())) {
      return null;
    }
    boolean isCopied = staged == null;
    Staged made = staged(first);
    if (made == null) {
      return null;
    }
    if (isCopied && !isNew(made.image().position())) {
      abandon();
      return null;
    }
    bytesSince = isCopied ? 0 : bytesSince;
    StagedBase.Packs content = packs;
    if (content == null) {
      throw new IllegalStateException("A base image has no packs.");
    }
    Place place = new Place(own.number(), made.image().position());
    for (byte[] pack = content.current(); pack != null; pack = content.current()) {
      if (!chunks.catchUp() || host.isClosing().getAsBoolean()) {
        return null;
      }
      begun = place.position();
      if (!bases.add(place, content.done().size(), pack)) {
        abandon(); // a runtime that has given it up deletes its packs, too
        throw new IOException("Another base image has the name " + place.name() + " in " + files);
      }
      content.advance();
    }
    if (!chunks.catchUp() || chunks.position() < made.image().position()) {
      return null;
    }
    return complete(own, made, content.done(), chunks.millisOf(made.image().position()));
  }

  private @Nullable Base complete(
      Generation own, Staged made, List<Base.Pack> content, long recordMillis) throws IOException {
    Base base =
        new Base(
            own.number(),
            own.journalId(),
            made.firstPosition(),
            made.image().lowWaterMark(),
            made.image().position(),
            Math.max(made.image().wallMillis(), recordMillis),
            content);
    boolean isAdded = bases.add(base) || base.equals(bases.read(Place.of(base)));
    abandon();
    if (!isAdded) {
      return null; // a newer runtime has given it up
    }
    last = base;
    if (!has(requiredFrom)) {
      pause(); // it was copied for another reason; not an image after the other
    }
    isRestorable = true;
    position = base.position();
    sinceMillis = base.millis();
    return base;
  }
}
