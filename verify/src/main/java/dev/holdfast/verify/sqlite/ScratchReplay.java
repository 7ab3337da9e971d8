package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.catalog.CatalogSurvey;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.recovery.Recovery;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The journal in a scratch directory: what recovery makes of the files, in copies of them, and what
 * the batches make of nothing. Records that are malformed are left out. Confined to one thread.
 */
final class ScratchReplay {

  private final Disk disk;
  private final int viewId;
  private final ObjectFiles files;
  private final RecoveryLog log;
  private final Path copies;
  private final JournalFacts facts;
  private final Replay recovered;
  private final Replay replayed;

  ScratchReplay(DirectoryCheck.Source source, Path scratch, JournalFacts facts) {
    this.disk = source.disk();
    this.viewId = source.viewId();
    this.files = new ObjectFiles(disk, source.directory());
    this.log = source.log();
    this.copies = scratch.resolve("recovered");
    this.facts = facts;
    this.recovered = new Replay(new ObjectFiles(disk, copies), viewId, log);
    this.replayed = new Replay(new ObjectFiles(disk, scratch.resolve("replayed")), viewId, log);
  }

  /** {@return the file of an object as recovery leaves it; null if recovery does not change it} */
  Replay.@Nullable Image recovered(ObjectKey key) {
    return recovered.image(key);
  }

  /** {@return the file of an object as its batches make it; null if it was not replayed} */
  Replay.@Nullable Image replayed(ObjectKey key) {
    return replayed.image(key);
  }

  /**
   * Brings copies of files, and the catalog, to the end of the journal.
   *
   * @param catalog changed; null if there is none
   */
  void recover(@Nullable CatalogSurvey catalog) throws IOException, SqliteException {
    redoPages();
    if (catalog != null) {
      catalog.begin();
    }
    SqliteException[] failure = new SqliteException[1];
    log.forEach(
        (view, _) -> view == viewId,
        record -> {
          try {
            if (catalog != null && failure[0] == null) {
              redoCatalog(catalog, record);
            }
            if (facts.isRedone(record)) {
              prepare(record.key());
              recovered.redo(record, null);
            }
          } catch (SqliteException e) {
            failure[0] = e;
          } catch (IllegalArgumentException e) {
            // Malformed: was reported when the facts were read.
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
    recovered.end();
    if (catalog != null) {
      catalog.commit();
    }
  }

  /** Pages that a recovery was about to write, which the journal alone cannot repair. */
  private void redoPages() throws IOException {
    Path pages = files.root().resolve(Recovery.REDO_PAGES);
    if (!disk.exists(pages)) {
      return;
    }
    disk.createDirectories(copies);
    Files.copy(pages, copies.resolve(Recovery.REDO_PAGES));
    Recovery.redoPages(
        disk,
        new ObjectFiles(disk, copies, files.root()), // copies each file that it needs
        (key, position) -> position >= log.firstPosition() && facts.isUnsavedAt(key, position));
  }

  private void prepare(ObjectKey key) throws IOException {
    Path file = files.database(key);
    Path copy = copies.resolve(files.root().relativize(file));
    if (Files.isRegularFile(file) && !Files.exists(copy)) {
      disk.createDirectories(copy.resolveSibling("."));
      Files.copy(file, copy);
    }
  }

  private static void redoCatalog(CatalogSurvey catalog, JournalRecord record)
      throws SqliteException {
    boolean isMark = record.key().equals(Mark.KEY);
    if (record.kind() == RecordKind.CHECKPOINT && !isMark) {
      catalog.put(record.key(), SavedState.decode(record.payload()));
    } else if (record.kind().isBatch()) {
      CatalogChange change = new BatchReader(record.payload()).catalogChange();
      if (change != null) {
        catalog.apply(record.key(), change);
      }
    }
  }

  /**
   * Replays the batches of some objects from the oldest record on, over nothing.
   *
   * @param keys the objects
   * @param states how those that were saved were saved last
   */
  void replay(Set<ObjectKey> keys, Map<ObjectKey, SavedState> states) throws IOException {
    log.forEachFrom(
        log.oldestPosition(),
        (view, kind) -> view == viewId && kind.isBatch(),
        record -> {
          if (keys.contains(record.key())) {
            try {
              replayed.redo(record, states.get(record.key()));
            } catch (IllegalArgumentException e) {
              // Malformed: was reported when the facts were read.
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        });
    replayed.end();
  }
}
