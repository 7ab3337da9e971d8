package dev.holdfast.backend.sqlite;

import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * A database file in memory, to which batches are applied forwards and backwards: a second
 * implementation of {@code docs/formats/sqlite-batch.md}, without regard for speed.
 */
final class PageReplay {

  private final TreeMap<Integer, byte[]> pages = new TreeMap<>();
  private int pageBytes = PageSize.DEFAULT_BYTES;
  private int pageCount;

  static PageReplay of(Path file) throws IOException {
    PageReplay replay = new PageReplay();
    byte[] content = Files.readAllBytes(file);
    replay.pageCount = content.length / replay.pageBytes;
    for (int page = 1; page <= replay.pageCount; page++) {
      int start = (page - 1) * replay.pageBytes;
      replay.pages.put(page, Arrays.copyOfRange(content, start, start + replay.pageBytes));
    }
    return replay;
  }

  static List<JournalRecord> batches(SqliteHost host, ObjectKey key) {
    return host.journal.records().stream()
        .filter(each -> each.kind() == RecordKind.BATCH && each.key().equals(key))
        .toList();
  }

  void redo(JournalRecord record) {
    BatchReader batch = new BatchReader(record.payload());
    pageBytes = batch.pageBytes();
    while (batch.next()) {
      if (batch.hasRedo()) {
        batch.redo(page(batch.page()));
      }
    }
    resize(batch.pagesAfter());
  }

  void undo(JournalRecord record) {
    BatchReader batch = new BatchReader(record.payload());
    if (pageCount != batch.pagesAfter()) {
      throw new IllegalStateException(pageCount + " pages instead of " + batch.pagesAfter());
    }
    while (batch.next()) {
      if (batch.hasUndo()) {
        batch.undo(page(batch.page()));
      }
    }
    resize(batch.pagesBefore());
  }

  void write(Path file) throws IOException {
    byte[] content = new byte[pageCount * pageBytes];
    pages.forEach(
        (page, image) -> System.arraycopy(image, 0, content, (page - 1) * pageBytes, pageBytes));
    Files.write(file, content);
  }

  private byte[] page(int number) {
    return pages.computeIfAbsent(number, _ -> new byte[pageBytes]);
  }

  private void resize(int count) {
    pageCount = count;
    pages.tailMap(count, false).clear();
  }
}
