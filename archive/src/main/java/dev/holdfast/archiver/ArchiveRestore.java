package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archiver.ArchiveFiles.Chunk;
import dev.holdfast.archiver.BaseFiles.Place;
import dev.holdfast.archiver.Lineage.Part;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.journal.StagedDirectory;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Restores a data directory from an archive: writes the files of the newest base image before the
 * moment, if there is one, and the journal. The runtime that opens it brings the files of the
 * objects up to date, as after a crash.
 *
 * <p>The directory is written beside its place, in {@code NAME.restoring/data}, and renamed when it
 * is complete and durable: a restore that is killed leaves no directory, and can be repeated.
 * {@code NAME.restoring} is locked meanwhile. Confined to one thread.
 */
public final class ArchiveRestore implements ArchiveProvider.Restore {

  private static final String UNFINISHED = ".restoring";

  /**
   * With its directory, RocksDB is opened even if no namespace that uses it is registered:
   * otherwise the journal would drop its records.
   */
  private static final String ROCKSDB_DIRECTORY = "rocksdb";

  private static final int ROCKSDB_VIEW = 2;

  private final ArchiveFiles files;
  private final BaseFiles bases;
  private final Host host;
  private final boolean isShard;

  /**
   * What a restore needs.
   *
   * @param disk where the directory is written
   * @param nowMillis the time, milliseconds since 1970
   * @param random random numbers
   */
  public record Host(Disk disk, long nowMillis, LongSupplier random) {}

  /**
   * Prepares restores.
   *
   * @param store the archive; not closed
   * @param host what a restore needs
   */
  public ArchiveRestore(ArchiveStore store, Host host) {
    this(store, host, /* isShard= */ false);
  }

  private ArchiveRestore(ArchiveStore store, Host host, boolean isShard) {
    this.files = new ArchiveFiles(store);
    this.bases = new BaseFiles(files);
    this.host = host;
    this.isShard = isShard;
  }

  /**
   * {@return restores of a shard of a cluster} The cluster makes the directory a copy of the shard;
   * if nothing was written before the moment, its journal is empty.
   *
   * @param store the archive of the shard; not closed
   * @param host what a restore needs
   */
  public static ArchiveRestore ofShard(ArchiveStore store, Host host) {
    return new ArchiveRestore(store, host, /* isShard= */ true);
  }

  @Override
  public RestoreResult run(
      Path to,
      RestoreTarget moment,
      @Nullable Predicate<ObjectKey> selection,
      RestoreProgress progress) {
    if (!isShard) {
      requireNoShard();
    }
    return StagedDirectory.make(
        to,
        UNFINISHED,
        host.disk(),
        /* source= */ null,
        (_, data) -> restore(data, moment, selection, progress));
  }

  /** The checkpoints of a shard are those of many nodes, and its files those of one. */
  private void requireNoShard() {
    try {
      Generation newest = files.newest();
      if (newest != null && !newest.epoch().isNone()) {
        throw new ArchiveException(
            files
                + " has one shard of a cluster. Restore the cluster from the place above it, with"
                + " ./holdfast cluster restore or ClusterHoldfast.restore",
            null);
      }
    } catch (IOException e) {
      throw ArchiveFiles.unreadable(e);
    }
  }

  @Override
  public boolean hasFirstRecord(RestoreTarget moment) {
    try {
      Part first = new Lineage(files).leadingTo(newest(moment)).getFirst();
      return first.generation().firstPosition() == 1
          && (first.chunks().isEmpty() || first.chunks().getFirst().firstPosition() == 1);
    } catch (IOException e) {
      throw ArchiveFiles.unreadable(e);
    }
  }

  /**
   * Reads when the last record was written that a restore may write.
   *
   * @param target the moment
   * @return the time, milliseconds since 1970, or the moment, if that is earlier; 0 for no record
   * @throws ArchiveException if the archive cannot be read, or has nothing
   */
  public long lastMillis(RestoreTarget target) {
    try {
      for (Part part : new Lineage(files).leadingTo(newest(target)).reversed()) {
        if (!part.chunks().isEmpty()) {
          JournalChunk chunk = read(part.chunks().getLast(), part.generation().journalId());
          JournalRecord last = chunk.record(Math.min(chunk.lastPosition(), part.lastPosition()));
          long millis = last == null ? 0 : last.wallMillis();
          return target instanceof RestoreTarget.AtTime(var time)
              ? Math.min(millis, time.toEpochMilli())
              : millis;
        }
      }
      return 0;
    } catch (IOException e) {
      throw ArchiveFiles.unreadable(e);
    }
  }

  // ---------------------------------------------------------------- reading the archive

  private RestoreResult restore(
      Path directory,
      RestoreTarget target,
      @Nullable Predicate<ObjectKey> selection,
      RestoreProgress progress)
      throws IOException {
    Generation newest;
    List<Part> parts;
    List<Base> images;
    try {
      newest = newest(target);
      parts = new Lineage(files).leadingTo(newest);
      images = selection == null ? images(parts, target) : List.of();
    } catch (IOException e) {
      throw ArchiveFiles.unreadable(e);
    }
    Source whole = new Source(newest, parts, null);
    ArchiveException failure = null;
    for (Base image : images) {
      try {
        return restore(directory, new Source(newest, parts, image), target, null, progress);
      } catch (ArchiveException e) {
        // An earlier image, or the journal from its first record on, may lead to the same state.
        FileTree.delete(host.disk(), directory);
        failure = failure == null ? e : failure;
      }
    }
    try {
      return restore(directory, whole, target, selection, progress);
    } catch (ArchiveException e) {
      if (failure == null) {
        throw e;
      }
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /**
   * What a directory is restored from.
   *
   * @param newest the generation that has the moment
   * @param parts those that lead to it
   * @param image the image with which it begins; null for the first record
   */
  private record Source(Generation newest, List<Part> parts, @Nullable Base image) {

    long firstPosition() {
      return image == null ? 1 : image.firstPosition();
    }

    long bytes() {
      long chunks =
          parts.stream()
              .flatMap(part -> part.chunksFrom(firstPosition()).stream())
              .mapToLong(Chunk::bytes)
              .sum();
      return chunks + (image == null ? 0 : image.bytes());
    }
  }

  /** {@return the images of a lineage that are not after the moment, newest first} */
  private List<Base> images(List<Part> parts, RestoreTarget target) throws IOException {
    List<Base> images = new ArrayList<>();
    for (Part part : parts.reversed()) {
      for (Place place : bases.complete(part.generation().number()).reversed()) {
        Base image = place.position() <= part.lastPosition() ? bases.read(place) : null;
        if (image != null && !image.isGivenUp() && isBefore(image, target)) {
          images.add(image);
        }
      }
    }
    return images;
  }

  private static boolean isBefore(Base image, RestoreTarget target) {
    return switch (target) {
      case RestoreTarget.Latest() -> true;
      case RestoreTarget.AtPosition(long position) -> image.position() <= position;
      case RestoreTarget.AtTime(var time) -> image.millis() <= time.toEpochMilli();
    };
  }

  private RestoreResult restore(
      Path directory,
      Source source,
      RestoreTarget target,
      @Nullable Predicate<ObjectKey> selection,
      RestoreProgress progress)
      throws IOException {
    Base image = source.image();
    long bytesMax = source.bytes();
    Set<ObjectKey> objects = new HashSet<>();
    // Another journal, if it lacks objects: the archive of the whole must not continue with it.
    long journalId = selection == null ? source.newest().journalId() : host.random().getAsLong();
    RestoredJournal.Origin origin = RestoredJournal.Origin.whole(journalId);
    if (image != null) {
      origin =
          new RestoredJournal.Origin(
              journalId,
              image.firstPosition(),
              image.lowWaterMark(),
              image.position(),
              image.firstPosition() == 1 ? 0 : image.millis());
      writeFiles(
          directory, image, objects, done -> progress.restored(objects.size(), done, bytesMax, 0));
    }
    long written = image == null ? 0 : image.bytes();
    try (RestoredJournal copy =
        new RestoredJournal(
            host.disk(),
            directory,
            origin,
            selection == null ? _ -> true : selection,
            objects,
            host.random())) {
      long bytes =
          copy(
              source,
              copy,
              target,
              (done, at) -> progress.restored(objects.size(), written + done, bytesMax, at));
      long position = copy.nextPosition() - 1;
      requireCovered(source, target, position);
      copy.finish();
      if (copy.hasRecordsOf(ROCKSDB_VIEW)) {
        host.disk().ensureDirectory(directory.resolve(ROCKSDB_DIRECTORY));
      }
      host.disk().forceDirectory(directory);
      return new RestoreResult(source.newest().number(), position, written + bytes, List.of());
    }
  }

  private void writeFiles(Path directory, Base image, Set<ObjectKey> objects, LongConsumer progress)
      throws IOException {
    host.disk().ensureDirectory(directory);
    try {
      new RestoredBase(bases, host.disk(), directory, objects, isShard).write(image, progress);
    } catch (DamagedEntryException e) {
      throw ArchiveFiles.unreadable(e);
    }
  }

  private interface Copied {
    void upTo(long bytes, long position);
  }

  /** {@return the size of the copied chunks} */
  private long copy(Source source, RestoredJournal copy, RestoreTarget target, Copied copied)
      throws IOException {
    long bytes = 0;
    long lastMillis = 0;
    for (Part part : source.parts()) {
      for (Chunk each : part.chunksFrom(source.firstPosition())) {
        if (isReached(target, copy)) {
          return bytes;
        }
        JournalChunk chunk = read(each, part.generation().journalId());
        requireNext(source, copy, chunk.firstPosition());
        long end = Math.min(chunk.lastPosition(), part.lastPosition());
        long last = Math.min(end, lastWanted(target, chunk));
        copy.add(chunk, last);
        bytes += each.bytes();
        copied.upTo(bytes, copy.nextPosition() - 1);
        if (last < end) {
          return bytes;
        }
        JournalRecord record = chunk.record(end);
        lastMillis = record == null ? lastMillis : record.wallMillis();
      }
      if (part.lastPosition() != Long.MAX_VALUE && !isReached(target, copy)) {
        requireNext(source, copy, part.lastPosition() + 1); // the next one may have no chunk
      }
    }
    requireNoLaterGap(source, target, lastMillis);
    return bytes;
  }

  /** After the last record of a generation there may have been others, which are lost. */
  private void requireNoLaterGap(Source source, RestoreTarget target, long lastMillis)
      throws IOException {
    Generation next = files.generation(source.newest().number() + 1);
    if (target instanceof RestoreTarget.AtTime(var time)
        && next != null
        && next.hasGap()
        && time.toEpochMilli() > lastMillis) {
      throw new ArchiveException(
          files
              + " lacks what was written after "
              + Instant.ofEpochMilli(lastMillis)
              + " and before "
              + next.describe()
              + ". Restore to one of these times",
          null);
    }
  }

  private static boolean isReached(RestoreTarget target, RestoredJournal copy) {
    return target instanceof RestoreTarget.AtPosition(long position)
        && copy.nextPosition() > position;
  }

  private void requireNext(Source source, RestoredJournal copy, long position) {
    if (position <= copy.nextPosition()) {
      return;
    }
    boolean isEmpty = copy.nextPosition() == source.firstPosition();
    throw new ArchiveException(
        files
            + " lacks the records "
            + copy.nextPosition()
            + " to "
            + (position - 1)
            + (isEmpty
                ? ", and has no base image between them and the moment. Restore to a later moment"
                : ". Restore to position " + (copy.nextPosition() - 1) + " or before"),
        null);
  }

  private JournalChunk read(Chunk chunk, long journalId) {
    try {
      return files.read(chunk, journalId);
    } catch (IOException e) {
      throw ArchiveFiles.unreadable(e);
    }
  }

  private long lastWanted(RestoreTarget target, JournalChunk chunk) {
    return switch (target) {
      case RestoreTarget.Latest() -> Long.MAX_VALUE;
      case RestoreTarget.AtPosition(long position) -> position;
      case RestoreTarget.AtTime(var time) -> {
        long position = chunk.positionAt(time.toEpochMilli(), host.nowMillis());
        yield position == chunk.lastPosition() ? Long.MAX_VALUE : position;
      }
    };
  }

  /** {@return the generation that was archived at the moment} */
  private Generation newest(RestoreTarget target) throws IOException {
    List<Generation> generations = files.generations();
    if (generations.isEmpty()) {
      throw new ArchiveException(files + " has no archive. Check the place", null);
    }
    if (target instanceof RestoreTarget.AtTime(var time)) {
      Generation written =
          generations.reversed().stream()
              .filter(each -> each.openedMillis() <= time.toEpochMilli())
              .findFirst()
              .orElse(generations.getFirst());
      return continued(written, generations);
    }
    Generation newest = generations.getLast();
    long next = newest.number() + 1;
    // The entry is looked for last: a runtime may take the generation and archive meanwhile.
    if (files.hasChunks(next) && files.generation(next) == null) {
      throw new ArchiveException(
          files
              + " has records of generation "
              + next
              + ", but the entry of the generation was deleted: what is newest is not known."
              + " Restore to a time before it began",
          null);
    }
    return newest;
  }

  /**
   * {@return the last generation that continues another one after its last record}
   *
   * <p>What a runtime had written and not archived when it ended is in a later generation.
   */
  private Generation continued(Generation generation, List<Generation> all) throws IOException {
    Generation last = generation;
    for (Generation next : all) {
      if (next.number() > last.number() && !next.hasGap() && isContinuedBy(last, next)) {
        last = next;
      }
    }
    return last;
  }

  private boolean isContinuedBy(Generation last, Generation next) throws IOException {
    if (next.origin().generation() == last.number()) {
      // What an earlier owner of the shard has added later is in the next generation as well.
      return next.epoch().isAfter(last.epoch()) || next.origin().position() >= endOf(last);
    }
    // The last one may have archived nothing: then the next one continues what it has continued.
    return next.origin().equals(last.origin()) && files.chunks(last.number()).isEmpty();
  }

  private long endOf(Generation generation) throws IOException {
    List<Chunk> chunks = files.chunks(generation.number());
    return chunks.isEmpty()
        ? generation.firstPosition() - 1
        : files.read(chunks.getLast(), generation.journalId()).lastPosition();
  }

  private void requireCovered(Source source, RestoreTarget target, long position) {
    Base image = source.image();
    if (image != null && position < image.position()) {
      throw new ArchiveException(
          files
              + " lacks the records "
              + (position + 1)
              + " to "
              + image.position()
              + ", which a base image needs",
          null);
    }
    if (position == 0 && !isShard) {
      throw new ArchiveException(files + " has no record at or before the moment", null);
    }
    if (target instanceof RestoreTarget.AtPosition(long wanted) && wanted > position) {
      throw new ArchiveException(
          files + " ends at position " + position + ", before position " + wanted, null);
    }
  }
}
