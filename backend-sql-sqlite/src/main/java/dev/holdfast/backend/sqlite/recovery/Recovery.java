package dev.holdfast.backend.sqlite.recovery;

import dev.holdfast.backend.sqlite.database.DatabaseCache;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.RedonePages;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.save.FileRebuilder;
import dev.holdfast.backend.sqlite.wal.BaseNeeds;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.verify.ObjectChains;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Brings database files to the state of the journal's end. A first reading finds each object's last
 * checkpoint, a second applies the batches after it; {@code docs/formats/sqlite-batch.md} explains
 * why that is right for any mixture of pages that a crash can leave. Pages that only a batch before
 * the checkpoint has whole, which another node wrote, are made durable elsewhere before they are
 * written, see {@link RedoPages}.
 *
 * <p>The files are written but not synced here: the objects count as unsaved, so the journal keeps
 * their records, and they are saved in the background. A runtime with many objects is therefore
 * open again as soon as its journal was read, and a crash meanwhile is as harmless as any other.
 *
 * <p>Holds some pages in memory, and a few words for each object that the journal names. Confined
 * to the thread that recovers.
 */
public final class Recovery {

  private final ObjectFiles files;
  private final int viewId;
  private final Unsaved unsaved;
  private final DatabaseCache cache;
  private final FileRebuilder rebuilder;
  private final Function<ObjectKey, @Nullable SavedState> states;
  private final boolean isCatalogKnown;

  /** The only object whose file is brought up to date; null for all. */
  private final @Nullable ObjectKey only;

  private final Map<ObjectKey, Long> bases = new HashMap<>();
  private final Map<ObjectKey, Long> firstPositions = new HashMap<>();
  private final Map<ObjectKey, Long> lastPositions = new HashMap<>();

  /**
   * Objects whose file was refused, or was found to be one that the first batch can be applied to.
   */
  private final Set<ObjectKey> based = new HashSet<>();

  /** Objects that lack a batch whose first parts were dropped. */
  private final Set<ObjectKey> withoutParts = new HashSet<>();

  private final Map<ObjectKey, RedonePages> redone = new HashMap<>();
  private final ObjectChains chains = new ObjectChains(this::lastSaved, this::isRead);
  private final Marks marks;
  private final RebuiltFiles rebuilt;

  /** The first position that is read; nothing is known of those before. */
  private long firstPosition = Long.MAX_VALUE;

  private final Set<Long> erased = new HashSet<>();

  private long redoneBatches;

  /**
   * @param states the saved states of objects, as the catalog has them
   * @param isCatalogKnown whether an object without one was never saved
   * @param only the only object whose file is brought up to date; null for all
   */
  public Recovery(
      Disk disk,
      ObjectFiles files,
      int viewId,
      Unsaved unsaved,
      DatabaseCache cache,
      FileRebuilder rebuilder,
      Function<ObjectKey, @Nullable SavedState> states,
      boolean isCatalogKnown,
      @Nullable ObjectKey only) {
    this.only = only;
    this.rebuilder = rebuilder;
    this.states = states;
    this.isCatalogKnown = isCatalogKnown;
    this.marks = new Marks(viewId);
    this.files = files;
    this.rebuilt = new RebuiltFiles(disk, files, RebuiltFiles.Bounds.DEFAULT);
    this.viewId = viewId;
    this.unsaved = unsaved;
    this.cache = cache;
  }

  /** {@return the marks of the catalog; from here on it is known what must be redone} */
  public Marks findBases(RecoveryLog log) {
    RecoveryLog.Selection checkpoints =
        (view, kind) -> view == viewId && kind == RecordKind.CHECKPOINT;
    log.forEach(checkpoints, this::findBase);
    marks.others(visitor -> log.forEachOfOthers(checkpoints, visitor));
    return marks;
  }

  /**
   * Brings the files up to date.
   *
   * @param also what else is done with each record of the backend, which is read only once
   */
  public void redo(RecoveryLog log, SavedFiles saved, RecordVisitor also) {
    try (rebuilt) {
      rebuilt.replay(
          (key, position) ->
              position >= log.firstPosition() && position > bases.getOrDefault(key, 0L));
      firstPosition = log.firstPosition();
      log.forEach(
          (view, _) -> view == viewId || view == RecordKind.VOID_VIEW,
          record -> {
            if (record.viewId() == viewId) {
              redo(log, record);
              also.visit(record);
            } else if (record.isErased()) {
              erased.add(record.position());
            }
          });
      rebuilt.writeAll();
    } catch (IOException e) {
      throw notWritten(files.root().resolve(RedoPages.NAME), e);
    }
    firstPositions.forEach(
        (key, first) -> unsaved.recovered(key, first, lastPositions.getOrDefault(key, first)));
    redone.forEach(saved::recovered);
  }

  /** The name of the file of {@link RedoPages}. */
  public static final String REDO_PAGES = RedoPages.NAME;

  /** Decides whether the file of an object lacks a batch. */
  public interface Lacking {

    /** {@return whether the file was not saved with a batch} */
    boolean lacks(ObjectKey key, long position);
  }

  /**
   * Writes the pages of an earlier recovery, which did not end, and deletes them.
   *
   * @param files those that get them, and the file with the pages
   */
  public static void redoPages(Disk disk, ObjectFiles files, Lacking lacking) throws IOException {
    try (RedoPages pages = new RedoPages(disk, files)) {
      pages.replay(lacking);
    }
  }

  /** Forgets what {@link RedoPages} protects: all files are saved. */
  public static void saved(Disk disk, ObjectFiles files) throws IOException {
    RedoPages.delete(disk, files);
  }

  /**
   * {@return whether nothing says that the file of an object has a batch whose first parts were
   * dropped}
   */
  public boolean lacksParts(ObjectKey key) {
    return withoutParts.contains(key);
  }

  /** {@return how many batches were redone} */
  public long redoneBatches() {
    return redoneBatches;
  }

  private void findBase(JournalRecord record) {
    marks.visit(record);
    if (record.viewId() == viewId
        && record.kind() == RecordKind.CHECKPOINT
        && !Mark.isMark(record)) {
      long base = record.payload().getLong(record.payload().position());
      bases.merge(record.key(), base, Math::max);
    }
  }

  private boolean isNeeded(JournalRecord record) {
    return record.viewId() == viewId
        && record.kind().isBatch()
        && (only == null || only.equals(record.key()))
        && record.position() > bases.getOrDefault(record.key(), 0L);
  }

  /**
   * {@return whether the first parts of a batch were dropped} Where shards came together, others
   * can need records before it.
   */
  private static boolean isWithoutParts(RecoveryLog log, BatchReader batch) {
    return batch.firstPart() > 0 && batch.firstPart() < log.oldestPosition();
  }

  private boolean isSaved(JournalRecord batch) {
    Long saved = lastSaved(batch.key());
    return saved != null && batch.position() <= saved;
  }

  /** {@return the last batch in the file of an object; null if that is not known} */
  private @Nullable Long lastSaved(ObjectKey key) {
    SavedState state = states.apply(key);
    Long base = bases.get(key);
    if (state == null && base == null) {
      return isCatalogKnown ? Journal.START : null;
    }
    return Math.max(state == null ? Journal.START : state.position(), base == null ? 0 : base);
  }

  private boolean isRead(long position) {
    return position >= firstPosition && !erased.contains(position);
  }

  private void redo(RecoveryLog log, JournalRecord record) {
    if (!isNeeded(record)) {
      return;
    }
    ObjectKey key = record.key();
    try {
      BatchReader batch = new BatchReader(record.payload());
      boolean isWithoutParts = isWithoutParts(log, batch);
      if (isWithoutParts && isSaved(record)) {
        return;
      }
      if (isWithoutParts) {
        refuse(log, record, batch);
      } else {
        chains.visit(record);
      }
      if (batch.hasPages() && based.add(key)) {
        requireBase(log, record, batch, files.database(key));
      }
      // Also for a refused object: the journal keeps its records, so that it stays refused, and can
      // be rebuilt once its file is back.
      firstPositions.putIfAbsent(
          key, batch.firstPart() > 0 && !isWithoutParts ? batch.firstPart() : record.position());
      lastPositions.put(key, record.position());
      redone.computeIfAbsent(key, _ -> new RedonePages()).reach(record.position());
      if (!cache.isUnusable(key)) {
        applyParts(log, record, batch);
        apply(key, batch);
        redoneBatches++;
      }
    } catch (UncheckedIOException e) {
      throw notWritten(files.database(key), e);
    } catch (IllegalArgumentException e) {
      throw new DataDirectoryException(
          files.database(key),
          "Record "
              + record.position()
              + " of "
              + record.key()
              + " cannot be read: "
              + e.getMessage()
              + ". It may have been written by a newer version: use that one.",
          e);
    } catch (IOException e) {
      throw notWritten(files.database(key), e);
    }
  }

  /** Refuses an object: only a lost catalog, or none, said whether its file has a batch. */
  private void refuse(RecoveryLog log, JournalRecord record, BatchReader batch) {
    withoutParts.add(record.key());
    based.add(record.key());
    cache.makeUnusable(
        record.key(),
        "nothing says whether its database file has the batch at journal position "
            + record.position()
            + ", whose parts begin at "
            + batch.firstPart()
            + ", and the journal keeps records from "
            + log.oldestPosition()
            + " on only. Restore the whole data directory from one copy");
  }

  /**
   * Rebuilds the file, or refuses its object, if the file is missing or was truncated from outside,
   * and the records do not have all of its pages: they are only those since the file was made
   * durable.
   */
  private void requireBase(RecoveryLog log, JournalRecord first, BatchReader batch, Path file)
      throws IOException {
    long bytes = file.toFile().length();
    if (batch.pagesBefore() <= 1
        || bytes >= (long) batch.pagesBefore() * batch.pageBytes()
        || needs(log, first.key(), batch).isMetBy(bytes)) {
      return;
    }
    SavedState base = base(log, first.key());
    if (base != null && rebuilder.rebuild(first.key(), file, base, base.position())) {
      return;
    }
    cache.makeUnusable(
        first.key(),
        "its database file is "
            + (file.toFile().exists() ? "only " + bytes + " bytes long" : "missing")
            + ", and the journal has only the records after position "
            + (first.position() - 1)
            + "; restore the file from a copy of the data directory");
  }

  /** {@return the last saved state of an object's file; null if it is not known} */
  private @Nullable SavedState base(RecoveryLog log, ObjectKey key) {
    @Nullable SavedState[] last = {null};
    log.forEach(
        (view, kind) -> view == viewId && kind == RecordKind.CHECKPOINT,
        record -> {
          if (record.key().equals(key)) {
            last[0] = SavedState.decode(record.payload());
          }
        });
    return last[0] == null ? states.apply(key) : last[0];
  }

  /** Seldom needed: only when a database shrinks, and a crash follows, or a file was damaged. */
  private BaseNeeds needs(RecoveryLog log, ObjectKey key, BatchReader first) {
    BaseNeeds needs = new BaseNeeds(first);
    log.forEach(
        (view, kind) -> view == viewId && kind.isBatch(),
        record -> {
          if (record.key().equals(key) && isNeeded(record)) {
            BatchReader batch = new BatchReader(record.payload());
            if (!isWithoutParts(log, batch)) {
              forEachPart(log, record, batch, part -> needs.add(new BatchReader(part.payload())));
              needs.add(batch);
            }
          }
        });
    return needs;
  }

  /** The parts are before the batch, and are kept as long as it is. */
  private void forEachPart(
      RecoveryLog log, JournalRecord last, BatchReader batch, RecordVisitor visitor) {
    if (batch.firstPart() == 0) {
      new ObjectChains.Parts(last).end();
      return;
    }
    ObjectChains.Parts parts = new ObjectChains.Parts(last);
    log.forEachFrom(
        batch.firstPart(),
        (view, kind) -> view == viewId && kind == RecordKind.UNDO_PART,
        part -> {
          if (part.key().equals(last.key()) && part.position() < last.position()) {
            parts.visit(part);
            visitor.visit(part);
          }
        });
    parts.end();
  }

  private void applyParts(RecoveryLog log, JournalRecord last, BatchReader batch) {
    forEachPart(
        log,
        last,
        batch,
        part -> {
          try {
            apply(last.key(), new BatchReader(part.payload()));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private void apply(ObjectKey key, BatchReader batch) throws IOException {
    RedonePages pages = redone.computeIfAbsent(key, _ -> new RedonePages());
    rebuilt.apply(key, lastPositions.getOrDefault(key, 0L), batch, pages);
  }

  static DataDirectoryException notWritten(Path file, Exception e) {
    return new DataDirectoryException(
        file,
        "The database file cannot be brought up to date: "
            + e.getMessage()
            + ". Check the disk and its free space, then open the runtime again; nothing is lost.",
        e);
  }
}
